"""Newsroom: who reprinted us today?

A paper keeps its own articles in a library, and asks it about every article of the day's wire. `check` keeps nothing:
it says which of our articles shares text with the other one, and how much of it.
"""

import json
import tempfile
from pathlib import Path

import whorl

NEWSROOM = Path(__file__).parents[1] / "newsroom"
OURS = "linjiang-daily"

with (NEWSROOM / "articles.jsonl").open(encoding="utf-8") as file:
    articles = [json.loads(line) for line in file]
ours = [article for article in articles if article["source"] == OURS]
wire = [article for article in articles if article["source"] != OURS]

with tempfile.TemporaryDirectory() as folder, whorl.open(folder) as library:
    # A library takes dicts: the text decides, the other columns are kept beside it. Twice the same is once the same.
    library.add([{"id": row["id"], "text": row["text"], "title": row["title"]} for row in ours])
    print(f"{len(library)} articles of ours, {len(wire)} of others")

    found = []
    for article in wire:
        report = library.check(article["text"])
        # Every match has its evidence: passages, shares both ways, and the relation of both. We ask how much is ours.
        found += [(match.this_in_other, article, match) for match in report.matches]

found.sort(key=lambda one: (-one[0], one[1]["id"]))
for share, article, match in found:
    print(f"{share:6.1%}  {article['source']:16} {match.relation:14} {match.id} {match.title}")

sites = {article["source"] for _, article, _ in found}
print(f"{len(found)} articles of {len(sites)} sites have text of ours")
