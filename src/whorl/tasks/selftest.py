"""Run the public test vectors of the specification on this installation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from whorl import _core
from whorl._internal.frozen import frozen
from whorl.fingerprints import Fingerprints, family
from whorl.matching.verify import overlap
from whorl.tasks.library.versions import Versions, versions
from whorl.types.comparison import Plain


@frozen
class SelfCheck(Plain):
    """The test vectors of one method or function.

    Attributes:
        name: the method, or `digest` or `similarity`.
        parameters: parameters of the method.
        vectors: number of vectors.
        failures: names of the texts whose values differ.
    """

    name: str
    parameters: dict[str, Any]
    vectors: int
    failures: tuple[str, ...]


@frozen
class SelfTest(Plain):
    """Result of the test vectors.

    Attributes:
        versions: the versions that were tested.
        passed: True if every value equals the specified one.
        checks: one for each method and choice of parameters.
    """

    versions: Versions
    passed: bool
    checks: tuple[SelfCheck, ...]


def specified() -> dict[str, Any]:
    """Return the test vectors: texts, digests, overlaps, and the keys of each method with its parameters."""
    base, families, parts, pinyin = (_recorded(name) for name in ("vectors", "families", "parts", "pinyin"))
    texts = {vector["name"]: vector["text"] for vector in base["texts"]} | parts["texts"]
    texts |= {f"pinyin, {vector['name']}": vector["text"] for vector in pinyin["texts"]}
    checks = [
        {
            "method": "minhash",
            "parameters": parameters,
            "keys": {vector["name"]: vector["fingerprints"][name]["keys"] for vector in base["texts"]},
        }
        for name, parameters in base["families"].items()
    ]
    checks += [
        {
            "method": name.partition("_")[0],
            "parameters": families[name.removesuffix("_keys")],
            "keys": {vector["name"]: vector[name] for vector in families["texts"]},
        }
        for name in ("winnowing", "winnowing_dense", "shingles", "simhash_keys")
    ]
    checks += [
        {"method": vector["family"], "parameters": vector["parameters"], "keys": vector["keys"]}
        for vector in parts["vectors"]
    ]
    checks += [
        {
            "method": "pinyin",
            "parameters": parameters,
            "keys": {f"pinyin, {vector['name']}": vector["keys"][rule] for vector in pinyin["texts"]},
        }
        for rule, parameters in pinyin["rules"].items()
    ]
    digests = {vector["name"]: vector["digest"] for vector in base["texts"]}
    return {"fold": base["fold"], "texts": texts, "digests": digests, "overlaps": base["overlaps"], "checks": checks}


def _recorded(name: str) -> Any:
    return json.loads(files("whorl").joinpath("vectors", f"{name}.json").read_text(encoding="utf-8"))


def selftest(vectors: Any = None) -> SelfTest:
    """Compare the fingerprints, digests and similarities of this installation with those of the specification.

    Args:
        vectors: other test vectors of the same form as `specified`.
    """
    recorded = vectors or specified()
    checks = (_digests(recorded), _similarities(recorded), *_methods(recorded))
    return SelfTest(versions(), not any(check.failures for check in checks), checks)


def _digests(recorded: Any) -> SelfCheck:
    digests = recorded["digests"]
    prints = Fingerprints.from_buffers(_core.exact([recorded["texts"][name] for name in digests]))
    values = [f"{high:016x}{low:016x}" for low, high in prints.digests.tolist()]
    failures = tuple(name for name, value in zip(digests, values, strict=True) if digests[name] != value)
    return SelfCheck("digest", {"fold": recorded["fold"]}, len(digests), failures)


def _similarities(recorded: Any) -> SelfCheck:
    failures = []
    for vector in recorded["overlaps"]:
        figure = overlap(recorded["texts"][vector["a"]], recorded["texts"][vector["b"]], vector["shingle"])
        if [figure.shared, figure.united] != vector["shared_and_united"]:
            failures.append(f"{vector['a']} / {vector['b']}")
    return SelfCheck("similarity", {}, len(recorded["overlaps"]), tuple(failures))


def _methods(recorded: Any) -> Iterator[SelfCheck]:
    for check in recorded["checks"]:
        method, parameters, expected = check["method"], check["parameters"], check["keys"]
        failures = tuple(
            name
            for name, keys in expected.items()
            if _keys(method, parameters, recorded["texts"][name]) != sorted(set(keys))
        )
        yield SelfCheck(method, parameters, len(expected), failures)


def _keys(method: str, parameters: dict[str, Any], text: str) -> list[str]:
    """Return the sorted keys of a text; the vectors of minhash name bands and rows, which the method derives."""
    if method == "minhash":
        sizes = (parameters[name] for name in ("shingle", "values", "bands", "rows"))
        prints = Fingerprints.from_buffers(_core.minhash([text], *sizes))
    else:
        prints = family(method, **parameters).fingerprint([text])
    return sorted({f"{key:016x}" for key in prints.keys.tolist()})


__all__ = ["SelfCheck", "SelfTest", "selftest", "specified"]
