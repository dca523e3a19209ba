"""A pipeline of DuckDB and polars with whorl in the middle.

DuckDB reads and joins, polars computes, and whorl accepts and returns the tables of both. Kept rows have the type of
the input, and the evidence is an Arrow table that both can query.
"""

from pathlib import Path

import duckdb
import polars as pl

import whorl
import whorl.polars  # adds the namespace `whorl` to every expression of polars

ARTICLES = Path(__file__).parents[1] / "newsroom" / "articles.jsonl"

# 1. DuckDB reads files of any shape. A relation is passed to whorl unchanged.
relation = duckdb.read_json(str(ARTICLES)).select("id, source, text, date").order("id")
result = whorl.dedup(relation, method="news", keep="earliest", date="date")
print(result)

# 2. The evidence is a table, which SQL can join with the articles: which sites copy most?
articles, removed = relation.to_arrow_table(), result.duplicates
copiers = duckdb.sql("""
    SELECT source AS copier, count(*) AS copies, round(avg(similarity), 2) AS similarity
    FROM removed JOIN articles USING (id) GROUP BY ALL ORDER BY copies DESC, copier LIMIT 3
""")
for copier, copies, similarity in copiers.fetchall():
    print(f"{copier:16} {copies:3} copies, {similarity:.2f} of the text on average")

# 3. polars, lazily: the share of each article in a story that comes from the first one.
first = pl.col("text").sort_by("date").first().over("cluster_id")
edited = (
    pl.from_arrow(articles)
    .lazy()
    .join(pl.from_arrow(result.clusters).lazy().select("id", "cluster_id"), on="id")
    .with_columns(copied=pl.col("text").whorl.copied_from(first))
    .filter(pl.col("copied").is_between(0.3, 0.9))
    .sort("copied", "id", descending=[True, False])
)
for row in edited.select("id", "cluster_id", "copied").head(4).collect().iter_rows():
    print(f"{row[0]} has {row[2]:.0%} of its text from the first article of story {row[1]}")

# 4. Repeated sentences are cut, and benchmark questions kept out, in the same way.
quiz = [{"question": "Which river flows through the old town of Vesterholm?", "answer": "the Aln"}]
stripped = whorl.strip(relation, inside="sentences", keep="first")
clean = whorl.decontaminate(pl.from_arrow(stripped.kept), against={"quiz": quiz}, action="drop")
print(f"{stripped.cuts.num_rows} repeated sentences cut; {len(clean.documents)} of {len(articles)} articles left")
