"""What a page says of itself changes neither whose an article is nor who may reprint it."""

import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.articles import article
from tests.unit.monitor.test_parts import OURS
from tests.unit.monitor.test_saved import AT, page, record

import whorl
from whorl.monitor.watching import watch
from whorl.results import Permission, WatchRun

HOST = "https://shared.example"


def crawled(folder: Path, **bodies: bytes) -> Path:
    """An archive of pages that came from these paths of a host."""
    path = folder / f"{len(list(folder.iterdir()))}.warc"
    records = (record(f"{HOST}/{name.replace('__', '/')}.html", body) for name, body in bodies.items())
    path.write_bytes(b"".join(records))
    return path


def ours(folder: Path, **fields: Any) -> Path:
    with whorl.open(folder / "library") as opened:
        opened.add({"id": "ours", "text": OURS, "title": "渡口", "collection": "protected"} | fields)
    return folder / "library"


def verdicts(run: WatchRun) -> dict[str, str]:
    return {finding.url: finding.verdict for finding in run.found}


def canonical(url: str) -> str:
    return f'<link rel="canonical" href="{url}">'


def test_a_canonical_link_never_names_a_neighbour(tmp_path: Path) -> None:
    library, neighbour = ours(tmp_path), f"{HOST}/alice/1.html"
    stolen = page(OURS, head=canonical(neighbour))
    run = watch(library, saved=crawled(tmp_path, mallory__a=stolen))
    assert verdicts(run) == {f"{HOST}/mallory/a.html": "copy"}
    (finding,) = run.found
    packed = whorl.evidence.pack_evidence(library, finding.document, "ours", tmp_path / "pack.zip", pdf=False)
    with zipfile.ZipFile(packed.path) as pack:
        assert "alice" not in pack.read("report.html").decode()
        assert pack.read("match.json")
    assert finding.document == f"{HOST}/mallory/a.html"
    run = watch(library, saved=crawled(tmp_path, alice__1=page(article(9, 600)), mallory__b=stolen))
    assert verdicts(run) == {f"{HOST}/mallory/{name}.html": "copy" for name in "ab"}
    with whorl.open(library) as opened:
        innocent = opened.get(neighbour)
        assert innocent is not None
        assert OURS[:50] not in innocent.text


@pytest.mark.parametrize(
    ("id", "url"),
    [
        (f"{HOST}/own/1.html", f"{HOST}/own/1.html"),
        (f"{HOST}/own/1.html", None),
        ("ours", f"{HOST}/own/1.html"),
        ("ours", "http://www.shared.example/own/1.html?utm_source=mail"),
    ],
)
def test_an_own_article_stays_protected_and_is_no_copy_where_a_watched_host_carries_it(
    id: str, url: str | None, tmp_path: Path
) -> None:
    library = ours(tmp_path, id=id, url=url, author="我们")
    bodies = {"own__1": page(OURS), "copy": page(OURS[:400])}
    for _ in range(2):
        run = watch(library, saved=crawled(tmp_path, **bodies))
        assert verdicts(run) == {f"{HOST}/copy.html": "copy"}
        with whorl.open(library) as opened:
            assert opened.collections() == {"protected": 1, "watched": 1}
            article = opened.get(id)
            assert article is not None
            assert (article.collection, article.author, article.title) == ("protected", "我们", "渡口")
            assert opened.pages.at(f"{HOST}/own/1.html")  # it is kept as it was all the same
        bodies["own__1"] = page(OURS + "更正：昨日的报道有误。")


def test_a_page_that_claims_the_address_of_a_protected_article_is_a_copy_of_it(tmp_path: Path) -> None:
    our_url = f"{HOST}/own/1.html"
    library = ours(tmp_path, id=our_url, url=our_url)
    run = watch(library, saved=crawled(tmp_path, evil=page(OURS, head=canonical(our_url))))
    assert verdicts(run) == {f"{HOST}/evil.html": "copy"}
    saved = tmp_path / "saved"
    saved.mkdir()
    (saved / "1.html").write_bytes(page(OURS, head=canonical(our_url)))
    run = watch(library, saved=saved)
    assert verdicts(run) == {f"{HOST}/evil.html": "copy", "saved/1.html:1": "copy"}
    with whorl.open(library) as opened:
        assert opened.collections() == {"protected": 1, "watched": 2}
        kept = opened.get(our_url)
        assert kept is not None
        assert (kept.collection, kept.title) == ("protected", "渡口")


