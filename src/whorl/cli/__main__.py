"""``python -m whorl.cli`` is ``whorl``."""

from whorl.cli import main

main()
