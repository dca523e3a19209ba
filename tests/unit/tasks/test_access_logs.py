"""Access logs show when an article was first served to a crawler."""

import gzip
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from whorl.errors import InputError, UsageError
from whorl.library.provenance.access_logs import crawler_of, read_line
from whorl.tasks.library.access_logs import import_access_logs

BAIDU = "Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)"
READER = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"
HOST = "paper.example"
TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，天不亮便可以再出海。"


def line(
    path: str = "/n/1", at: str = "05/Mar/2026:08:00:00 +0800", status: int = 200, agent: str = BAIDU, **rest: str
) -> str:
    before = rest.get("before", "192.0.2.1 - -")
    return f'{before} [{at}] "{rest.get("method", "GET")} {path} HTTP/1.1" {status} 5120 "-" "{agent}"'


@pytest.fixture
def library(tmp_path: Path) -> Path:
    with whorl.open(tmp_path / "library") as opened:
        opened.add(
            [
                {"id": "one", "text": TEXT, "url": f"https://www.{HOST}/n/1"},
                {"id": "two", "text": TEXT + "后来又添了一台。", "url": f"https://{HOST}/a.php?id=2"},
                {"id": "three", "text": TEXT + "冰是海水做的。", "url": f"https://{HOST}/新闻/3/"},
            ]
        )
    return tmp_path / "library"


def logged(folder: Path, *lines: str) -> Path:
    path = folder / "access.log"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def attested(library: Path) -> dict[str, list[datetime]]:
    with whorl.open(library) as opened:
        return {
            id: times
            for id in opened.ids()
            if (times := [attestation.at for attestation in opened.attestations.of(id)])
        }


def test_the_first_time_that_a_crawler_was_served_is_attested(library: Path, tmp_path: Path) -> None:
    log = logged(
        tmp_path,
        line(at="06/Mar/2026:08:00:00 +0800"),
        line(at="05/Mar/2026:09:00:00 +0800", status=304),
        line(at="05/Mar/2026:02:30:00 +0000"),
        line(at="01/Mar/2026:08:00:00 +0800", status=404),
        line(at="01/Mar/2026:08:00:00 +0800", agent=READER),
        line(at="01/Mar/2026:08:00:00 +0800", method="POST"),
        line("/a.php?id=2&utm_source=feed", before="www.paper.example:443 192.0.2.1 - wang"),
        line("/a.php?id=3"),
        line("/%E6%96%B0%E9%97%BB/3"),
        line("https://other.example/n/1"),
        "no line of a log",
        "",
        line(at="31/Feb/2026:08:00:00 +0800"),
    )
    result = import_access_logs(library, [log], host=HOST, by="mei")
    assert (result.lines, result.served, result.failed, result.unknown, result.others) == (12, 5, 2, 2, 1)
    assert (result.rejected, result.articles) == (2, 3)
    assert [(rejection.line, rejection.text[:7]) for rejection in result.rejects] == [(11, "no line"), (13, "192.0.2")]
    assert attested(library) == {
        "one": [datetime(2026, 3, 5, 1, tzinfo=UTC)],
        "two": [datetime(2026, 3, 5, 0, tzinfo=UTC)],
        "three": [datetime(2026, 3, 5, 0, tzinfo=UTC)],
    }
    with whorl.open(library) as opened:
        (attestation,) = opened.attestations.of("one")
        assert (attestation.kind, attestation.by, attestation.note) == (
            "server-log",
            "mei",
            "Baiduspider: GET /n/1 304",
        )


def test_an_import_can_be_repeated_and_an_earlier_log_adds_an_attestation(library: Path, tmp_path: Path) -> None:
    log = logged(tmp_path, line())
    assert import_access_logs(library, [log], host=HOST).articles == 1
    assert import_access_logs(library, [log], host=HOST).articles == 0
    packed = tmp_path / "access.log.1.gz"
    packed.write_bytes(gzip.compress(line(at="04/Mar/2026:23:00:00 +0800").encode()))
    assert import_access_logs(library, [log, packed], host=HOST).articles == 1
    assert len(attested(library)["one"]) == 2


def test_an_attestation_decides_who_was_first(library: Path, tmp_path: Path) -> None:
    with whorl.open(library) as opened:
        opened.add({"id": "thief", "text": TEXT, "url": "https://thief.example/1", "published_at": "2026-01-01"})
    import_access_logs(library, [logged(tmp_path, line())], host=HOST)
    with whorl.open(library) as opened:
        attribution = whorl.library.trace(opened, opened.report("one").cluster_id).attribution
    assert "one" in attribution.originals


def test_what_is_no_log_is_an_error(library: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not an access log"):
        import_access_logs(library, [logged(tmp_path, "{}", "{}")], host=HOST)
    with pytest.raises(InputError, match="cannot read"):
        import_access_logs(library, [tmp_path / "none.log"], host=HOST)
    with pytest.raises(UsageError, match="not a domain"):
        import_access_logs(library, [logged(tmp_path, line())], host="a b")
    assert attested(library) == {}
    assert import_access_logs(library, [logged(tmp_path, "")], host=HOST).lines == 0


@pytest.mark.parametrize(
    "text",
    [
        line().replace(f' "-" "{BAIDU}"', ""),
        line() + ' "203.0.113.9" 0.012',
        line(agent='a \\"quoted\\" Baiduspider'),
        line(before="::1 - user name"),
    ],
)
def test_variants_of_the_format_are_read(text: str) -> None:
    request = read_line(text)
    assert request is not None
    assert (request.path, request.status, request.is_served) == ("/n/1", 200, True)


@given(st.text(max_size=300))
def test_no_line_breaks_the_parser(text: str) -> None:
    request = read_line(text)
    assert request is None or request.at.tzinfo is not None
    crawler_of(text)
