"""Watched sites in the console: forms for administrators, which store the sites with the library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields, replace
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field

from whorl._internal.frozen import frozen
from whorl.errors import WhorlError
from whorl.i18n import Message, say
from whorl.library import Library
from whorl.library.provenance.accounts import Account
from whorl.library.provenance.hosts import domain_of, domains_above
from whorl.library.provenance.sites import Site
from whorl.monitor.settings.schedule import next_start
from whorl.monitor.settings.setting_error import SettingError
from whorl.monitor.settings.sites import WatchedSite, watch_of
from whorl.monitor.settings.stored_sites import (
    put_contact,
    put_site,
    remove_sites,
    sites_toml,
    stored_site,
    version_of,
)
from whorl.service.console.pages import page, path, query
from whorl.service.http.access import Admins, library_for, service_of
from whorl.service.http.problems import TITLES, code_of

router = APIRouter()
Administered = Annotated[Library, Depends(library_for("admin"))]
Text = Annotated[str, Form(max_length=2000)]

LISTS = ("start", "lists", "feeds", "sitemaps", "pages", "include", "exclude")
"""Keys of a site with a list of texts, which a form has one a line."""
NUMBERS = ("depth", "rate", "max_pages", "max_bytes", "seconds")
SPANS = ("every", "revisit")
INTERVALS: Mapping[str, Message] = {
    "30m": say("every 30 minutes"),
    "1h": say("hourly"),
    "3h": say("every 3 hours"),
    "6h": say("every 6 hours"),
    "12h": say("every 12 hours"),
    "1d": say("daily"),
    "1w": say("weekly"),
}
"""Choices for how often a site is visited."""
REVISITS: Mapping[str, Message] = {
    "6h": say("after 6 hours"),
    "1d": say("after a day"),
    "3d": say("after 3 days"),
    "14d": say("after 14 days"),
    "30d": say("after 30 days"),
    "never": say("never"),
}
"""Choices for when a page is fetched again; without one, after seven days."""
ZONES = ("Asia/Shanghai", "Asia/Hong_Kong", "Asia/Taipei", "Asia/Tokyo", "Europe/London", "America/New_York", "UTC")
Short = Annotated[str, Field(max_length=100)]
Line = Annotated[str, Field(max_length=2000)]
Lines = Annotated[str, Field(max_length=2**20)]


class SiteForm(BaseModel):
    """The submitted form of a site. Other fields are ignored, so that no form opens the private network.

    Attributes:
        replaces: name of the site that is edited; empty for a new one.
        version: version of the site that the form was filled with.
        authorised: whether the site may reprint everything.
    """

    replaces: Line = ""
    version: Short = ""
    name: Line = ""
    start: Lines = ""
    lists: Lines = ""
    feeds: Lines = ""
    sitemaps: Lines = ""
    pages: Lines = ""
    include: Lines = ""
    exclude: Lines = ""
    depth: Short = ""
    rate: Short = ""
    max_pages: Short = ""
    max_bytes: Short = ""
    seconds: Short = ""
    every: Short = ""
    revisit: Short = ""
    zone: Short = ""
    authorised: Literal["", "on"] = ""

    @classmethod
    def of(cls, table: Mapping[str, Any], *, is_authorised: bool) -> SiteForm:
        """Fill the form with a stored site."""
        lists = {key: "\n".join(_several(table.get(key, []))) for key in LISTS}
        texts = {key: str(table[key]) for key in ("name", "zone", *NUMBERS, *SPANS) if key in table}
        replaced = {"replaces": table["name"], "version": version_of(table)}
        return cls.model_validate({**lists, **texts, **replaced, "authorised": "on" if is_authorised else ""})

    def table(self) -> dict[str, Any]:
        """Return the keys of the site as in ``sites.toml``; invalid values are left to its validation."""
        lists = {key: [line.strip() for line in getattr(self, key).splitlines() if line.strip()] for key in LISTS}
        numbers = {key: number_of(getattr(self, key).strip()) for key in NUMBERS}
        texts = {key: getattr(self, key).strip() for key in ("zone", *SPANS)}
        return {"name": self.name.strip(), **lists, **numbers, **texts}


@frozen
class SiteRow:
    """A site in the list.

    Attributes:
        site: the site.
        due_at: when it is visited next; None if it has no schedule, or is due now.
        authors: its known authors.
        is_authorised: whether it may reprint everything.
    """

    site: WatchedSite
    due_at: datetime | None
    authors: tuple[str, ...]
    is_authorised: bool


@router.get("/libraries/{library}/watch/sites")
def show_sites(request: Request, library: str, opened: Administered) -> Response:
    """Show the stored sites."""
    return _list_page(request, library, opened)


@router.get("/libraries/{library}/watch/sites.toml")
def export_sites(library: str, opened: Administered) -> Response:  # noqa: ARG001
    """Download the stored sites as a file for `whorl watch`."""
    headers = {"Content-Disposition": 'attachment; filename="sites.toml"'}
    return Response(sites_toml(opened).encode(), media_type="application/toml", headers=headers)


@router.get("/libraries/{library}/watch/sites/edit")
def show_site(request: Request, library: str, opened: Administered, name: str = "") -> Response:
    """Show the form of a site, or that of a new one."""
    if not name:
        return _site_page(request, library, opened, SiteForm())
    table = stored_site(opened, name)
    form = SiteForm.of(table, is_authorised=_is_authorised(opened, domains_of(table)))
    return _site_page(request, library, opened, form)


@router.post("/libraries/{library}/watch/sites/edit")
def save_site(request: Request, library: str, opened: Administered, form: Annotated[SiteForm, Form()]) -> Response:
    """Store a new or an edited site."""
    request.state.subject = form.name or form.replaces
    table = form.table()
    try:
        name = put_site(opened, table, replaces=form.replaces, version=form.version)
        _authorise(opened, domains_of(table), is_authorised=bool(form.authorised))
    except WhorlError as error:
        return _site_page(request, library, opened, form, error)
    return RedirectResponse(f"{path(library, 'watch', 'sites')}{query({'saved': name})}", 303)


@router.post("/libraries/{library}/watch/sites/remove")
def delete_site(request: Request, library: str, opened: Administered, name: Text) -> Response:
    """Stop watching a site. Its pages and cases stay."""
    request.state.subject = name
    remove_sites(opened, [name])
    return RedirectResponse(path(library, "watch", "sites"), 303)


@router.post("/libraries/{library}/watch/sites/contact")
def save_contact(request: Request, library: str, opened: Administered, contact: Text = "") -> Response:
    """Store the contact address of the watch."""
    request.state.subject = contact
    try:
        put_contact(opened, contact.strip())
    except WhorlError as error:
        return _list_page(request, library, opened, error, contact=contact)
    return RedirectResponse(path(library, "watch", "sites"), 303)


@router.post("/libraries/{library}/watch/sites/run")
def run_sites(request: Request, library: str, opened: Administered, caller: Admins, name: Text = "") -> Response:
    """Start a run over the stored sites, or over a single one."""
    try:
        if name:
            stored_site(opened, name)
        service_of(request).jobs.submit("watch", library, {"names": [name] if name else []}, by=caller.who)
    except WhorlError as error:
        return _list_page(request, library, opened, error)
    return RedirectResponse(f"{path(library, 'watch')}#jobs", 303)


@router.post("/libraries/{library}/watch/sites/authors")
def add_author(
    request: Request, library: str, opened: Administered, caller: Admins, name: Text, domain: Text = "",
    author: Text = "", prefix: Text = "", account: Text = "", note: Text = "",
) -> Response:  # fmt: skip
    """Record that a site, or an account there, belongs to an author."""
    request.state.subject = f"{name} {author}"
    typed = Account(author.strip(), domain, prefix.strip(), account.strip(), caller.signature, note.strip())
    return _change_authors(request, library, opened, name, typed, opened.accounts.put)


@router.post("/libraries/{library}/watch/sites/authors/remove")
def remove_author(
    request: Request, library: str, opened: Administered, name: Text, domain: Text, author: Text, prefix: Text = "",
    account: Text = "",
) -> Response:  # fmt: skip
    """Remove an author of a site."""
    request.state.subject = f"{name} {author}"
    return _change_authors(
        request, library, opened, name, Account(author, domain, prefix, account), opened.accounts.remove
    )


def domains_of(table: Mapping[str, Any]) -> list[str]:
    """Return the domains of a site, without ``www.``: an entry for a domain includes its subdomains."""
    addresses = [url for key in ("start", "lists", "feeds", "sitemaps") for url in _several(table.get(key, []))]
    domains = (domain_of(url).removeprefix("www.") for url in addresses or _several(table.get("pages", [])))
    return list(dict.fromkeys(domain for domain in domains if domain))


def _change_authors(
    request: Request, library: str, opened: Library, name: str, account: Account,
    change: Callable[[list[Account]], int],
) -> Response:  # fmt: skip
    table = stored_site(opened, name)
    try:
        change([account])
    except WhorlError as error:
        form = SiteForm.of(table, is_authorised=_is_authorised(opened, domains_of(table)))
        return _site_page(request, library, opened, form, error, account=account)
    return RedirectResponse(f"{path(library, 'watch', 'sites', 'edit')}{query({'name': name})}#authors", 303)


def _authorise(library: Library, domains: Iterable[str], *, is_authorised: bool) -> None:
    """Store whether a site may reprint everything, in its entries in the registry of sites."""
    registered = {site.domain: site for site in library.sites}
    changed = [
        replace(registered.get(domain, Site(domain)), authorised=is_authorised)
        for domain in domains
        if is_authorised != (domain in registered and registered[domain].authorised)
    ]
    if changed:
        library.sites.put(changed)


def _is_authorised(library: Library, domains: Iterable[str]) -> bool:
    authorised = {site.domain for site in library.sites if site.authorised}
    domains = list(domains)
    return bool(domains) and all(domain in authorised for domain in domains)


def _site_page(
    request: Request,
    library: str,
    opened: Library,
    form: SiteForm,
    error: WhorlError | None = None,
    *,
    account: Account | None = None,
) -> Response:
    table = stored_site(opened, form.replaces) if form.replaces else {}
    domains = domains_of(table)
    above = {parent for domain in domains for parent in domains_above(domain)}
    key = error.key if isinstance(error, SettingError) else ""
    return page(
        request,
        "watched_site.html.j2",
        tab="watch",
        library=library,
        status=200 if error is None else TITLES[code_of(error)][0],
        error=error,
        at_field=key if key in SiteForm.model_fields else "",
        form=form,
        domains=domains,
        accounts=[item for item in opened.accounts if item.domain in above or _is_below(item.domain, domains)],
        permissions=[item for item in opened.permissions if item.domain in above or _is_below(item.domain, domains)],
        account=asdict(account) if account else dict.fromkeys((field.name for field in fields(Account)), ""),
        intervals=INTERVALS,
        revisits=REVISITS,
        zones=ZONES,
    )


def _list_page(
    request: Request, library: str, opened: Library, error: WhorlError | None = None, *, contact: str | None = None
) -> Response:
    stored = opened.watch_settings.read()
    starts = opened.watch_starts.read()
    tables = stored.get("site", [])
    watched = watch_of(stored).sites if tables else ()
    return page(
        request,
        "watched_sites.html.j2",
        tab="watch",
        library=library,
        status=200 if error is None else TITLES[code_of(error)][0],
        error=error,
        rows=[_row(opened, site, table, starts) for site, table in zip(watched, tables, strict=True)],
        contact=stored.get("contact", "") if contact is None else contact,
        saved=request.query_params.get("saved", ""),
        intervals=INTERVALS,
        spans={table["name"]: table.get("every", "") for table in tables},
    )


def _row(library: Library, site: WatchedSite, table: Mapping[str, Any], starts: Mapping[str, Any]) -> SiteRow:
    domains = domains_of(table)
    authors = dict.fromkeys(account.author for account in library.accounts if account.domain in domains)
    return SiteRow(site, next_start(site, starts), tuple(authors), _is_authorised(library, domains))


def _is_below(domain: str, domains: Iterable[str]) -> bool:
    return any(domain == parent or domain.endswith(f".{parent}") for parent in domains)


def _several(value: object) -> list[str]:
    return [value] if isinstance(value, str) else list(value) if isinstance(value, list | tuple) else []


def number_of(text: str) -> int | float | str:
    """Return the number that a text represents, or the text itself, which is then refused as a setting."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


__all__ = ["number_of", "router"]
