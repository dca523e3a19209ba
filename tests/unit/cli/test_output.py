"""What commands print of texts is what stands in them."""

from pathlib import Path

import pytest

from whorl.cli import main
from whorl.cli.ui.output import print_view
from whorl.reports.tables import new_table


def test_codes_of_markup_and_emoji_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    table = new_table("title")
    table.add_row("[bold]Fire at the harbour[/bold] :fire:")
    print_view(table)
    assert "[bold]Fire at the harbour[/bold] :fire:" in capsys.readouterr().out


@pytest.mark.parametrize(("forced", "framed"), [("", False), ("1", True)])
def test_a_summary_is_framed_only_where_someone_looks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, forced: str, framed: bool
) -> None:
    monkeypatch.setenv("FORCE_COLOR", forced)
    articles = tmp_path / "articles.jsonl"
    articles.write_text('{"id": "a", "text": "The council reopened the harbour on Monday after repairs."}\n' * 2)
    with pytest.raises(SystemExit) as ended:
        main(["dedup", str(articles), "-o", str(tmp_path / "out")])
    assert not ended.value.code
    printed = capsys.readouterr().out
    assert ("╭" in printed) == framed
    assert "report.html" in printed
