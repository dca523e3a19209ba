"""Recipes: all settings that determine the result of a run, as data.

A recipe is a TOML file with the fields of ``Recipe`` as keys::

    method = "minhash"
    threshold = 0.7
    text = ["title", "text"]

    [parameters]
    shingle = 4
    target_recall = 0.995

A table ``[verify]`` has the fields of ``Verification``: an additional exact measure that a duplicate must reach.

Title and text may be judged separately, combined by "and" or "or"; the first line is the title, so list it first::

    text = ["title", "text"]
    combine = "or"

    [fields.title]
    method = "exact"

    [fields.text]
    method = "minhash"
    threshold = 0.7

``method`` may also name a preset, which is a method with its own parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any

from whorl._internal.frozen import frozen
from whorl.attribution.weights import Weights
from whorl.errors import InputError, UsageError
from whorl.fingerprints import Family, family, find_family
from whorl.i18n import say
from whorl.matching.compare import Comparing
from whorl.matching.fields import COMBINATIONS, PARTS, Fields, Judgement
from whorl.matching.relation import LINKS, REMOVED, check_directed
from whorl.matching.verify import NONE, Verification, verified_by
from whorl.presets import PRESETS
from whorl.release import RECIPE_VERSION

_USUAL_THRESHOLD = 0.8
_UNCHOSEN = -1.0
AUTO = "auto"
"""The rule that is chosen after reading the documents: "earliest" if enough of them have a date, else "longest"."""
KEEP_RULES = ("longest", "best", "earliest", "latest", "first")
"""The rules that need no column except that of dates."""

_KINDS = {
    "method": str,
    "threshold": int | float,
    "keep": str,
    "text": tuple,
    "id": str | None,
    "date": str | None,
    "encoding": str | None,
    "max_row_bytes": int,
    "ocr": bool,
    "verify": Verification | None,
    "parameters": Mapping,
    "fields": Mapping | None,
    "combine": str,
    "library": Mapping,
    "compare": Mapping,
    "attribution": Mapping,
    "changes": bool | None,
    "remove": tuple,
    "links": int,
}
_OF_A_FIELD = ("method", "threshold", "parameters", "verify")


@frozen
class Recipe:
    """A choice of method, threshold and rules.

    >>> import whorl
    >>> recipe = whorl.Recipe(method="minhash", threshold=0.9)
    >>> recipe.threshold
    0.9

    Attributes:
        method: name of a method.
        threshold: minimum similarity of a duplicate, inclusive, in (0, 1]; by default that of the method.
        keep: which copy to keep: "longest", "best" (the most complete, then the cleanest, then the longest),
            "earliest", "latest" (by ``date``), "first" (in input order), or the name of a column of numbers or dates,
            the highest first. "auto", the default, is "earliest" if at least half of the documents have a date, else
            "longest"; dates are read from ``date``, or else from common date columns and from pages.
        text: columns that form the text, joined by a newline.
        id: column of document ids; None uses "id" if it exists.
        date: column of dates for "earliest" and "latest". With any rule, the run reports how many earliest articles of
            their clusters each rule would drop. With ``keep="auto"``, files may lack the column.
        encoding: encoding of text, HTML, JSONL and CSV files; None detects it.
        max_row_bytes: maximum row size; longer rows are rejected.
        ocr: recognize the text of scanned pages, of picture files, and of pictures in documents.
        verify: additional exact verification: a ``Verification``, a mapping of its fields, or the name of a measure.
        parameters: parameters of the method; ``threshold`` is passed to methods that have it.
        fields: how "title" and "text" are judged separately: for each a mapping with ``method``, ``threshold`` (by
            default that of the recipe), ``parameters`` and ``verify``. None judges the whole text.
        combine: "and" if both fields must match, "or" if one is enough. Only with ``fields``.
        library: nondefault rules of a library, see ``whorl.results.Rules``; other runs ignore them.
        compare: nondefault options of ``whorl.compare``, such as ``reprint``, the minimum copied share of a reprint;
            only ``whorl compare`` uses them.
        attribution: nondefault weights of the evidence for originals, see ``whorl.results.Weights``; only ``trace``
            uses them.
        changes: let ``whorl dedup`` compare every removed document with the kept one, to report kind and changes; None
            does so if the copied share decides, which needs the same comparison.
        remove: relations for which ``whorl dedup`` removes documents: "exact", which is always included,
            "near_duplicate", "excerpt", "compilation", "version", "partial", "template", "quotation" or "reworded".
        links: maximum number of links from a kept document to other kept documents, the strongest first; at least 0.

    Raises:
        UsageError: a value is out of range or contradicts another.
    """

    method: str = "minhash"
    threshold: float = _UNCHOSEN
    keep: str = AUTO
    text: tuple[str, ...] = ("text",)
    id: str | None = None
    date: str | None = None
    encoding: str | None = None
    max_row_bytes: int = 64 * 2**20
    ocr: bool = False
    verify: Verification | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Mapping[str, Any]] | None = None
    combine: str = "and"
    library: Mapping[str, Any] = field(default_factory=dict)
    compare: Mapping[str, Any] = field(default_factory=dict)
    attribution: Mapping[str, Any] = field(default_factory=dict)
    changes: bool | None = None
    remove: tuple[str, ...] = REMOVED
    links: int = LINKS

    def __post_init__(self) -> None:
        object.__setattr__(self, "verify", _verification(self.verify))
        for name, kinds in _KINDS.items():
            if not isinstance(getattr(self, name), kinds):
                raise UsageError(
                    say("{name} is {value!r}", name=name, value=getattr(self, name)),
                    hint=say("see the fields of a recipe in docs/DEDUP.md"),
                )
        if self.threshold == _UNCHOSEN:
            object.__setattr__(self, "threshold", usual_threshold(self.method))
        if isinstance(self.threshold, bool) or not 0 < self.threshold <= 1:
            raise UsageError(
                say("expected a number in (0, 1] for {name}, got {value}", name="threshold", value=self.threshold),
                hint=say("use a share such as 0.8"),
            )
        if self.max_row_bytes < 1:
            raise UsageError(
                say("{name} is {value}", name="max_row_bytes", value=self.max_row_bytes), hint=say("give at least 1")
            )
        if not self.text or not all(isinstance(name, str) for name in self.text):
            raise UsageError(say("no text column is named"), hint=say("name at least one: `text=text`"))
        if self.keep in ("earliest", "latest") and self.date is None:
            raise UsageError(
                say("keep = '{rule}' needs dates", rule=self.keep), hint=say("name the column of dates: `date=date`")
            )
        if self.fields is not None:
            self._check_fields(self.fields)
        if self.combine not in COMBINATIONS:
            raise UsageError(
                say("{name} is '{value}'", name="combine", value=self.combine),
                hint=say("choose one of: {known}", known=", ".join(COMBINATIONS)),
            )
        check_directed(self.remove, self.links)
        Comparing.of(self.compare)
        Weights.of(self.attribution)
        self.judgements()

    def _check_fields(self, fields_table: Mapping[str, Any]) -> None:
        hint = say("add [fields.title] and [fields.text]")
        if set(fields_table) != set(PARTS) or not all(isinstance(fields_table[part], Mapping) for part in PARTS):
            raise UsageError(
                say("fields are {names}", names=", ".join(map(str, fields_table)) or say("none")), hint=hint
            )
        unknown = sorted({name for part in PARTS for name in fields_table[part]} - set(_OF_A_FIELD))
        if unknown:
            raise UsageError(
                say("a field has an unknown key '{name}'", name=unknown[0]),
                hint=say("use one of: {known}", known=", ".join(_OF_A_FIELD)),
            )
        if (self.method, self.parameters, self.verify) != ("minhash", {}, None):
            hint = say("give each field its own method, parameters and verify")
            raise UsageError(say("a recipe with fields has a method for the whole"), hint=hint)

    def _of_field(self, part: str) -> Recipe:
        """Return the recipe for one field."""
        chosen = _spelled_out((self.fields or {})[part])
        return Recipe(**{"threshold": self.threshold, **chosen})

    def judgements(self) -> tuple[Judgement, ...]:
        """Return how a document is judged: as a whole, or title and text separately, in the order of ``PARTS``.

        >>> [judgement.part for judgement in recipe.judgements()]
        ['whole']
        """
        if self.fields is None:
            return (Judgement("whole", self.family(), self.threshold, self.verification()),)
        recipes = [(part, self._of_field(part)) for part in PARTS]
        return tuple(
            Judgement(part, recipe.family(), recipe.threshold, recipe.verification()) for part, recipe in recipes
        )

    def fingerprinter(self) -> Family | Fields:
        """Return the fingerprinter of whole documents.

        >>> recipe.fingerprinter().name
        'minhash'
        """
        return self.family() if self.fields is None else Fields(self.judgements())

    def family(self) -> Family:
        """Return the method of this recipe, which has no fields.

        >>> recipe.family().name
        'minhash'

        Raises:
            UsageError: the method or one of its parameters is unknown or out of range.
        """
        find_family(self.method, PRESETS)
        chosen = dict(self.parameters)
        if self.method == "minhash":
            chosen.setdefault("threshold", self.threshold)
        return family(self.method, **chosen)

    def verification(self) -> Verification | None:
        """Return the additional verification with all defaults resolved, or None.

        >>> recipe.verification() is None
        True
        """
        return verified_by(self.family().verdict(self.threshold), self.verify, self.threshold)

    @property
    def by_content(self) -> bool:
        """True if texts with the same content match, although hardly a passage is the same.

        >>> recipe.by_content, whorl.Recipe().changed(method="content").by_content
        (False, True)
        """
        verification = self.verification()
        return verification is not None and verification.measure == "content"

    @property
    def preset(self) -> str | None:
        """The preset with the method and parameters of this recipe, or None.

        >>> whorl.Recipe().changed(method="news").preset
        'news'
        """
        if self.fields is not None:
            return None
        family = self.family()
        named = (name for name in PRESETS if PRESETS[name]["method"] == self.method)
        return next((name for name in named if recipe_of(name, threshold=self.threshold).family() == family), None)

    @property
    def measure(self) -> str:
        """The name of the deciding measure.

        >>> recipe.measure
        'jaccard'
        """
        if self.fields is not None:
            return f" {self.combine} ".join(PARTS)
        verification = self.verification()
        return verification.measure if verification else self.family().verdict(self.threshold).measure

    @property
    def tells_changes(self) -> bool:
        """True if removed documents are compared again, to report kind and changes.

        >>> recipe.tells_changes
        False
        """
        if self.changes is not None:
            return self.changes
        return any(judgement.goes_by_passages for judgement in self.judgements())

    @property
    def ranks_by_order(self) -> bool:
        """True if a column, of dates or other values, ranks the documents.

        >>> recipe.ranks_by_order
        False
        """
        return self.keep not in (AUTO, *KEEP_RULES) or self.keep in ("earliest", "latest")

    @property
    def order_column(self) -> str | None:
        """The additional column to read: the one that ranks documents, or else the one with their dates.

        >>> recipe.changed(keep="priority").order_column
        'priority'
        """
        return self.date if self.keep in (AUTO, *KEEP_RULES) else self.keep

    @property
    def finds_dates(self) -> bool:
        """True if dates are read from common date columns, because no column was named.

        >>> recipe.finds_dates, recipe.changed(date="day").finds_dates
        (True, False)
        """
        return self.keep == AUTO and self.date is None

    @property
    def reads_times(self) -> bool:
        """True if the values of this column are the times of the documents.

        >>> recipe.changed(keep="earliest", date="day").reads_times
        True
        """
        return self.finds_dates or self._reads_named_times

    @property
    def _reads_named_times(self) -> bool:
        return self.date is not None and self.order_column == self.date

    @property
    def judges_form(self) -> bool:
        """True if the form of texts is examined: to rank them, or to report the effect of that.

        >>> recipe.changed(keep="best").judges_form
        True
        """
        return self.keep == "best" or self._reads_named_times

    def changed(self, **changes: Any) -> Recipe:
        """Return this recipe with ``changes`` that are not None. ``method`` may be a preset.

        >>> recipe.changed(method="news").method
        'winnowing'
        """
        effective = {name: value for name, value in changes.items() if value is not None}
        if "verify" in effective:
            effective["verify"] = _merged(self.verify, effective["verify"])
        spelled_out = _spelled_out(effective)
        if "method" in effective and self.threshold == usual_threshold(self.method):
            spelled_out.setdefault("threshold", _UNCHOSEN)
        return replace(self, **spelled_out)

    def as_dict(self) -> dict[str, Any]:
        """Return the recipe with all parameters of its methods, ready for JSON.

        >>> recipe.as_dict()["keep"]
        'auto'
        """
        verification = self.verification()
        verify = verification and {**asdict(verification), "vocabulary": verification.vocabulary}
        if self.verify is not None and self.verify.measure == NONE:
            verify = {"measure": NONE}
        described = asdict(self) | {"text": list(self.text), "verify": verify, "version": RECIPE_VERSION}
        described["remove"] = list(self.remove)
        described["changes"] = self.tells_changes
        del described["library"], described["compare"], described["attribution"]
        if not self.ocr:
            del described["ocr"]
        if self.fields is None:
            del described["fields"], described["combine"]
            return described | {"parameters": _parameters(self.family())}
        apart = {part: self._of_field(part).as_dict() for part in PARTS}
        chosen = {part: {name: apart[part][name] for name in _OF_A_FIELD} for part in PARTS}
        return described | {"method": "fields", "fields": chosen}


def _parameters(chosen: Family) -> dict[str, Any]:
    derived = {name: getattr(chosen, name) for name in ("bands", "rows", "vocabulary") if hasattr(chosen, name)}
    return {item.name: getattr(chosen, item.name) for item in fields(chosen)} | derived  # type: ignore[arg-type]


def usual_threshold(method: str) -> float:
    """Return the default threshold of a method, which is 0.8 unless the method specifies another.

    Raises:
        UsageError: the method does not exist.
    """
    return float(getattr(find_family(method, PRESETS), "usual_threshold", _USUAL_THRESHOLD))


def recipe_of(base: Recipe | str | PathLike[str] | None, **changes: Any) -> Recipe:
    """Return a recipe with changes that are not None.

    Args:
        base: a recipe, a TOML file, or the name of a method or preset; None is the default recipe.
        **changes: fields of a recipe.

    Raises:
        InputError: the file cannot be read.
        UsageError: ``base`` is none of these, or a value is out of range or contradicts another.
    """
    if base is None or isinstance(base, Recipe):
        return (base or Recipe()).changed(**changes)
    if not isinstance(base, str | PathLike):
        raise UsageError(
            say("expected a recipe, got {given!r:.60}", given=base),
            hint=say("pass a Recipe, the name of a preset, or a TOML file"),
        )
    if isinstance(base, str) and not base.endswith(".toml"):
        return Recipe().changed(
            **{"method": base} | {name: value for name, value in changes.items() if value is not None}
        )
    return load_recipe(Path(base), **changes)


def _spelled_out(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``chosen`` with the fields of its preset as defaults."""
    preset = PRESETS.get(str(chosen.get("method")))
    if preset is None:
        return dict(chosen)
    spelled_out = {**preset, **chosen, "method": preset["method"]}
    if isinstance(chosen.get("parameters"), Mapping):
        spelled_out["parameters"] = {**preset["parameters"], **chosen["parameters"]}
    return spelled_out


