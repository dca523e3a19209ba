"""The method `content`: rewritten articles are found and linked, and never removed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rewritten import OTHER_YEAR, REPORT, REWRITE, REWRITES

import whorl
from whorl.fingerprints import family, keys

each_rewrite = pytest.mark.parametrize(("source", "rewrite"), REWRITES, ids=["zh", "en"])


@each_rewrite
def test_a_rewrite_shares_keys_with_its_source(source: str, rewrite: str) -> None:
    content = family("content")
    assert len(keys(content, source) & keys(content, rewrite)) >= 2 * content.min_shared


@each_rewrite
def test_a_rewrite_is_linked_and_not_removed(source: str, rewrite: str) -> None:
    result = whorl.dedup([source, rewrite, OTHER_YEAR], method="content")
    assert result.duplicates.num_rows == 0
    [link] = result.related.to_pylist()
    assert (link["relation"], link["copied"]) == ("reworded", 0.0)
    assert link["reworded"] >= 0.5


@pytest.mark.parametrize("method", ["minhash", "news", "info"])
def test_other_methods_link_copied_text_only(method: str) -> None:
    assert whorl.dedup([REPORT, REWRITE], method=method).related.num_rows == 0


@each_rewrite
def test_a_copy_is_still_removed(source: str, rewrite: str) -> None:
    result = whorl.dedup([source, rewrite, source + "\n本报讯"], method="content")
    assert result.duplicates["id"].to_pylist() == ["0"]


@each_rewrite
def test_a_library_matches_a_rewrite_and_keeps_the_clusters_apart(source: str, rewrite: str, tmp_path: Path) -> None:
    with whorl.open(tmp_path / "library", recipe=whorl.Recipe(method="content")) as library:
        library.add([{"id": "source", "text": source}, {"id": "other", "text": OTHER_YEAR}])
        [report] = library.add_each([{"id": "rewrite", "text": rewrite}])
        assert [(match.id, match.relation) for match in report.matches] == [("source", "reworded")]
        assert library.compare("rewrite", "source").relation == "reworded"
        assert library.cluster(report.cluster_id).documents == ("rewrite",)
