"""The recording of the terminal is of real commands, in both languages, and loads no resources."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.docs.test_readme import ROOT


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_a_recording_shows_what_commands_print(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(ROOT / "scripts" / "recording.py"), str(tmp_path)], check=True)
    for language, expected in (("en", "articles, 47 (51.6"), ("zh", "篇中删去")):
        recording = ET.parse(tmp_path / f"terminal.{language}.svg")
        text = "".join(element.text or "" for element in recording.iter("{http://www.w3.org/2000/svg}text"))
        assert "whorl show clean nr-024" in text
        assert expected in text
        assert not [name for element in recording.iter() for name in element.attrib if "href" in name]
