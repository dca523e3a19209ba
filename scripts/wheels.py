"""Test a wheel in empty environments, with each extra alone: wheels.py WHEEL [EXTRA...].

Every environment runs the basic job, which deduplicates the example newsroom, and one job of its extra. Nothing of this
checkout is imported. An extra that is not available on this machine is listed with the reason.
"""

import ctypes.util
import functools
import http.server
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Callable
from pathlib import Path

NEWSROOM = Path(__file__).resolve().parents[1] / "examples" / "newsroom"
ARTICLES, TRUTH = NEWSROOM / "articles.jsonl", NEWSROOM / "truth.jsonl"
SENTENCE = "The lighthouse on Crane Rock has been lit by hand for the last time."
ROW = "{:9} {:>8} {:>6} {:>9} {:>6}  {}"

Run = Callable[..., str]
Job = Callable[[Run, Path], str | None]


class Failed(Exception):
    """A failed check of an environment."""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """File server without a log."""

    def log_message(self, *_: object) -> None:
        """Discard the message."""


def basic(run: Run, folder: Path) -> None:
    """Run the test vectors, and deduplicate a newsroom."""
    run("whorl", "selftest")
    run("whorl", "dedup", ARTICLES, "-o", folder / "clean", "--method", "news")
    counts = json.loads((folder / "clean" / "run.json").read_text(encoding="utf-8"))["counts"]
    demand((counts["rows"], counts["rejected"]) == (91, 0) and counts["kept"] < counts["rows"], counts)


def nothing(run: Run, folder: Path) -> None:
    """Check that the error names the missing extra for a page."""
    page(folder)
    output = run("whorl", "dedup", folder / "page.html", "-o", folder / "html", fails=True)
    demand("whorl-text[html]" in output, output)


def html(run: Run, folder: Path) -> None:
    """Read a page."""
    page(folder)
    is_read(run, folder / "page.html", folder)


def pdf(run: Run, folder: Path) -> None:
    """Read a PDF."""
    stream = f"BT /F1 12 Tf 20 700 Td ({SENTENCE}) Tj ET"
    objects = (
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 900 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(stream)}>>stream\n{stream}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    body = "".join(f"{number} 0 obj{thing} endobj\n" for number, thing in enumerate(objects, 1))
    (folder / "a.pdf").write_text(f"%PDF-1.4\n{body}trailer<</Root 1 0 R>>\n%%EOF\n", encoding="ascii")
    is_read(run, folder / "a.pdf", folder)


def ocr(run: Run, folder: Path) -> None:
    """Recognize the text of a picture, which a separate process with limits reads."""
    drawing = f"""if True:
        from PIL import Image, ImageDraw, ImageFont
        picture = Image.new("L", (1400, 120), 255)
        font = ImageFont.load_default(36)
        ImageDraw.Draw(picture).text((40, 30), {SENTENCE!r}, fill=0, font=font)
        picture.save({str(folder / "scan.png")!r})"""
    run("python", "-c", drawing)
    (folder / "sentence.txt").write_text(SENTENCE, encoding="utf-8")
    compared = json.loads(run("whorl", "compare", folder / "scan.png", folder / "sentence.txt", "--ocr", "--json"))
    demand(compared["ratios"]["copied"] > 0.9, compared["ratios"])


def meaning(run: Run, folder: Path) -> None:
    """Compare by meaning."""
    (folder / "sentence.txt").write_text(SENTENCE, encoding="utf-8")
    (folder / "other.txt").write_text("明天有雨，出门请记得带伞。", encoding="utf-8")
    compared = json.loads(run("whorl", "compare", folder / "sentence.txt", folder / "other.txt", "--meaning", "--json"))
    demand(compared["ratios"]["meaning"] == 0, compared["ratios"])


def plots(run: Run, folder: Path) -> None:
    """Draw charts."""
    run("whorl", "eval", ARTICLES, TRUTH, "--method", "minhash", "--plots", folder / "plots")
    demand(any(folder.glob("plots/*.png")), "no chart was drawn")


def xlsx(run: Run, folder: Path) -> None:
    """Write a workbook."""
    run("whorl", "eval", "sample", ARTICLES, "--out", folder / "book.xlsx")
    demand((folder / "book.xlsx").read_bytes().startswith(b"PK"), "there is no workbook")


def printing(run: Run, folder: Path) -> str | None:
    """Print a report."""
    if not all(map(ctypes.util.find_library, ("pango-1.0", "pangoft2-1.0", "harfbuzz-subset"))):
        return "Not tried, for want of Pango: sh scripts/printing.sh."
    run("whorl", "compare", f"{ARTICLES}:88", f"{ARTICLES}:24", "--out", folder / "report.pdf")
    demand((folder / "report.pdf").read_bytes().startswith(b"%PDF"), "there is no PDF")
    return None


def leveldb(run: Run, folder: Path) -> None:
    """Store the hashes of nshash."""
    program = f"""if True:
        from whorl.compat.nshash import NSHash
        with NSHash({str(folder / "hashes")!r}, hashdb="leveldb") as nshash:
            assert nshash.get_similar({SENTENCE!r}) == nshash.get_similar({SENTENCE!r})"""
    run("python", "-c", program)


