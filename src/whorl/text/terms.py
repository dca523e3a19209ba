"""Terms: the informative words of a text, with weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.errors import UsageError, demand_share, demand_whole
from whorl.i18n import say
from whorl.text.idf import TableKind, load_table
from whorl.text.words import check_language, load_dictionary

if TYPE_CHECKING:
    from numpy.typing import NDArray

WEIGHTS = ("tf", "tf-idf", "scale", "textrank")
_HIGHEST_EMPHASIS = 100
_LONGEST_WORD = 64
_MOST_KEYS = 1000


@frozen(eq=False)
class WeightedTerms:
    """The heaviest terms of n texts, sorted by weight within each text.

    Attributes:
        hashes: uint64, hashes of the folded words of all texts, concatenated.
        weights: uint64, in steps of 1/4096; from 1 to 5 with ``weights="scale"``.
        counts: uint32 (n,), number of terms of each text.
    """

    hashes: NDArray[np.uint64]
    weights: NDArray[np.uint64]
    counts: NDArray[np.uint32]


@frozen(slots=False)
class TermChoice:
    """Selection and weighting of terms; base of the methods that use terms.

    Args:
        hmm: let jieba's model guess words that the dictionary lacks.
        tags: use only words whose part of speech begins with one of these, such as "n" and "v"; empty for all.
        shortest: minimum length of a word in characters.
        stop_words: drop function words, Chinese and English.
        numbers: keep words that consist of digits only.
        title: weight factor of words in the first line; columns are joined by a newline, so that is the title.
        opening: weight factor of words in the first sentence after the title.
        weights: "tf" counts words; "tf-idf" multiplies by their rarity; "scale" selects words like "tf-idf", with
            weights from 1, the lightest, to 5, the heaviest; "textrank" ranks words by their neighbors (Mihalcea,
            Tarau 2004, with the window, damping and rounds of jieba).
        stem: a language of ``stem_languages``, such as "english", whose words are stemmed: the forms of a word are one
            term, as rare as the most frequent of them; None does not stem.
        chunks: use runs of content words between function words and punctuation as terms, such as 茶园产量. Content
            words are nouns, adjectives, verbs and words of letters, or those with ``tags``. The rarity of a chunk
            combines that of its words.
        user_dictionary: file of words in addition to jieba's.
        idf: a table made by ``whorl idf``, whose common words are also dropped; None for jieba's table.

    Raises:
        UsageError: a value is out of range.
        InputError: a file cannot be read or does not match.
    """

    hmm: bool = True
    tags: tuple[str, ...] = ()
    shortest: int = 2
    stop_words: bool = True
    numbers: bool = False
    title: int = 1
    opening: int = 1
    weights: str = "tf-idf"
    stem: str | None = None
    chunks: bool = False
    user_dictionary: str | None = None
    idf: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "tags", _checked_tags(self.tags))
        for name in ("hmm", "stop_words", "numbers", "chunks"):
            if type(getattr(self, name)) is not bool:
                raise UsageError(
                    say("{name} is {value!r}", name=name, value=getattr(self, name)),
                    hint=say("set it to true or false"),
                )
        self.demand_whole("shortest", 1, _LONGEST_WORD)
        self.demand_whole("title", 1, _HIGHEST_EMPHASIS)
        self.demand_whole("opening", 1, _HIGHEST_EMPHASIS)
        if self.weights not in WEIGHTS:
            raise UsageError(
                say("{name} is {value!r}", name="weights", value=self.weights),
                hint=say("choose one of: {known}", known=", ".join(WEIGHTS)),
            )
        if self.stem is not None:
            check_language(self.stem)
        if self.user_dictionary is not None or self.idf is not None:
            self.reader()

    def demand_whole(self, name: str, minimum: int, maximum: int) -> None:
        """Raise UsageError unless the field ``name`` is an integer in a range."""
        demand_whole(self, name, minimum, maximum)

    @property
    def vocabulary(self) -> str:
        """Everything outside of the parameters that determines the terms: versions, and digests of the user's files."""
        dictionary = load_dictionary(self.user_dictionary)
        table = self._table(dictionary)
        digests = f"{dictionary.digest():016x}/{table.digest() if table else 0:016x}"
        return f"{_core.WORDS_VERSION}/{digests}{'' if self.stem is None else f'/{_core.STEM_VERSION}'}"

    def reader(self) -> _core.Terms:
        """Return the term extractor. Cheap once the dictionary and the table are loaded."""
        dictionary = load_dictionary(self.user_dictionary)
        return _core.Terms(dictionary, self._table(dictionary), self)

    def terms(self, texts: Any, limit: int) -> WeightedTerms:
        """Return the ``limit`` heaviest terms of each text."""
        hashes, weights, counts = self.reader().terms(texts, limit)
        return WeightedTerms(
            np.frombuffer(memoryview(hashes), np.uint64),
            np.frombuffer(memoryview(weights), np.uint64),
            np.frombuffer(memoryview(counts), np.uint32),
        )

    def _table(self, dictionary: _core.Words) -> _core.IdfTable | None:
        if self.idf is not None:
            return load_table(self.idf, TableKind.of(dictionary, self.hmm))
        return _core.IdfTable.embedded() if self.weights in ("tf-idf", "scale") else None


@frozen(slots=False)
class HeaviestTerms(TermChoice):
    """Keys from the heaviest terms of a text, one each; base of ``info`` and ``content``.

    Args:
        top: maximum number of keys of a text, 1 to 1000.
        shared: minimum number of common keys for a comparison, up to ``top``.
        least: minimum number of terms; a text with fewer has no keys.
        share: minimum share of the keys of an article that the other text has, in (0, 1].

    Raises:
        UsageError: a value is out of range.
        InputError: a dictionary or idf table cannot be read or does not fit.
    """

    top: int = 10
    shared: int = 5
    least: int = 3
    share: float = 0.8

    def __post_init__(self) -> None:
        super().__post_init__()
        self.demand_whole("top", 1, _MOST_KEYS)
        self.demand_whole("least", 1, _MOST_KEYS)
        self.demand_whole("shared", 1, self.top)
        demand_share(self, "share")

    @property
    def min_shared(self) -> int:
        """Minimum number of common keys for a comparison."""
        return self.shared


def _checked_tags(tags: Any) -> tuple[str, ...]:
    """Return tags as a tuple; a recipe file has a list."""
    if not isinstance(tags, list | tuple) or not all(isinstance(tag, str) and tag for tag in tags):
        raise UsageError(
            say("{name} is {value!r}, not a list of parts of speech", name="tags", value=tags),
            hint=say('for example ["n", "v"]'),
        )
    return tuple(tags)


__all__ = ["WEIGHTS", "HeaviestTerms", "TermChoice", "WeightedTerms"]
