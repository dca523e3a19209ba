"""Choose a method for a corpus by measurement.

With labeled copies, `evaluate` reports the recall of each method, with intervals. Without labels, `recommend` plants
copies in a sample of the corpus, tries all methods, examines what they remove from the corpus itself, and proposes a
recipe.
"""

import tempfile
from pathlib import Path

import whorl

NEWSROOM = Path(__file__).parents[1] / "newsroom"
ARTICLES = NEWSROOM / "articles.jsonl"

# 61 labeled copies of every kind: excerpts, mixtures, typos, rewritten ones.
evaluation = whorl.lab.evaluate(ARTICLES, NEWSROOM / "truth.jsonl", methods=["exact", "minhash", "news"], sweep=False)
print("known copies     recall             precision")
for method in evaluation.methods:
    cells = (method[figure] for figure in ("recall", "precision"))
    figures = (f"{cell['value']:.2f} ({cell['low']:.2f}–{cell['high']:.2f})" for cell in cells)
    print(f"{method['name']:14}   " + "   ".join(figures))

# Suppose there are no labels, and copies with typos and excerpts matter.
proposal = whorl.lab.recommend(
    ARTICLES, methods=["minhash", "winnowing"], kinds=["typo5", "excerpt60", "boilerplate"], copies=10
)
print(f"\nproposed: {proposal.name}")

# The proposal is a file for every command and function: `whorl dedup --recipe recipe.toml`.
with tempfile.TemporaryDirectory() as folder:
    recipe = Path(folder, "recipe.toml")
    recipe.write_text(proposal.toml(), encoding="utf-8")
    cleaned = whorl.dedup_files(ARTICLES, Path(folder, "clean"), recipe=recipe)
    print(f"it removes {cleaned.run['counts']['duplicates']} of {cleaned.run['counts']['rows']} articles")
