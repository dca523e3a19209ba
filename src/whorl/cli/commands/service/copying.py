"""``whorl copy-state``: the keys, users and jobs of a service in another place."""

from __future__ import annotations

from typing import Annotated

import typer

from whorl.cli.ui.epilogs import Epilog, examples
from whorl.cli.ui.options import Json
from whorl.i18n import say, translated

COPY_STATE_EPILOG = Epilog(examples("whorl copy-state newsroom postgresql://host/news"))


def copy_state(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FROM",
            show_default=False,
            help="The folder of the served library, or the folder or database of --state.",
        ),
    ],
    to: Annotated[
        str,
        typer.Argument(
            metavar="TO", show_default=False, help="The same for the copy, which must be empty or not exist."
        ),
    ],
    json: Json = False,
) -> None:
    """Copy the keys, users, jobs and audit log of a stopped service.

    The copy is made in one transaction, and FROM is not changed. Users sign in again.
    """
    from whorl.cli.ui.output import print_json, print_view
    from whorl.service.settings import state_place
    from whorl.service.state.copying import copy_state as copy

    copied = copy(state_place(source), state_place(to, create=True))
    if json:
        print_json(copied.to_dict())
        return
    print_view(
        translated(
            say(
                "copied: keys {keys:,}, users {users:,}, second factors {factors:,}, libraries created over HTTP "
                "{tenants:,}, jobs {jobs:,}, audit entries {entries:,}",
                keys=copied.keys,
                users=copied.users,
                factors=copied.second_factors,
                tenants=copied.tenants,
                jobs=copied.jobs,
                entries=copied.audit_entries,
            )
        )
    )


__all__ = ["COPY_STATE_EPILOG", "copy_state"]
