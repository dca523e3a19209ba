"""C2PA manifests in texts are recognized and named; they are no trick and change no result."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.articles import article, c2pa_manifest
from tests.runs import whorl as run

import whorl
from whorl.results import Flag

MANIFEST = c2pa_manifest(bytes(range(256)) * 4)
ZERO_WIDTH = "\u200b"


@pytest.mark.parametrize("place", [0, 90, 200])
def test_a_manifest_is_no_hidden_text(place: int) -> None:
    result = whorl.compare(article(1), article(1)[:place] + MANIFEST + article(1)[place:])
    assert result.flags == (Flag("manifest", "b", len(MANIFEST)),)
    assert (result.relation, result.copied) == ("exact", (1.0, 1.0))


def test_both_texts_and_other_invisible_characters() -> None:
    result = whorl.compare(article(1) + MANIFEST, article(1)[:90] + ZERO_WIDTH + article(1)[90:] + MANIFEST)
    expected = {("hidden", "b", 1), ("manifest", "a", len(MANIFEST)), ("manifest", "b", len(MANIFEST))}
    assert {(flag.kind, flag.text, flag.count) for flag in result.flags} == expected


def test_what_only_begins_like_a_manifest_is_hidden_text() -> None:
    (flag,) = whorl.compare(article(1), article(1) + MANIFEST[:-1]).flags
    assert (flag.kind, flag.text) == ("hidden", "b")


def test_a_manifest_changes_no_fingerprint_and_stays_in_kept_documents() -> None:
    for method in ("minhash", "news", "exact"):
        plain, signed = whorl.fingerprint([article(1), article(1) + MANIFEST], method, iscc=256).to_pylist()
        assert plain == signed
    assert whorl.dedup([article(1) + MANIFEST, article(2)]).kept[0] == article(1) + MANIFEST


def test_the_command_names_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(article(1), encoding="utf-8")
    (tmp_path / "b.txt").write_text(article(1) + MANIFEST, encoding="utf-8")
    ended = run("compare", tmp_path / "a.txt", tmp_path / "b.txt")
    assert ended.code == 0, ended.error
    assert "C2PA manifest" in ended.out
    assert "invisible characters:" not in ended.out
