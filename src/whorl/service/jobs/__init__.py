"""Jobs: work that takes longer than a request. Any worker process does it; another one where the first has ended."""

from whorl.service.jobs.desk import Desk
from whorl.service.jobs.kinds import KINDS, Kind, scope_of
from whorl.service.state.jobs import Job

__all__ = ["KINDS", "Desk", "Job", "Kind", "scope_of"]
