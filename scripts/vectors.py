"""Write the test vectors that `whorl selftest` runs, from those in `tests/golden`.

python scripts/vectors.py            write src/whorl/tasks/vectors.json
python scripts/vectors.py --check    exit with 1 if the file differs
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden"
OUTPUT = ROOT / "src" / "whorl" / "tasks" / "vectors.json"


def vectors() -> dict[str, Any]:
    """Return the texts, and for each method its parameters and the keys of each text."""
    base, families, parts, pinyin = (read(name) for name in ("vectors", "families", "parts", "pinyin"))
    texts = {vector["name"]: vector["text"] for vector in base["texts"]} | parts["texts"]
    texts |= {f"pinyin, {vector['name']}": vector["text"] for vector in pinyin["texts"]}
    checks = [
        {
            "method": "minhash",
            "parameters": parameters,
            "keys": {vector["name"]: vector["fingerprints"][name]["keys"] for vector in base["texts"]},
        }
        for name, parameters in base["families"].items()
    ]
    checks += [
        {
            "method": name.partition("_")[0],
            "parameters": families[name.removesuffix("_keys")],
            "keys": {vector["name"]: vector[name] for vector in families["texts"]},
        }
        for name in ("winnowing", "winnowing_dense", "shingles", "simhash_keys")
    ]
    checks += [
        {"method": vector["family"], "parameters": vector["parameters"], "keys": vector["keys"]}
        for vector in parts["vectors"]
    ]
    checks += [
        {
            "method": "pinyin",
            "parameters": parameters,
            "keys": {f"pinyin, {vector['name']}": vector["keys"][rule] for vector in pinyin["texts"]},
        }
        for rule, parameters in pinyin["rules"].items()
    ]
    digests = {vector["name"]: vector["digest"] for vector in base["texts"]}
    return {"fold": base["fold"], "texts": texts, "digests": digests, "overlaps": base["overlaps"], "checks": checks}


def read(name: str) -> Any:
    """Return the recorded values of a file."""
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


def main() -> int:
    """Run the program."""
    text = json.dumps(vectors(), indent=0, separators=(",", ":")) + "\n"
    if "--check" not in sys.argv[1:]:
        OUTPUT.write_text(text, encoding="utf-8")
    elif OUTPUT.read_text(encoding="utf-8") != text:
        print("src/whorl/tasks/vectors.json is not up to date: python scripts/vectors.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
