"""What was learned as boilerplate and stands in protected articles belongs to them, unless several of them have it.

How many unrelated protected articles have a run follows from what was learned and from which articles are protected,
not from which of these came first: whenever either changes it is counted again, and matches are judged by it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from whorl.library.core import Core
from whorl.library.evidence import compared
from whorl.library.finder import sought
from whorl.library.index_cache import Keys
from whorl.library.leaving import split
from whorl.library.notice_cache import SEVERAL, is_common
from whorl.library.notices import reconsider
from whorl.library.packing import unpacked
from whorl.library.repairing import join, missing
from whorl.matching.boilerplate import Notices
from whorl.matching.witness import PROTECTED
from whorl.stores import Reader, Writer
from whorl.stores.records import Content, Notice

