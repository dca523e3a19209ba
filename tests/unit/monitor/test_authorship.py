"""A byline is text: only a known site or account of an author makes a page a post of the author."""

from pathlib import Path
from typing import Any

import pytest
from tests.unit.monitor.test_lies import crawled, ours, verdicts
from tests.unit.monitor.test_parts import OURS
from tests.unit.monitor.test_saved import page

import whorl
from whorl.monitor.watching import watch
from whorl.results import Account
from whorl.tasks.review.run import review, review_queue

AUTHOR = "王小渡"
BEFORE = {"published_at": "2026-03-01T08:00:00+08:00", "first_seen_at": "2026-03-01T09:00:00+08:00"}
HOST = "https://shared.example"
HEADS = {
    "meta": f'<meta name="author" content="{AUTHOR}">',
    "og": f'<meta property="article:author" content="{AUTHOR}">',
    "data": f'<script type="application/ld+json">{{"@type": "NewsArticle", "author": {{"name": "{AUTHOR}"}}}}</script>',
}
BODIES = {"line": f"作者：{AUTHOR}\n{OURS}", "byline": f"{OURS}\n（文/{AUTHOR}）", "link": OURS}
FORMS = ("meta", "og", "data", "line", "byline", "link")


def stolen(form: str) -> bytes:
    body = page(BODIES.get(form, OURS), head=HEADS.get(form, ""))
    link = f'<a rel="author" href="/about">{AUTHOR}</a>'.encode()
    return body.replace(b"</body>", link + b"</body>") if form == "link" else body


@pytest.mark.parametrize("form", FORMS)
def test_a_thief_who_keeps_the_byline_is_a_copier(form: str, tmp_path: Path) -> None:
    library = ours(tmp_path, author=AUTHOR, **BEFORE)
    with whorl.open(library) as opened:
        opened.accounts.put([Account(AUTHOR, "wang.example")])
    run = watch(library, saved=crawled(tmp_path, a=stolen(form)))
    assert verdicts(run) == {f"{HOST}/a.html": "copy"}
    with whorl.open(library) as opened:
        report = opened.report("ours")
        attribution = whorl.library.trace(opened, report.cluster_id).attribution
        assert {member.id: member.role for member in attribution.members} == {
            "ours": "original",
            f"{HOST}/a.html": "copy",
        }
        assert not any(waiting.is_by_author for waiting in review_queue(opened).matches)


def test_a_thief_in_a_table_with_a_column_of_authors_is_a_copier(tmp_path: Path) -> None:
    with whorl.open(tmp_path / "columns") as library:
        rows = [
            {"id": "ours", "text": OURS, "author": AUTHOR, "published_at": "2026-03-05", "collection": "protected"},
            {"id": "thief", "text": OURS, "author": AUTHOR, "published_at": "2026-03-05T20:00", "url": f"{HOST}/a"},
        ]
        library.add(rows)
        attribution = whorl.library.trace(library, library.report("ours").cluster_id).attribution
        assert attribution["thief"].role == "copy"


@pytest.mark.parametrize(
    ("account", "verdict"),
    [
        ({"domain": "shared.example"}, "syndication"),
        ({"domain": "shared.example", "path": "/u/wang"}, "syndication"),
        ({"domain": "shared.example", "path": "/u/li"}, "copy"),
        ({"domain": "shared.example", "path": "/u/wan"}, "copy"),
        ({"domain": "other.example"}, "copy"),
        ({"domain": "shared.example", "author": "李别人"}, "copy"),
        ({"domain": "shared.example", "name": "渡口夜话"}, "copy"),
    ],
)
def test_a_known_account_of_the_author_is_no_copier(account: dict[str, Any], verdict: str, tmp_path: Path) -> None:
    library = ours(tmp_path, author=f"{AUTHOR}、李船工", **BEFORE)
    with whorl.open(library) as opened:
        opened.accounts.put([{"author": AUTHOR} | account])
    run = watch(library, saved=crawled(tmp_path, u__wang__7=page(OURS)))
    assert verdicts(run) == {f"{HOST}/u/wang/7.html": verdict}
    is_own = verdict == "syndication"
    assert (run.sites[0].found.syndicated, run.sites[0].found.copies) == (int(is_own), int(not is_own))
    with whorl.open(library) as opened:
        attribution = whorl.library.trace(opened, opened.report("ours").cluster_id).attribution
        assert attribution[f"{HOST}/u/wang/7.html"].role == verdict
        (waiting,) = review_queue(opened).matches
        assert waiting.is_by_author is is_own


def test_a_platform_account_is_known_by_the_name_that_the_platform_states(tmp_path: Path) -> None:
    library = ours(tmp_path, author=AUTHOR, **BEFORE)
    with whorl.open(library) as opened:
        opened.accounts.put([Account(AUTHOR, "shared.example", name="渡口夜话")])
    script = '<script>var ct = "1772690000"; var nickname = "{}";</script>'
    bodies = {"own": page(OURS, head=script.format("渡口夜话")), "thief": page(OURS, head=script.format("搬运工"))}
    run = watch(library, saved=crawled(tmp_path, **bodies))
    assert verdicts(run) == {f"{HOST}/own.html": "syndication", f"{HOST}/thief.html": "copy"}


def test_the_address_in_a_file_makes_no_page_a_post_of_the_author(tmp_path: Path) -> None:
    library, saved = ours(tmp_path, author=AUTHOR), tmp_path / "saved"
    with whorl.open(library) as opened:
        opened.accounts.put([Account(AUTHOR, "wang.example")])
    saved.mkdir()
    head = '<link rel="canonical" href="https://wang.example/1">'
    (saved / "1.html").write_bytes(page(OURS, head=head))
    assert set(verdicts(watch(library, saved=saved)).values()) == {"copy"}


def test_a_decision_outweighs_a_known_account(tmp_path: Path) -> None:
    library, archive = ours(tmp_path, author=AUTHOR), crawled(tmp_path, a=page(OURS))
    with whorl.open(library) as opened:
        opened.accounts.put([Account(AUTHOR, "shared.example")])
    assert verdicts(watch(library, saved=archive)) == {f"{HOST}/a.html": "syndication"}
    review(library, f"{HOST}/a.html", "ours", "confirmed", by="mei")
    assert verdicts(watch(library, saved=crawled(tmp_path, a=page(OURS)))) == {f"{HOST}/a.html": "copy"}


@pytest.mark.parametrize("form", ["meta", "data"])
def test_where_an_author_was_read_is_recorded(form: str, tmp_path: Path) -> None:
    library = ours(tmp_path)
    watch(library, saved=crawled(tmp_path, a=stolen(form), b=page(OURS, foot=f"<p>作者：{AUTHOR}</p>")))
    with whorl.open(library) as opened:
        metadata = {name: opened.get(f"{HOST}/{name}.html") for name in "ab"}
        read = {
            name: (document.author, document.metadata["author_from"]) for name, document in metadata.items() if document
        }
    assert read == {"a": (AUTHOR, "page"), "b": (AUTHOR, "text")}


def test_a_date_before_the_stated_one_but_after_the_first_sighting_is_not_earlier(tmp_path: Path) -> None:
    head = '<meta property="article:published_time" content="2026-03-03T00:00:00+08:00">'
    library = ours(tmp_path, published_at="2026-03-05T08:00:00+08:00", first_seen_at="2026-03-01T08:00:00+08:00")
    assert set(verdicts(watch(library, saved=crawled(tmp_path, a=page(OURS, head=head)))).values()) == {"copy"}