def mcp(run: Run, _folder: Path) -> None:
    """Call a tool as an assistant does."""
    program = f"""if True:
        import asyncio, sys
        from mcp import Client
        from mcp.client.stdio import StdioServerParameters
        async def talk():
            async with Client(StdioServerParameters(command=sys.executable, args=["-m", "whorl", "mcp"])) as client:
                result = await client.call_tool("compare", {{"a": {SENTENCE!r}, "b": {SENTENCE!r}}})
                assert result.structured_content["relation"] == "exact", result
        asyncio.run(talk())"""
    run("python", "-c", program)


def watch(run: Run, folder: Path) -> None:
    """Fetch a page, and find its copy."""
    page(folder)
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/page.html"
        is_read(run, address, folder)
        server.shutdown()
    run("python", "-c", "import scrapy, twisted.internet.reactor")


def spark(run: Run, folder: Path) -> str | None:
    """Deduplicate a newsroom on Spark."""
    if not shutil.which("java"):
        return "Not tried, for want of Java: sh scripts/java.sh."
    run("whorl", "dedup", ARTICLES, "-o", folder / "spark", "--engine", "spark", "--master", "local[2]")
    counts = json.loads((folder / "spark" / "run.json").read_text(encoding="utf-8"))["counts"]
    demand(counts["rows"] == 91 and counts["kept"] < counts["rows"], counts)
    return None


JOBS: dict[str, tuple[Job, ...]] = {
    "": (basic, nothing),
    "html": (basic, html),
    "pdf": (basic, pdf),
    "ocr": (basic, ocr),
    **({"meaning": (basic, meaning)} if (sys.platform, platform.machine()) == ("linux", "x86_64") else {}),
    "plots": (basic, plots),
    "xlsx": (basic, xlsx),
    "print": (basic, printing),
    **({"leveldb": (basic, leveldb)} if (sys.platform, platform.machine()) == ("linux", "x86_64") else {}),
    "spark": (basic, spark),
    "mcp": (basic, mcp),
    "watch": (basic, watch),
    "all": (basic, html, pdf, plots, xlsx, watch),
}
"""Jobs of each environment, or the reason why an extra cannot be tested here; some have no other wheels."""


def page(folder: Path) -> None:
    """Write a page."""
    article = f"<article><h1>A lamp</h1><p>{SENTENCE}</p><p>{SENTENCE}</p></article>"
    (folder / "page.html").write_text(f"<!doctype html><title>A lamp</title>{article}", encoding="utf-8")


def is_read(run: Run, document: Path | str, folder: Path) -> None:
    """Check that the sentence of a document was read as a whole."""
    (folder / "sentence.txt").write_text(SENTENCE, encoding="utf-8")
    compared = json.loads(run("whorl", "compare", document, folder / "sentence.txt", "--json"))
    demand(compared["ratios"]["copied"] == 1.0, f"{document} is read as something else")


def demand(holds: bool, what: object) -> None:
    """Raise Failed with the actual value unless the condition holds."""
    if not holds:
        raise Failed(str(what))


def attempt(wheel: Path, extra: str) -> bool:
    """Create the environment of an extra, run its jobs and print its row; return True if all succeeded."""
    with tempfile.TemporaryDirectory() as place:
        folder, environment = Path(place), Path(place, "environment")
        venv.create(environment, with_pip=True)
        programs = environment / ("Scripts" if os.name == "nt" else "bin")

        def run(program: str, *arguments: object, fails: bool = False) -> str:
            clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
            command = [str(programs / program), *map(str, arguments)]
            settings = clean | {"WHORL_LANG": "en", "WHORL_CONFIG": "", "PYTHONUTF8": "1"}
            done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, encoding="utf-8", check=False)
            demand(bool(done.returncode) == fails, f"{' '.join(command)}\n{done.stderr}")
            return done.stderr if fails else done.stdout

        begun = time.monotonic()
        requirement = f"whorl-text[{extra}]" if extra else "whorl-text"
        try:
            run("python", "-m", "pip", "install", "--quiet", f"{requirement} @ {wheel.as_uri()}")
            packages = len(
                json.loads(run("python", "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"))
            )
            size = sum(path.stat().st_size for path in environment.rglob("*") if path.is_file()) // 2**20
            ended = time.monotonic()
            done = " ".join(job(run, folder) or str(job.__doc__) for job in JOBS[extra])
        except Failed as failure:
            print(f"{extra or 'none'}: {failure}", file=sys.stderr)
            return False
        seconds = time.monotonic() - ended
        print(ROW.format(extra or "none", packages, size, f"{ended - begun:.0f}", f"{seconds:.0f}", done), flush=True)
        return True


def main(wheel: Path, extras: list[str]) -> int:
    """Test the wheel with some extras, or with no extra, each extra and all; return 0 on success."""
    begun = time.monotonic()
    print(ROW.format("extra", "packages", "MB", "install s", "jobs s", ""))
    went = [attempt(wheel.resolve(), extra.replace("none", "")) for extra in extras or JOBS]
    print(f"{sum(went)} of {len(went)} in {time.monotonic() - begun:.0f} s")
    return not all(went)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
