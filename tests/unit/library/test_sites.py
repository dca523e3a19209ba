"""Sites, reprint permissions, and attestations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import whorl
from whorl.errors import InputError, NotFoundError, UsageError
from whorl.results import Attestation, Permission, Site

TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[whorl.Library]:
    with whorl.open(tmp_path / "library") as opened:
        yield opened


def test_a_site_is_found_by_the_longest_domain(library: whorl.Library) -> None:
    sites = [Site("example.org", "all"), {"domain": "https://News.Example.org:8080/a", "name": "news", "trust": 1}]
    assert library.sites.put(sites) == 2
    assert [site.domain for site in library.sites] == ["example.org", "news.example.org"]
    answers = {
        host: getattr(library.sites.of(host), "name", None)
        for host in ("http://a.news.example.org/x", "EXAMPLE.ORG.", "notexample.org", "org", "", "a b")
    }
    assert list(answers.values()) == ["news", "all", None, None, None, None]


def test_all_that_is_told_of_a_site_comes_back_and_takes_the_place_of_what_was(library: whorl.Library) -> None:
    site = Site("xn--fsqu00a.cn", "例子", 0.25, datetime(2003, 4, 5, tzinfo=UTC), timedelta(hours=6), authorised=True)
    library.sites.put([Site("例子.CN")])
    library.sites.put([site.to_dict() | {"domain": "例子.cn"}])
    assert list(library.sites) == [site]
    library.sites.put([{"domain": "例子.cn", "update_cycle": "2d"}])
    assert library.sites.of("例子.cn") == Site("xn--fsqu00a.cn", update_cycle=timedelta(days=2))
    assert (library.sites.remove(["例子.cn", "b.cn"]), len(library.sites)) == (1, 0)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"domain": "a.org", "trust": 1.5}, "invalid trust of Site: 1.5"),
        ({"domain": "a.org", "trust": True}, "trust"),
        ({"domain": "a.org", "trust": float("nan")}, "trust"),
        ({"domain": "a b"}, "'a b' is not a domain"),
        ({"name": "a"}, "Site lacks domain"),
        ({"domain": "a.org", "turst": 1}, "no field 'turst'"),
        ({"domain": "a.org", "update_cycle": -1}, "update_cycle"),
        ({"domain": "a.org", "update_cycle": 1e300}, "update_cycle"),
        ({"domain": "a.org", "since": "soon"}, "since of Site is not a valid time: 'soon'"),
        ({"domain": "a.org", "authorised": "yes"}, "authorised"),
        ({"domain": "a.org", "name": "x" * 20_000}, "name"),
        (7, "expected Site, got int"),
    ],
)
def test_what_is_no_site_is_refused_and_nothing_kept(library: whorl.Library, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        library.sites.put([Site("b.org"), value])
    assert caught.value.hint
    assert len(library.sites) == 0


@pytest.mark.parametrize("value", ["a.org", Site("a.org").to_dict(), 7])
def test_one_is_not_several(library: whorl.Library, value: Any) -> None:
    with pytest.raises(UsageError, match="expected a list"):
        library.sites.put(value)


def test_leave_is_by_domain_path_author_and_time(library: whorl.Library) -> None:
    permissions = [
        Permission("example.org", "/reprints/", since=datetime(2026, 1, 1, tzinfo=UTC), note="contract"),
        Permission("example.org", author="小王"),
        {"domain": "example.org", "path": "reprints", "until": "2020-01-01", "note": "old"},
    ]
    assert library.permissions.put(permissions) == 3

    def note(url: str, at: str = "2026-05-01", author: str = "") -> str | None:
        permission = library.permissions.covering(url, at=at, author=author)
        return None if permission is None else permission.note or permission.author

    assert note("https://www.example.org/reprints/a?b#c") == "contract"
    assert note("https://example.org/reprints") == "contract"
    assert note("https://example.org/reprints-of-others/a") is None
    assert note("https://example.org/reprints/a", at="2025-12-31") is None
    assert note("https://example.org/reprints/a", at="2019-12-31") == "old"
    assert note("https://example.org/reprints/a", at="2020-01-01") is None
    assert note("https://example.org/other", author="小王") == "小王"
    assert note("https://example.com/reprints/a") is None
    assert library.permissions.remove([Permission("example.org", author="小王"), Permission("example.org")]) == 1
    assert [permission.note for permission in library.permissions] == ["old", "contract"]
    assert library.permissions.put([Permission("example.org", "/reprints", note="new")]) == 1
    assert [permission.note for permission in library.permissions] == ["new", "contract"]


def test_attestations_belong_to_documents(library: whorl.Library) -> None:
    library.add([{"id": "a", "text": TEXT}, {"id": "b", "text": TEXT}])
    attestation = Attestation("a", "server-log", datetime(2026, 3, 5, tzinfo=UTC), "access.log:17", "编辑")
    earlier = {"document": "a", "kind": "print", "at": "2026-03-04"}
    assert library.attestations.put([attestation, earlier, {"document": "b", "kind": "print", "at": "2026-03-04"}]) == 3
    assert library.attestations.put([attestation]) == 1
    assert [record.kind for record in library.attestations.of("a")] == ["print", "server-log"]
    assert library.attestations.of("a")[1] == replace(attestation, at_precision="second", at_zone="+00:00")
    assert len(library.attestations) == 3
    with pytest.raises(NotFoundError, match="document 'c' not found"):
        library.attestations.put(
            [{"document": "b", "kind": "x", "at": "2026"}, {"document": "c", "kind": "x", "at": "2026"}]
        )
    with pytest.raises(InputError, match="at"):
        library.attestations.put([{"document": "a", "kind": "x", "at": ""}])
    library.remove("a")
    assert [record.document for record in library.attestations] == ["b"]
