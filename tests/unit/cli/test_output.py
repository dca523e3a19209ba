"""What commands print of texts is what stands in them."""

import pytest

from whorl.cli.ui.output import print_view
from whorl.reports.tables import new_table


def test_codes_of_markup_and_emoji_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    table = new_table("title")
    table.add_row("[bold]Fire at the harbour[/bold] :fire:")
    print_view(table)
    assert "[bold]Fire at the harbour[/bold] :fire:" in capsys.readouterr().out
