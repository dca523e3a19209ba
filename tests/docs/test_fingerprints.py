"""The recipes for other databases run on real servers and find what a slow look-up finds."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from itertools import combinations
from typing import Any

import jsonschema_rs
import pytest
from tests.docs.test_readme import NEWSROOM, ROOT, blocks, run, transcripts
from tests.servers.shared import fresh, shared

import whorl

CHAPTERS = ("docs/FINGERPRINTS.md", "docs/FINGERPRINTS.zh-CN.md")
each_chapter = pytest.mark.parametrize("name", CHAPTERS)
RESULTS = (
    "pairs_polars", "duckdb_pairs", "copies_polars", "candidates", "redis_candidates", "mapping", "bulk", "search",
    "vector", "index", "query", "entities", "min_shared",
)  # fmt: skip
TAIL = """
pairs_polars, copies_polars = pairs.rows(), len(copies)
def plain(value):
    return value.hex() if isinstance(value, bytes) else value
Path("results.json").write_text(json.dumps({name: globals()[name] for name in RESULTS}, default=plain))
"""


@pytest.fixture(scope="module")
def prints() -> dict[str, set[int]]:
    rows = [json.loads(line) for line in NEWSROOM.read_text(encoding="utf-8").splitlines()]
    table = whorl.fingerprint(rows, "news", id="id").to_pylist()
    return {row["id"]: set(row["keys"]) for row in table}


@pytest.fixture(scope="module", params=CHAPTERS)
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Run the commands and recipes of a chapter, and return what they find and send."""
    folder = tmp_path_factory.mktemp("recipes")
    (folder / "examples").symlink_to(ROOT / "examples")
    for command, _ in transcripts(request.param):
        run(command, folder)
    fresh("postgresql")
    postgresql = shared("postgresql").fresh_database()  # type: ignore[attr-defined]
    program = "\n".join(blocks(request.param, "python"))
    program = program.replace("postgresql://localhost/news", postgresql)
    program = program.replace("redis://localhost:6379", fresh("redis"))
    run([sys.executable, "-c", f"RESULTS = {RESULTS}\n{program}{TAIL}"], folder)
    result: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return result


def slow_candidates(prints: dict[str, set[int]], keys: set[int], min_shared: int) -> dict[str, int]:
    """Return the documents with at least ``min_shared`` of the keys, looking at each of them."""
    holders = Counter(key for document in prints.values() for key in document)
    rare = {key for key in keys if holders[key] <= 64}
    counts = {id_: len(rare & document) for id_, document in prints.items()}
    return {id_: count for id_, count in counts.items() if count >= min_shared}


def test_recipes_find_what_a_slow_look_up_finds(results: dict[str, Any], prints: dict[str, set[int]]) -> None:
    expected = {
        (a, b, shared_keys)
        for a, b in combinations(sorted(prints), 2)
        if (shared_keys := slow_candidates({b: prints[b]}, prints[a], results["min_shared"]).get(b, 0))
    }
    assert len(expected) > 100
    assert set(map(tuple, results["pairs_polars"])) == expected
    assert set(map(tuple, results["duckdb_pairs"])) == expected
    assert 0 < results["copies_polars"] <= len(expected)

    text = "据悉，" + [json.loads(line)["text"] for line in NEWSROOM.read_text(encoding="utf-8").splitlines()][23]
    keys = set(whorl.fingerprint([text], "news")["keys"][0].as_py())
    candidates = slow_candidates(prints, keys, results["min_shared"])
    assert candidates
    assert dict(results["candidates"]) == dict(results["redis_candidates"]) == candidates
    terms = {int(key, 16) for key in results["search"]["query"]["terms_set"]["keys"]["terms"]}
    assert terms == keys


