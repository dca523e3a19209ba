"""Build the site: python -m scripts.website FOLDER."""

import shutil
import sys
from pathlib import Path

from scripts.website.access import make_accessible
from scripts.website.gather import SITE, gather, point_to_english
from scripts.website.links import complaints
from scripts.website.reference import write_reference
from sphinx.cmd.build import main as sphinx

from whorl.i18n import LANGUAGES, Language

_LOCALES = {"en": "en", "zh": "zh_CN"}
_SOURCES = ".sources"
_STRICT = ("-q", "-W", "--keep-going", "-j", "auto", "-c", str(SITE))


def main(folder: Path) -> int:
    """Rebuild the site and print its errors; return 0 if there are no errors."""
    shutil.rmtree(folder, ignore_errors=True)
    for language in LANGUAGES:
        gather(folder / _SOURCES / language, language)
        write_reference(folder / _SOURCES / language / "reference", language)
    for language in LANGUAGES:
        if sphinx([*_STRICT, "-D", f"language={_LOCALES[language]}", *_places(folder, language)]):
            return 1
    point_to_english(folder)
    for language in LANGUAGES:
        make_accessible(folder, language)
    shutil.copy(SITE / "languages.html", folder / "index.html")
    errors = list(complaints(folder))
    print(*errors, sep="\n", file=sys.stderr) if errors else print(folder / "index.html")
    return bool(errors)


def _places(folder: Path, language: Language) -> list[str]:
    doctrees = folder / ".doctrees" / language
    return ["-d", str(doctrees), str(folder / _SOURCES / language), str(folder / language)]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
