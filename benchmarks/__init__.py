"""Measure whorl against its promises and against its rivals.

    python -m benchmarks [QUESTION...] [--quick] [--out DIR]

`questions.toml` says what is asked; a module of `questions` per question knows how to ask it. Answers are recorded as
JSON, and `results/README.md` is written from them.
"""