def test_a_document_of_another_collection_is_not_taken_over(tmp_path: Path) -> None:
    library, url = ours(tmp_path), f"{HOST}/a.html"
    with whorl.open(library) as opened:
        opened.add({"id": url, "text": article(9, 300), "url": url, "collection": "archive"})
    for _ in range(2):
        assert verdicts(watch(library, saved=crawled(tmp_path, a=page(OURS)))) == {url: "copy"}
        with whorl.open(library) as opened:
            assert opened.collections() == {"protected": 1, "archive": 1, "watched": 1}


@pytest.mark.parametrize(
    ("head", "permission", "verdict"),
    [
        (canonical(f"{HOST}/partner/a.html"), Permission("shared.example", "/partner"), "copy"),
        ('<meta name="author" content="王合作">', Permission("shared.example", author="王合作"), "undetermined"),
        ('<meta name="author" content="别人">', Permission("shared.example", author="王合作"), "copy"),
        (
            '<meta property="article:published_time" content="2019-06-01T00:00:00+08:00">',
            Permission("shared.example", until="2020-01-01"),
            "undetermined",
        ),
        ("", Permission("shared.example", until="2020-01-01"), "copy"),
        ("", Permission("shared.example", since=AT, until="2026-03-06"), "reprint"),
        (
            '<meta property="article:published_time" content="2019-06-01T00:00:00+08:00">',
            Permission("shared.example", since="2020-01-01"),
            "reprint",
        ),
    ],
)
def test_no_claim_of_a_page_gives_it_a_permission(
    head: str, permission: Permission, verdict: str, tmp_path: Path
) -> None:
    library = ours(tmp_path)
    with whorl.open(library) as opened:
        opened.permissions.put([permission])
    run = watch(library, saved=crawled(tmp_path, x__a=page(OURS, head=head)))
    assert verdicts(run) == {f"{HOST}/x/a.html": verdict}


@pytest.mark.parametrize(
    ("text", "verdict"), [(OURS, "copy"), (f"{OURS}编辑：赵二。", "copy"), (article(9, 900) + OURS, "undetermined")]
)
def test_a_copy_that_states_an_earlier_date_later_stays_one(text: str, verdict: str, tmp_path: Path) -> None:
    """The address of another text is no evidence against the date of the copy."""
    library = ours(tmp_path, published_at="2026-03-04T08:00+08:00", first_seen_at="2026-03-04T09:00+08:00")
    first = OURS if verdict == "copy" else article(8, 600)
    for written, body in (("2026-03-05T08:00:00+08:00", first), ("2026-03-01T08:00:00+08:00", text)) * 2:
        head = f'<meta property="article:published_time" content="{written}">'
        run = watch(library, saved=crawled(tmp_path, a=page(body, head=head)))
    assert verdicts(run) == {f"{HOST}/a.html": verdict}


def test_a_file_that_claims_the_address_of_a_partner_has_no_permission_by_that(tmp_path: Path) -> None:
    library, saved = ours(tmp_path), tmp_path / "saved"
    with whorl.open(library) as opened:
        opened.permissions.put([Permission("partner.example")])
        opened.sites.put([{"domain": "friend.example", "authorised": True}])
    saved.mkdir()
    for number, host in enumerate(("partner", "friend", "other")):
        head = canonical(f"https://{host}.example/1")
        (saved / f"{number}.html").write_bytes(page(OURS + "完" * number, head=head))
    assert {url.split(".")[0]: verdict for url, verdict in verdicts(watch(library, saved=saved)).items()} == {
        "https://partner": "undetermined",
        "https://friend": "undetermined",
        "https://other": "copy",
    }


def test_a_reprint_of_the_time_of_a_permission_stays_one_when_its_page_changes_later(tmp_path: Path) -> None:
    library = ours(tmp_path)
    with whorl.open(library) as opened:
        opened.permissions.put([Permission("shared.example", until="2026-03-06")])
    first = crawled(tmp_path, a=page(OURS))
    assert verdicts(watch(library, saved=first)) == {f"{HOST}/a.html": "reprint"}
    later = tmp_path / "later.warc"
    changed = crawled(tmp_path, a=page(OURS + "广告。"), b=page(OURS)).read_bytes()
    later.write_bytes(changed.replace(b"WARC-Date: 2026-03-05", b"WARC-Date: 2027-03-05"))
    assert verdicts(watch(library, saved=later)) == {f"{HOST}/a.html": "reprint", f"{HOST}/b.html": "copy"}
