"""Boilerplate of a library: what many articles share that are no copies of each other, such as a notice.

It is learned when an article has many matches of which few are copies of it, kept with the truth, and taken off every
figure from then on, of older matches too, unless it belongs to a protected article.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import chain

from whorl.library.core import Core
from whorl.library.evidence import Evidence, compared
from whorl.library.finder import Asked, Candidate, judged, pair_of
from whorl.library.foreseen import Foreseen
from whorl.library.holders import holders
from whorl.library.keys import Keys
from whorl.library.packing import unpacked
from whorl.library.regrouping import join, split
from whorl.matching.boilerplate import MANY, SAMPLE, Notices
from whorl.stores import Reader, Writer
from whorl.stores.records import Content, Notice, Pair

_COPIED = 0.7
"""From which share of either of them in the other on two articles are copies."""

_SHOWN = 200
"""Code points of a notice that are shown at most."""

Question = tuple[Asked, Candidate]


def judged_without(
    core: Core, writer: Writer, questions: Sequence[Question], keys: Keys, foreseen: Foreseen
) -> tuple[list[Evidence], bool]:
    """Return what each text has from its candidates, without boilerplate, and whether some of that is new.

    Cost: beside the comparisons that were not foreseen, those of ``SAMPLE`` texts for each text with ``MANY`` matches
    that are no copies.
    """
    before = core.notices.learned(writer)
    evidence = foreseen.judged(core, writer, questions, keys, before.runs)
    matches = [place for place, own in enumerate(evidence) if own.counts(core.making.rules)]
    places, has_learned = matches, False
    while core.making.rules.texts and places:
        unlike: dict[int, list[Question]] = defaultdict(list)
        for place in places:
            if evidence[place].counts(core.making.rules) and max(evidence[place].close) < _COPIED:
                unlike[questions[place][0].row].append(questions[place])
        suspects = [found for found in unlike.values() if len(found) + 1 >= MANY]
        fresh = _learned(core, writer, suspects, max(asked.content or 0 for asked, _ in questions))
        has_learned = has_learned or bool(fresh)
        rows = _having(fresh, {questions[place][0].row: questions[place][0].text for place in matches})
        places = [place for place in matches if questions[place][0].row in rows]
        now = core.notices.learned(writer)
        again = judged(core, writer, [questions[place] for place in places], keys, now.runs)
        for place, own in zip(places, again, strict=True):
            evidence[place] = own
    now = core.notices.learned(writer)
    rows = _having(now.owned, {asked.row: asked.text for asked, _ in questions})
    places = [place for place, (asked, _) in enumerate(questions) if asked.row in rows]
    again = judged(core, writer, [questions[place] for place in places], keys, now.common) if places else []
    for place, own in zip(places, again, strict=True):
        evidence[place] = own
    return evidence, has_learned


def _learned(core: Core, writer: Writer, suspects: Sequence[Sequence[Question]], coming: int) -> Notices:
    """Learn from texts and their matches that are no copies; return what is new.

    ``coming`` is the last content that is about to be written.
    """
    known, fresh = core.notices.learned(writer).runs, Notices()
    witnesses = [_witnesses(found) for found in suspects]
    texts = unpacked(writer.texts(chain(*witnesses)))
    suspected: list[tuple[list[str], Notices]] = []
    for found, numbers in zip(suspects, witnesses, strict=True):
        text = found[0][0].text
        if fresh.spans([text])[0]:
            continue
        sample = [text, *(texts.get(number, "") for number in numbers)]
        learned = Notices.of_sample(sample) - known - fresh
        if learned:
            suspected.append((sample, learned))
            fresh |= learned
    if suspected:
        counts = holders(core, writer, list({text: None for sample, _ in suspected for text in sample}), known | fresh)
        judged_until = max(coming, writer.mark().content)
        notices = (counted(sample, runs, counts, judged_until) for sample, runs in suspected)
        writer.put_notices(list(chain.from_iterable(notices)))
    return fresh


def counted(texts: Sequence[str], learned: Notices, counts: Mapping[int, int], judged_until: int) -> list[Notice]:
    """Return runs that some texts have as notices, one for all that stand in as many unrelated protected articles.

    ``judged_until`` is the last content that may have been judged before.
    """
    parts: dict[int, list[int]] = defaultdict(list)
    for run in learned.runs:
        parts[counts.get(run, 0)].append(run)
    notices = ((Notices(runs), count) for count, runs in sorted(parts.items()))
    return [Notice(0, runs.longest_in(texts)[:_SHOWN], runs.packed(), count, judged_until) for runs, count in notices]


def _witnesses(found: Sequence[Question]) -> list[int]:
    """The numbers of documents of some matches, spread over all."""
    return [found[place * len(found) // (SAMPLE - 1)][1].witness.number for place in range(SAMPLE - 1)]


def _having(notices: Notices, texts: Mapping[int, str]) -> set[int]:
    """Those of some texts in which there is any of some boilerplate."""
    if not notices:
        return set()
    return {row for row, spans in zip(texts, notices.spans(list(texts.values())), strict=True) if spans}


def reconsider(core: Core, writer: Writer, contents: Collection[int], judged: Collection[tuple[int, int]]) -> None:
    """Judge again what was decided of contents before a notice was known; clusters follow.

    Args:
        core: the library.
        writer: the truth.
        contents: whose pairs.
        judged: the pairs, lower number first, that need not be judged again.
    """
    found = {(pair.low, pair.high): pair for own in writer.pairs(contents).values() for pair in own}
    pairs = [pair for key, pair in sorted(found.items()) if key not in judged]
    texts = _texts_of(writer, pairs)
    until = dict(zip(texts, core.notices.learned(writer).unknown_until(list(texts.values())), strict=True))
    stale = [pair for pair in pairs if max(until.get(pair.low, 0), until.get(pair.high, 0)) >= pair.high]
    _judge_again(core, writer, stale, texts)


def rejudge(core: Core, writer: Writer, contents: Collection[int]) -> None:
    """Judge again all that was decided of contents, since something in them is now, or is no longer, their own."""
    pairs = sorted({pair for own in writer.pairs(contents).values() for pair in own})
    _judge_again(core, writer, pairs, _texts_of(writer, pairs))


def _texts_of(reader: Reader, pairs: Sequence[Pair]) -> dict[int, str]:
    """The texts of the contents of some pairs, by number."""
    members = reader.members({number for pair in pairs for number in (pair.low, pair.high)}, 1)
    texts = unpacked(reader.texts(documents[0].number for documents in members.values()))
    return {content: texts.get(documents[0].number, "") for content, documents in members.items()}


def _judge_again(core: Core, writer: Writer, pairs: Sequence[Pair], texts: Mapping[int, str]) -> None:
    """Keep what pairs are now, without those that are matches no more; clusters follow.

    What is nobody's own held some together, and made the share that others have in common too small to join them.
    """
    evidence = compared([(texts[pair.low], texts[pair.high]) for pair in pairs], core.notices.known(writer))
    judged = list(zip(pairs, evidence, strict=True))
    matches = [pair_of(pair.high, pair.low, own, core) for pair, own in judged if own.counts(core.making.rules)]
    writer.put_pairs(matches)
    kept = {(pair.low, pair.high): pair.joins for pair in matches}
    writer.remove_pairs([(pair.low, pair.high) for pair in pairs if (pair.low, pair.high) not in kept])
    joined = {(pair.low, pair.high): pair.joins for pair in pairs}
    join(core, writer, [pair for pair in matches if pair.joins and not joined[pair.low, pair.high]])
    loose = {pair.low for pair in pairs if pair.joins and not kept.get((pair.low, pair.high), False)}
    split(core, writer, {content.cluster for content in writer.contents(loose).values()})


def renewed(writer: Writer, contents: Sequence[Content]) -> list[Content]:
    """Contents as they are now, in their order."""
    now: Mapping[int, Content] = writer.contents(content.number for content in contents)
    return [now[content.number] for content in contents]


__all__ = ["counted", "judged_without", "reconsider", "rejudge", "renewed"]
