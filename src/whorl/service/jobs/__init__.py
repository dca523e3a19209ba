"""Background jobs. Any worker process can run them, and another one takes over if it dies."""

from whorl.service.jobs.desk import JobQueue
from whorl.service.jobs.kinds import KINDS, JobKind, scope_of
from whorl.types.jobs import Job

__all__ = ["KINDS", "Job", "JobKind", "JobQueue", "scope_of"]
