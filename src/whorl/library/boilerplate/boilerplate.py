"""Boilerplate of a library: text that many articles share without being copies, such as a copyright notice.

It is learned when an article has many matches but few of them are copies, and is kept in the store. All figures exclude
it from then on, including those of older matches, unless it belongs to a protected article.

A sentence that many articles quote is shared in the same way, but editors want to see who quotes it. Its position
distinguishes them: boilerplate is on separate lines or at either end of a text, quotations are in running text. Running
text is learned only when all compared matches of an article are of this kind, since they would then displace copies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from itertools import chain
from operator import or_
from typing import NamedTuple

from whorl.library.boilerplate.holders import holders, sharing
from whorl.library.clusters.regrouping import join, split
from whorl.library.core import Core
from whorl.library.ingest.speculative_evidence import SpeculativeEvidence
from whorl.library.maintenance.packing import unpacked
from whorl.library.search.compilations import follow, relabelled
from whorl.library.search.evidence import Evidence, compared
from whorl.library.search.finder import CandidateContent, CopyQuery, judged, pair_of
from whorl.library.search.keys import TextKeys
from whorl.matching.boilerplate import MANY, SAMPLE, Notices
from whorl.stores import Reader, Writer
from whorl.stores.records import BoilerplateRecord, Content, PairRecord

_COPIED = 0.7
"""Minimum share of either article in the other for copies."""

_EXCERPT_LENGTH = 200
"""Maximum number of code points of a notice in listings."""

Question = tuple[CopyQuery, CandidateContent]


class BatchEvidence(NamedTuple):
    """Evidence between texts and their candidates.

    Attributes:
        evidence: evidence of each question, without boilerplate.
        taught: the newly learned part of the boilerplate.
        again: number of comparisons repeated without it.
    """

    evidence: Sequence[Evidence]
    taught: Notices
    again: int


def judged_without(
    core: Core, writer: Writer, questions: Sequence[Question], keys: TextKeys, foreseen: SpeculativeEvidence
) -> BatchEvidence:
    """Compare each text with its candidates, without boilerplate.

    Cost: the comparisons that were not foreseen, and those of ``SAMPLE`` texts for each text with ``MANY`` matches that
        are not copies.
    """
    before = core.notices.learned(writer)
    evidence = foreseen.judged(core, writer, questions, keys, before.runs)
    matches = [place for place, pair_evidence in enumerate(evidence) if pair_evidence.counts(core.making.rules)]
    # The boilerplate learned in each round, and for each match the number of rounds before it was judged.
    rounds: list[Notices] = []
    judged_after = dict.fromkeys(matches, 0)
    again = 0

    def judge_again(places: Sequence[int], notices: Notices) -> None:
        nonlocal again
        again += len(places)
        repeated = judged(core, writer, [questions[place] for place in places], keys, notices) if places else []
        for place, pair_evidence in zip(places, repeated, strict=True):
            evidence[place] = pair_evidence
            judged_after[place] = len(rounds)

    texts = {query.row: query.text for query, _ in questions}
    places = matches
    while core.making.rules.texts and places:
        unlike: dict[int, list[Question]] = defaultdict(list)
        for place in places:
            if evidence[place].counts(core.making.rules) and max(evidence[place].copied) < _COPIED:
                unlike[questions[place][0].row].append(questions[place])
        suspects = [repeated for repeated in unlike.values() if len(repeated) + 1 >= MANY]
        fresh = _learned(core, writer, suspects)
        if not fresh:
            break
        rounds.append(fresh)
        rows = _having(fresh, texts)
        places = [place for place in matches if questions[place][0].row in rows]
        judge_again(places, core.notices.learned(writer).runs)
    # What the texts themselves contain was excluded in each round; the texts of their matches may contain more.
    witness_of = {
        place: questions[place][1].witness.number for place, after in judged_after.items() if after < len(rounds)
    }
    last_rounds = _last_rounds(rounds, unpacked(writer.texts(set(witness_of.values()))) if witness_of else {})
    outdated = [place for place, witness in witness_of.items() if last_rounds.get(witness, 0) > judged_after[place]]
    now = core.notices.learned(writer)
    judge_again(outdated, now.runs)
    rows = _having(now.owned, texts)
    judge_again([place for place, (query, _) in enumerate(questions) if query.row in rows], now.common)
    return BatchEvidence(evidence, reduce(or_, rounds, Notices()), again)


def _learned(core: Core, writer: Writer, suspects: Sequence[Sequence[Question]]) -> Notices:
    """Learn boilerplate from texts and their matches that are not copies; return what is new."""
    if not suspects:
        return Notices()
    existing = core.notices.learned(writer).runs
    witnesses = [_witnesses(questions) for questions in suspects]
    stored = unpacked(writer.texts(chain(*witnesses)))
    texts = [*(questions[0][0].text for questions in suspects), *stored.values(), ""]
    place_of = {number: place for place, number in enumerate(stored, len(suspects))}
    samples = [
        (
            [row, *(place_of.get(number, len(texts) - 1) for number in numbers)],
            len(questions) + 1 < core.making.rules.compared,
        )
        for row, (questions, numbers) in enumerate(zip(suspects, witnesses, strict=True))
    ]
    suspected = [
        ([texts[place] for place in sample], learned)
        for (sample, _), learned in zip(samples, Notices.of_samples(texts, samples, existing), strict=True)
        if learned
    ]
    fresh = reduce(or_, (learned for _, learned in suspected), Notices())
    if suspected:
        counts = holders(
            core, writer, list({text: None for sample, _ in suspected for text in sample}), existing | fresh
        )
        notices = (counted(sample, runs, counts) for sample, runs in suspected)
        writer.put_notices(list(chain.from_iterable(notices)))
    return fresh


def counted(texts: Sequence[str], learned: Notices, counts: Mapping[int, int]) -> list[BoilerplateRecord]:
    """Return learned runs as notices, one for each number of unrelated protected articles."""
    parts: dict[int, list[int]] = defaultdict(list)
    for run in learned.runs:
        parts[counts.get(run, 0)].append(run)
    notices = ((Notices(runs), count) for count, runs in sorted(parts.items()))
    return [
        BoilerplateRecord(0, runs.longest_in(texts)[:_EXCERPT_LENGTH], runs.packed(), count) for runs, count in notices
    ]


def _witnesses(questions: Sequence[Question]) -> list[int]:
    """Return the numbers of sample documents, spread over all matches."""
    return [questions[place * len(questions) // (SAMPLE - 1)][1].witness.number for place in range(SAMPLE - 1)]


def _having(notices: Notices, texts: Mapping[int, str]) -> set[int]:
    """Return the texts that contain any of the boilerplate."""
    if not notices:
        return set()
    return {row for row, spans in zip(texts, notices.spans(list(texts.values())), strict=True) if spans}


def _last_rounds(rounds: Sequence[Notices], texts: Mapping[int, str]) -> dict[int, int]:
    """Return for each text with boilerplate of any round the number of the last such round, counted from 1."""
    last = dict.fromkeys(_having(reduce(or_, rounds, Notices()), texts), 1)
    for number, notices in enumerate(rounds[1:], 2):
        last |= dict.fromkeys(_having(notices, {place: texts[place] for place in last}), number)
    return last


def reconsider(core: Core, writer: Writer, parts: Sequence[tuple[Sequence[Question], Notices]]) -> None:
    """Judge matches again that predate newly learned boilerplate in their contents; update clusters.

    Args:
        core: the library.
        writer: write access to the store.
        parts: comparisons and newly learned boilerplate of each part of a batch, in order; the comparisons of a part
            exclude its boilerplate.
    """
    taught = [notices for _, notices in parts]
    questions = [question for part, _ in parts for question in part]
    judged_in = {_contents(question): number for number, (part, _) in enumerate(parts, 1) for question in part}
    texts_of = {query.content or 0: query.text for query, _ in questions}
    every = reduce(or_, taught, Notices())
    having_it = _having(every, texts_of)
    pairs_near = (pair for pair in map(_contents, questions) if not having_it.isdisjoint(pair))
    near = set(chain.from_iterable(pairs_near))
    texts = list({texts_of[number]: None for number in sorted(having_it)})
    if core.making.local is not None:
        spans = every.spans(texts)
        stretches = {
            text[start:end]: None for text, text_spans in zip(texts, spans, strict=True) for start, end in text_spans
        }
        near |= set(sharing(core, writer, list(stretches)))
    last_parts = _last_rounds(taught, unpacked(writer.texts_of_contents(near)))
    pairs = set(chain.from_iterable(writer.pairs(last_parts).values()))
    others = {number for pair in pairs for number in (pair.low, pair.high)} - near
    last_parts |= _last_rounds(taught, unpacked(writer.texts_of_contents(others)))

    def is_outdated(pair: PairRecord) -> bool:
        last = max(last_parts.get(pair.low, 0), last_parts.get(pair.high, 0))
        return last > judged_in.get((pair.low, pair.high), 0)

    _judge_again(core, writer, sorted(filter(is_outdated, pairs)))


def _contents(question: Question) -> tuple[int, int]:
    """Return the numbers of both contents, the lower first."""
    content, other = question[0].content or 0, question[1].content.number
    return min(content, other), max(content, other)


def rejudge(core: Core, writer: Writer, contents: Collection[int]) -> None:
    """Judge all matches of contents again, because the boilerplate in them became or ceased to be common."""
    _judge_again(core, writer, sorted({pair for pairs in writer.pairs(contents).values() for pair in pairs}))


def _texts_of(reader: Reader, pairs: Sequence[PairRecord]) -> dict[int, str]:
    """Return the texts of the contents of pairs, by number."""
    members = reader.members({number for pair in pairs for number in (pair.low, pair.high)}, 1)
    texts = unpacked(reader.texts(documents[0].number for documents in members.values()))
    return {content: texts.get(documents[0].number, "") for content, documents in members.items()}


def _judge_again(core: Core, writer: Writer, pairs: Sequence[PairRecord]) -> None:
    """Update pairs to the current boilerplate and delete those that are no longer matches; update clusters.

    Common boilerplate held some pairs together, and made the other shared text too small a share to join them.
    """
    texts = _texts_of(writer, pairs)
    texts_of_pairs = [(texts[pair.low], texts[pair.high]) for pair in pairs]
    evidence = compared(texts_of_pairs, core.notices.common(writer), content=core.making.by_content)
    judged = list(zip(pairs, evidence, strict=True))
    counting = [
        pair_of(pair.high, pair.low, pair_evidence, core)
        for pair, pair_evidence in judged
        if pair_evidence.counts(core.making.rules)
    ]
    numbers = {(pair.low, pair.high) for pair in counting}
    removed = [pair for pair in pairs if (pair.low, pair.high) not in numbers]
    relations = relabelled(core, writer, counting, removed)
    matches = relations.pairs
    writer.put_pairs(matches)
    kept = {(pair.low, pair.high): pair.joins for pair in matches}
    writer.remove_pairs([(pair.low, pair.high) for pair in removed])
    follow(core, writer, relations.changed)
    joined = {(pair.low, pair.high): pair.joins for pair in pairs}
    join(core, writer, [pair for pair in matches if pair.joins and not joined[pair.low, pair.high]])
    loose = {pair.low for pair in pairs if pair.joins and not kept.get((pair.low, pair.high), False)}
    split(core, writer, {content.cluster for content in writer.contents(loose).values()})


def renewed(writer: Writer, contents: Sequence[Content]) -> list[Content]:
    """Return the current state of contents, in their order."""
    now: Mapping[int, Content] = writer.contents(content.number for content in contents)
    return [now[content.number] for content in contents]


__all__ = ["counted", "judged_without", "reconsider", "rejudge", "renewed"]