def _verification(value: Any) -> Any:
    """Convert the name of a measure, or a mapping of fields, to a verification."""
    if isinstance(value, str):
        return Verification(value)
    if not isinstance(value, Mapping):
        return value
    names = {item.name for item in fields(Verification)}
    unknown = sorted(value.keys() - names)
    if unknown:
        raise UsageError(
            say("verify has an unknown key '{name}'", name=unknown[0]),
            hint=say("known keys: {known}", known=", ".join(sorted(names))),
        )
    if "measure" not in value:
        raise UsageError(say("verify has no measure"), hint=say('for example measure = "containment"'))
    return Verification(**value)


def _merged(before: Any, after: Any) -> Any:
    """Return the fields of ``before`` updated with ``after``."""
    if isinstance(after, Verification) or not isinstance(after, str | Mapping):
        return after
    old = asdict(before) if isinstance(before, Verification) else before or {}
    return {**old, **({"measure": after} if isinstance(after, str) else after)}


def load_recipe(path: Path, **changes: Any) -> Recipe:
    """Read a recipe from a TOML file; ``changes`` that are not None override it.

    Raises:
        InputError: the file cannot be read or is not TOML.
        UsageError: it has an unknown key or a value out of range.
    """
    import tomllib

    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            say("cannot read recipe {path}: {error}", path=path, error=error.strerror),
            hint=say("check its name and permissions"),
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            say("{path} is not a TOML file: {error}", path=path, error=error),
            hint=say("see the example in `whorl dedup --help`"),
        ) from error
    names = {item.name for item in fields(Recipe)}
    unknown = sorted(data.keys() - names)
    if unknown:
        raise UsageError(
            say("{path} has an unknown key '{name}'", path=path, name=unknown[0]),
            hint=say("known keys: {known}", known=", ".join(sorted(names))),
        )
    text = data.get("text")
    if isinstance(text, str | list):
        data["text"] = (text,) if isinstance(text, str) else tuple(text)
    if isinstance(data.get("remove"), list):
        data["remove"] = tuple(data["remove"])
    effective = {name: value for name, value in changes.items() if value is not None}
    if "verify" in effective:
        effective["verify"] = _merged(data.get("verify"), effective["verify"])
    return Recipe(**_spelled_out(data | effective))


__all__ = ["AUTO", "KEEP_RULES", "PRESETS", "Recipe", "load_recipe", "recipe_of"]
