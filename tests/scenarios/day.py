"""A process on the simulated clock: what the owner does on a day, or the run of a day."""

from __future__ import annotations

import json
import sys
from typing import Any

import whorl
from whorl.library import Library
from whorl.monitor.alerts.channels import Webhook
from whorl.monitor.alerts.rules import AlertRule
from whorl.monitor.alerts.secrets import Secret
from whorl.monitor.alerts.settings import AlertSettings
from whorl.monitor.watching import watch
from whorl.results import Account, Attestation


def act(library: Library, actions: dict[str, Any]) -> None:
    """Do what the owner does."""
    library.add(actions["articles"])
    library.attestations.put(Attestation(id_, "print", at) for id_, at in actions["attestations"])
    library.permissions.put(actions["permissions"])
    library.permissions.remove(actions["withdrawn"])
    library.accounts.put(Account(author, host, path) for author, host, path in actions["accounts"])
    for url, article, kind, state in actions["handling"]:
        (case,) = [item for item in library.cases.at(url) if item.article == article]
        if kind == "decision":
            library.review(case.document, article, state, by="mei")
        else:
            library.cases.record(case.number, kind, by="mei")


def main() -> None:
    """Read a task from standard input."""
    task = json.loads(sys.stdin.read())
    if "actions" in task:
        with whorl.open(task["library"]) as library:
            act(library, task["actions"])
        return
    hook = Webhook(name="desk", kind="webhook", url=Secret(task["hook"]), secret=Secret("s"), allowed=("127.0.0.0/8",))
    alerts = AlertSettings({"desk": hook}, (AlertRule(name="all", to=("desk",)),))
    watch(task["library"], task["sites"], state=task["state"], alerts=alerts)


if __name__ == "__main__":
    main()
