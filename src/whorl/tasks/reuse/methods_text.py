"""Methods paragraph for papers, in every language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whorl.i18n import LANGUAGES, Message, say, translated


def methods_paragraph(run: Mapping[str, Any]) -> dict[str, str]:
    """Return the description of a run for the methods section of a paper, by language."""
    sentences = _sentences(run)
    return {
        language: ("" if language == "zh" else " ").join(translated(sentence, language) for sentence in sentences)
        for language in LANGUAGES
    }


def _sentences(run: Mapping[str, Any]) -> list[Message]:
    settings, counts, chance = run["settings"], run["counts"], run["chance"]
    sentences = [
        say(
            "Text reuse was searched in {documents:,} documents ({characters:,} characters) with whorl {version}.",
            documents=counts["documents"],
            characters=counts["characters"],
            version=run["versions"]["whorl"],
        ),
        say(
            "Texts were normalized (width, case, punctuation, script variants; normalization table {fold}).",
            fold=run["versions"]["fold"],
        ),
    ]
    if settings["group"]:
        sentences.append(
            say("Only documents with different values of “{group}” were compared.", group=settings["group"])
        )
    if settings["against"]:
        sentences.append(say("Only documents of different corpora were compared."))
    if settings["layer"] == "text":
        sentences.append(
            say(
                "The commentary was left out (documents: {documents:,}, characters: {characters:,}).",
                characters=counts["commentary"],
                documents=counts["annotated"],
            )
        )
    elif settings["layer"] == "commentary":
        sentences.append(
            say(
                "Only the commentary was searched (documents: {documents:,}, characters: {characters:,}).",
                characters=counts["commentary"],
                documents=counts["annotated"],
            )
        )
    sentences += [
        say(
            "Pairs that share k-grams on a diagonal were aligned; passages of at least {least:,} Han characters or "
            "{letters:,} letters were kept.",
            least=settings["least"],
            letters=3 * settings["least"],
        ),
        say(
            "This gave {passages:,} passages in {pairs:,} pairs of documents, and {clusters:,} clusters.",
            passages=counts["passages"],
            pairs=counts["pairs"],
            clusters=counts["clusters"],
        ),
    ]
    if settings["meaning"]:
        sentences.append(
            say(
                "Documents without a common passage, but with many rare words, names and numbers in common, were also "
                "compared by the vectors of their sentences (language model {model}) and by their numbers, dates and "
                "names; {pairs:,} pairs have the same content in other words or in another language.",
                model=settings["meaning"],
                pairs=counts["same_content"],
            )
        )
    if counts["hot_clusters"]:
        sentences.append(
            say(
                "Passages in more than {hot:,} documents ({count:,} clusters) were aligned with their earliest "
                "witnesses only; {pairs:,} pairs of witnesses are not listed separately.",
                hot=settings["hot"],
                count=counts["hot_clusters"],
                pairs=counts["pairs_not_listed"],
            )
        )
    if chance:
        sentences.append(
            say(
                "On decoy texts of a bigram chain over the corpus, {expected:.2g} passages are expected by chance "
                "(95% upper limit {upper:.2g}).",
                expected=chance["expected"],
                upper=chance["upper"],
            )
        )
    return sentences


__all__ = ["methods_paragraph"]
