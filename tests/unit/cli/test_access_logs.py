"""`whorl library access-log` attests first publication, and counts what it read."""

from pathlib import Path

from tests.unit.cli.conftest import Invoke
from tests.unit.tasks.test_access_logs import HOST, library, line, logged

__all__ = ["library"]


def test_the_command_counts_what_it_read(library: Path, tmp_path: Path, invoke: Invoke) -> None:
    log = logged(tmp_path, line(), line(agent="OurCrawler/1.0", path="/a.php?id=2"), "garbage")
    result = invoke("library", "access-log", library, log, "--host", HOST, "--crawler", "OurCrawler")
    assert "2 articles attested" in result.output
    assert "1 line cannot be parsed" in result.output
    data = invoke("library", "access-log", library, log, "--host", HOST, "--json")
    assert '"rejected":1' in data.output.replace(" ", "")
