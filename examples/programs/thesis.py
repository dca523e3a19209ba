"""A thesis checked against a library of sources, with a report to hand in.

The library finds the sources that share text with the thesis; `compare_sources` assigns every passage to one of them;
`render_comparison` writes a page that runs no script and loads no resources.
"""

import json
import tempfile
from pathlib import Path

import whorl
from whorl.results import Article

NEWSROOM = Path(__file__).parents[1] / "newsroom"
PAGE = Path("thesis.html")

with (NEWSROOM / "originals.jsonl").open(encoding="utf-8") as file:
    sources = [json.loads(line) for line in file]

# An invented thesis: original text, half of one article word for word, and some of another, quoted.
first, second = (source["text"].split("\n") for source in sources[:2])
original = "本章讨论地方新闻怎样写一条街道的变化，材料来自作者三年的走访与笔记，先说方法，再说例子。"
thesis = "\n".join([original, *first[: len(first) // 2], "正如一篇报道所写：“" + second[0] + "”", original[::-1]])

with tempfile.TemporaryDirectory() as folder, whorl.open(folder) as library:
    library.add({"id": row["id"], "text": row["text"], "title": row["title"]} for row in sources)
    matches = library.check(thesis).matches
    named = [library.get(match.id) for match in matches]
print(f"{len(sources)} sources, {len(named)} of them share text with the thesis")

# Each ratio has a variant without quotations and references, which are legitimate.
comparison = whorl.compare_sources([source.text for source in named], thesis)
print(f"copied {comparison.ratios.copied:.1%}, outside quotations {comparison.ratios.unquoted:.1%}")
for source, share in zip(named, comparison.shares, strict=True):
    print(f"{share:6.1%}  {source.id} {source.title}")
for passage in comparison.passages:
    stretch = thesis[passage.b_start : passage.b_end].replace("\n", " ")
    print(f"[{passage.b_start}:{passage.b_end}] {passage.kind}: {stretch[:24]}…")

page = whorl.evidence.render_comparison(
    comparison, [Article(source.id, source.text) for source in named], thesis, title="Thesis"
)
PAGE.write_text(page, encoding="utf-8")
print(f"the report is in {PAGE}")
