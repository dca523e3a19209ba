"""Entry point of ``python -m whorl``, which is the command ``whorl``."""

from whorl.cli import run

run()