INTEGER = {"type": "integer", "minimum": 1}
KEYWORD = {
    "type": "object",
    "required": ["type"],
    "properties": {
        "type": {"const": "keyword"},
        "norms": {"type": "boolean"},
        "doc_values": {"type": "boolean"},
        "index_options": {"enum": ["docs", "freqs"]},
    },
    "additionalProperties": False,
}
MAPPING = {
    "type": "object",
    "required": ["mappings"],
    "properties": {
        "mappings": {"properties": {"properties": {"type": "object", "additionalProperties": KEYWORD}}},
        "settings": {"type": "object"},
    },
    "additionalProperties": False,
}
SEARCH = {
    "type": "object",
    "required": ["query"],
    "properties": {
        "size": {"type": "integer", "maximum": 10_000},
        "_source": {"type": "array", "items": {"type": "string"}},
        "query": {
            "required": ["terms_set"],
            "properties": {
                "terms_set": {
                    "minProperties": 1,
                    "maxProperties": 1,
                    "additionalProperties": {
                        "required": ["terms", "minimum_should_match_script"],
                        "properties": {
                            "terms": {"type": "array", "items": {"type": "string", "pattern": "^[0-9a-f]{16}$"}},
                            "minimum_should_match_script": {
                                "required": ["source"],
                                "properties": {"source": {"type": "string"}, "params": {"type": "object"}},
                                "additionalProperties": False,
                            },
                        },
                        "additionalProperties": False,
                    },
                }
            },
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}
INDEX = {
    "type": "object",
    "required": ["field_name", "index_type", "metric_type", "params"],
    "properties": {
        "field_name": {"type": "string"},
        "index_type": {"const": "MINHASH_LSH"},
        "metric_type": {"const": "MHJACCARD"},
        "params": {
            "required": ["mh_element_bit_width", "mh_lsh_band"],
            "properties": {
                "mh_element_bit_width": {"enum": [8, 16, 32, 64]},
                "mh_lsh_band": INTEGER,
                "mh_lsh_code_in_mem": {"type": "boolean"},
                "with_raw_data": {"type": "boolean"},
            },
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}


def test_requests_to_search_engines_have_the_documented_form(
    results: dict[str, Any], prints: dict[str, set[int]]
) -> None:
    jsonschema_rs.validate(MAPPING, results["mapping"])
    jsonschema_rs.validate(SEARCH, results["search"])
    script = results["search"]["query"]["terms_set"]["keys"]["minimum_should_match_script"]
    (parameter,) = re.findall(r"^params\.(\w+)$", script["source"])
    assert script["params"] == {parameter: results["min_shared"]}
    actions, documents = results["bulk"][::2], results["bulk"][1::2]
    assert [action["index"]["_id"] for action in actions] == [document["id"] for document in documents] == list(prints)
    assert {document["id"]: {int(key, 16) for key in document["keys"]} for document in documents} == prints
    assert set(documents[0]) == set(results["mapping"]["mappings"]["properties"])


def test_signatures_fit_the_index_of_milvus(results: dict[str, Any]) -> None:
    jsonschema_rs.validate(INDEX, results["index"])
    parameters, bits = results["index"]["params"], results["vector"]["dim"]
    assert results["vector"]["field_name"] == results["index"]["field_name"]
    values, remainder = divmod(bits, parameters["mh_element_bit_width"])
    assert (remainder, values % parameters["mh_lsh_band"]) == (0, 0)
    signatures = {entity["id"]: bytes.fromhex(entity["signature"]) for entity in results["entities"]}
    query = bytes.fromhex(results["query"][0])
    assert {len(signature) * 8 for signature in (*signatures.values(), query)} == {bits}

    def bands(signature: bytes) -> list[bytes]:
        width = len(signature) // parameters["mh_lsh_band"]
        return [signature[start : start + width] for start in range(0, len(signature), width)]

    shared_bands = {id_: sum(map(bytes.__eq__, bands(query), bands(other))) for id_, other in signatures.items()}
    row = json.loads(NEWSROOM.read_text(encoding="utf-8").splitlines()[23])
    assert shared_bands[row["id"]] == max(shared_bands.values()) > 16


def test_both_languages_show_the_same() -> None:
    english, chinese = map(blocks, CHAPTERS)
    assert english == chinese


@each_chapter
def test_every_column_and_option_is_documented(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w-]+)`", text))
    assert {"id", "file", "row", "digest", "length", "keys", "signature", "uint64", "int64", "hex"} <= named
