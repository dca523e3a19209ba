"""The hot list of the day: the most reprinted articles, with titles.

Articles that share text join a cluster as they arrive. The largest clusters of a period are the main topics of the day;
`trace` finds the first publisher.
"""

import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import whorl

ARTICLES = Path(__file__).parents[1] / "newsroom" / "articles.jsonl"
TOP = 5

with ARTICLES.open(encoding="utf-8") as file:
    articles = [json.loads(line) for line in file]

with tempfile.TemporaryDirectory() as folder, whorl.open(folder) as library:
    # The clock is that of the articles, so that the list is the same whenever this runs.
    for row in sorted(articles, key=lambda row: row["date"]):
        article = {name: row[name] for name in ("id", "title", "text", "url", "source")}
        library.add(article | {"published_at": row["date"], "first_seen_at": row["date"]})

    hot = whorl.runs.hot(library, top=TOP)
    print(f"{hot.articles} articles, {hot.groups} stories that more than one site has")
    for place, group in enumerate(hot.largest, 1):
        traced = library.trace(group.cluster)
        first, sites = traced[0].document, {step.document.source for step in traced}
        print(f"{place}. {first.title}")
        print(f"   {len(traced)} articles on {len(sites)} sites; first {first.source}, {traced[0].at:%d %B}")
        # The headlines of the copies: cluster membership depends on the text alone.
        others = {step.document.title for step in traced} - {first.title}
        if others:
            print("   also called: " + " / ".join(sorted(others)))

    # The same from a moment on; an editor would pass since="1d", which counts back from now.
    recent = whorl.runs.hot(library, top=TOP, since=datetime(2026, 10, 1, tzinfo=UTC))
    print(f"{recent.groups} of them since October")
