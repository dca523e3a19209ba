"""Benchmarks of whorl against its targets and against other programs.

    python -m benchmarks [QUESTION...] [--quick] [--out DIR]

`questions.toml` holds the settings of each question, and a module of `questions` runs it. Answers are recorded as
JSON; `results/README.md` is generated from them.
"""
