"""Sites to watch that are stored with a library, as the console edits them.

They are stored as the table that `sites.toml` would contain and validated by the same code, so that an export of them
is a valid file. Two things are for the operator of the machine alone and never stored: lists of addresses in local
files, and `allow_private`, which opens the private network.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl.errors import NotFoundError, UsageError
from whorl.i18n import say
from whorl.monitor.settings.setting_error import SettingError
from whorl.monitor.settings.sites import Watch, read_table, watch_of

if TYPE_CHECKING:
    from whorl.library import Library
    from whorl.tasks.library.arguments import Place

_PRIVATE = "allow_private"
_OF_ALL = ("contact", "protected", "watched")
"""Settings of the whole watch; the other ones beside the sites are defaults for the sites of a file."""
_HEAD = "# whorl watch: sites"


def watch_for(library: Library, sites: Watch | Mapping[str, Any] | Place | None = None) -> Watch:
    """Return the settings of a watch: those of a file or of data, else those of the library.

    A file without sites applies its settings, such as ``allow_private``, to the sites of the library.

    Raises:
        InputError: the file, or a list that it names, is unreadable or malformed.
        UsageError: a setting is invalid, or there is no site.
    """
    if isinstance(sites, Watch):
        return sites
    stored = library.watch_settings.read()
    if sites is None:
        if not stored.get("site"):
            raise UsageError(
                say("the library has no sites to watch"),
                hint=say("add them in the console, or pass a file: `whorl watch LIBRARY sites.toml`"),
            )
        return watch_of(stored)
    table, name, folder = _read(sites)
    return watch_of(table if "site" in table else {**stored, **table}, name=name, folder=folder)


def stored_site(library: Library, name: str) -> dict[str, Any]:
    """Return the table of a stored site.

    Raises:
        NotFoundError: the library has no site with this name.
    """
    table = next((table for table in _sites(library.watch_settings.read()) if table["name"] == name), None)
    if table is None:
        raise _absent(name)
    return table


def version_of(table: Mapping[str, Any]) -> str:
    """Return a digest of the table of a site, by which a concurrent change is noticed."""
    return sha256(json.dumps(table, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:16]


def put_site(library: Library, table: Mapping[str, Any], *, replaces: str = "", version: str = "") -> str:
    """Store a site; return its name.

    Args:
        library: the library.
        table: its keys, as in ``sites.toml``.
        replaces: name of the stored site that it replaces; empty to add a new one.
        version: ``version_of`` the replaced site; empty to replace any version.

    Raises:
        SettingError: a value is invalid.
        UsageError: the replaced site has changed.
        NotFoundError: the replaced site does not exist.
    """
    site = _validated(table)

    def revise(stored: dict[str, Any]) -> dict[str, Any]:
        sites = _sites(stored)
        if replaces:
            position = _position(sites, replaces)
            if version and version_of(sites[position]) != version:
                raise UsageError(
                    say("the site has been changed by somebody else"), hint=say("reload the page, then change it again")
                )
            sites[position] = site
        else:
            sites.append(site)
        revised = {**stored, "site": sites}
        watch_of(revised, name=site["name"])
        return revised

    library.watch_settings.change(revise)
    return str(site["name"])


def import_sites(library: Library, sites: Mapping[str, Any] | Place) -> tuple[str, ...]:
    """Store sites, each with the defaults beside them; a stored site of the same name is replaced.

    Args:
        library: the library.
        sites: a file ``sites.toml``, or its content as data.

    Returns:
        The names of these sites.

    Raises:
        InputError: the file is unreadable or malformed.
        UsageError: a setting is invalid or for files only, or two sites have the same name. Nothing is stored then.
    """
    table, name, folder = _read(sites)
    watch_of(table, name=name, folder=folder)
    settings = {key: value for key, value in table.items() if key in _OF_ALL}
    defaults = {key: value for key, value in table.items() if key not in (*_OF_ALL, "site")}
    named = {site["name"]: site for site in (_validated({**defaults, **site}) for site in _sites(table))}

    def revise(stored: dict[str, Any]) -> dict[str, Any]:
        merged = {site["name"]: site for site in _sites(stored)} | named
        revised = {**stored, **settings, "site": list(merged.values())}
        watch_of(revised, name=name)
        return revised

    library.watch_settings.change(revise)
    return tuple(named)


def remove_sites(library: Library, names: Iterable[str]) -> int:
    """Remove stored sites; return how many there were. Their pages and cases stay."""
    removed = set(names)
    counts: list[int] = []

    def revise(stored: dict[str, Any]) -> dict[str, Any]:
        rest = [site for site in _sites(stored) if site["name"] not in removed]
        counts.append(len(stored.get("site", ())) - len(rest))
        return {**stored, "site": rest}

    library.watch_settings.change(revise)
    return counts[-1]


def put_contact(library: Library, contact: str) -> None:
    """Store the contact address of the watch; an empty one removes it.

    Raises:
        SettingError: the address is invalid.
    """
    example = {"site": [{"start": "https://site.example/"}]}
    watch_of({**example, "contact": contact} if contact else example, name="contact")
    library.watch_settings.change(lambda stored: _without_empty({**stored, "contact": contact}))


def sites_toml(library: Library) -> str:
    """Return the stored sites in the format of ``sites.toml``."""
    stored = library.watch_settings.read()
    lines = [_HEAD, *_assignments({key: value for key, value in stored.items() if key != "site"})]
    for table in _sites(stored):
        lines += ["", "[[site]]", *_assignments(table)]
    return "\n".join(lines) + "\n"


def _read(sites: Mapping[str, Any] | Place) -> tuple[Mapping[str, Any], str, Path | None]:
    """Return a table with its name in messages, and the folder that its lists of addresses are relative to."""
    if isinstance(sites, Mapping):
        return sites, "sites", None
    return read_table(sites), str(sites), Path(sites).parent


def _validated(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table to store, with a name."""
    site = _without_empty(table)
    label = str(site.get("name") or "site")
    if _PRIVATE in site:
        raise SettingError(
            say("{name}: {key} cannot be stored in a library", name=label, key=_PRIVATE),
            hint=say("set it in a file of the operator: `whorl watch LIBRARY sites.toml`"),
            key=_PRIVATE,
        )
    for entry in site.get("pages", ()):
        if "://" not in str(entry):
            raise SettingError(
                say("{name}: expected addresses in pages, got {value!r:.80}", name=label, value=entry),
                hint=say("write it in full: https://news.example/"),
                key="pages",
                value=str(entry),
            )
    (watched,) = watch_of({"site": [site]}, name=label).sites
    return {"name": watched.name, **{key: value for key, value in site.items() if key != "name"}}


def _without_empty(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value not in (None, "", [], ())}


def _sites(stored: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [dict(table) for table in stored.get("site", ())]


def _position(sites: list[dict[str, Any]], name: str) -> int:
    position = next((number for number, table in enumerate(sites) if table["name"] == name), None)
    if position is None:
        raise _absent(name)
    return position


def _absent(name: str) -> NotFoundError:
    return NotFoundError(say("site {name!r:.80} not found", name=name), hint=say("open the list of watched sites"))


def _assignments(values: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {_toml_value(value)}" for key, value in values.items()]


def _toml_value(value: Any) -> str:
    """Format a TOML value; strings, numbers and booleans are written as in JSON, except for the character DEL."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


__all__ = [
    "import_sites",
    "put_contact",
    "put_site",
    "remove_sites",
    "sites_toml",
    "stored_site",
    "version_of",
    "watch_for",
]
