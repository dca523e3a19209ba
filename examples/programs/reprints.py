"""Newsroom: who reprinted us today?

A newspaper stores its articles in a library, and checks every article of the day's wire against it. `check` stores
nothing: it returns our articles that share text with the checked one, and the shared amounts.
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
    # A library takes dicts: the text is compared, the other columns are stored with it. Adding an article twice is
    # harmless.
    library.add([{"id": row["id"], "text": row["text"], "title": row["title"]} for row in ours])
    print(f"{len(library)} articles of ours, {len(wire)} of others")

    reprints = []
    for article in wire:
        report = library.check(article["text"])
        # Every match has evidence: passages, shares in both directions, and the relation. We want the share that is
        # ours.
        reprints += [(match.this_in_other, article, match) for match in report.matches]

reprints.sort(key=lambda row: (-row[0], row[1]["id"]))
for share, article, match in reprints:
    print(f"{share:6.1%}  {article['source']:16} {match.relation:14} {match.id} {match.title}")

sites = {article["source"] for _, article, _ in reprints}
print(f"{len(reprints)} articles of {len(sites)} sites have text of ours")
