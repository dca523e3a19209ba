"""Alert receivers and rules in the console: forms for administrators, which store them with the library.

Receivers are for administrators of the whole service: their secrets are variables of its environment, which those of
other libraries must not use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field, field_validator

from whorl.errors import NotFoundError, UsageError, WhorlError
from whorl.i18n import Message, say
from whorl.library import Library
from whorl.monitor.alerts.settings import FILE, KINDS
from whorl.monitor.alerts.stored import (
    PREFIX,
    alerts_for,
    has_alerts_file,
    put_channel,
    put_rule,
    remove_channel,
    remove_rule,
    send_test,
)
from whorl.monitor.settings.setting_error import SettingError
from whorl.reports.comparison.wording import RELATIONS
from whorl.service.console.pages import page
from whorl.service.console.settings import library_settings_page
from whorl.service.console.watched_sites import number_of
from whorl.service.http.access import library_for, overseer
from whorl.service.http.problems import TITLES, code_of

router = APIRouter()
Administered = Annotated[Library, Depends(library_for("admin"))]
Text = Annotated[str, Form(max_length=2000)]
Short = Annotated[str, Field(max_length=300)]
Lines = Annotated[str, Field(max_length=20_000)]
_TEST_SECONDS = 10.0

KIND_NAMES: Mapping[str, Message] = {
    "email": say("e-mail"),
    "webhook": say("webhook: a program, with signed messages"),
    "wecom": say("WeCom (企业微信)"),
    "dingtalk": say("DingTalk (钉钉)"),
    "feishu": say("Feishu (飞书)"),
    "slack": say("Slack"),
}
"""Label of each kind of channel."""
SECURITY_NAMES: Mapping[str, Message] = {
    "starttls": say("STARTTLS"),
    "tls": say("TLS"),
    "none": say("not encrypted"),
}
"""Label of each kind of encryption, the usual one first."""
REVIEW_NAMES: Mapping[str, Message] = {
    "pending": say("not decided yet"),
    "confirmed": say("confirmed as copies"),
    "authorised": say("permitted"),
    "rejected": say("rejected: no copy"),
}
"""Label of each decision."""


class ReceiverForm(BaseModel):
    """The submitted form of a channel. Secrets are names of variables of the environment.

    Attributes:
        replaces: name of the channel that is edited; empty for a new one.
        kind: one of ``KINDS``; empty if none is chosen yet.
    """

    replaces: Short = ""
    name: Short = ""
    kind: Short = ""
    url: Lines = ""
    secret: Short = ""
    host: Short = ""
    sender: Short = ""
    to: Lines = ""
    security: Short = ""
    port: Short = ""
    user: Short = ""
    password: Short = ""
    most: Short = ""
    seconds: Short = ""
    language: Short = ""

    @field_validator("kind")
    @classmethod
    def _supported(cls, kind: str) -> str:
        """Return the kind of the channel, or an empty string for one that no form exists for."""
        return kind if kind in KINDS else ""

    @classmethod
    def of(cls, name: str, table: Mapping[str, Any]) -> ReceiverForm:
        """Fill the form with a stored channel."""
        texts = {key: _text_of(value) for key, value in table.items() if key in cls.model_fields}
        return cls.model_validate({**texts, "name": name, "replaces": name})

    def table(self) -> dict[str, Any]:
        """Return the keys of the channel as in ``alerts.toml``; invalid values are left to its validation."""
        secrets = {key: {"env": text} if (text := getattr(self, key).strip()) else "" for key in ("secret", "password")}
        url: Any = self.url.strip()
        numbers = {key: number_of(getattr(self, key).strip()) for key in ("port", "most", "seconds")}
        texts = {key: getattr(self, key).strip() for key in ("host", "sender", "security", "user", "language")}
        chosen = {"kind": self.kind, **texts, **numbers, **secrets, "to": self.to.split()}
        return {**chosen, "url": url if self.kind == "webhook" or not url else {"env": url}}


class RuleForm(BaseModel):
    """The submitted form of a rule.

    Attributes:
        replaces: name of the rule that is edited; empty for a new one.
        share: minimum share in percent.
    """

    replaces: Short = ""
    name: Short = ""
    to: list[Short] = Field(default_factory=list, max_length=100)
    sites: Lines = ""
    share: Short = ""
    length: Short = ""
    collections: list[Short] = Field(default_factory=list, max_length=1000)
    kinds: list[Short] = Field(default_factory=list, max_length=100)
    reviews: list[Short] = Field(default_factory=list, max_length=10)

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> RuleForm:
        """Fill the form with a stored rule."""
        share = f"{100 * table['share']:g}" if "share" in table else ""
        texts = {"sites": "\n".join(table.get("sites", ())), "length": str(table.get("length", "")), "share": share}
        return cls.model_validate({"reviews": _USUAL_REVIEWS, **table, **texts, "replaces": table["name"]})

    def table(self) -> dict[str, Any]:
        """Return the keys of the rule as in ``alerts.toml``; invalid values are left to its validation."""
        share = number_of(self.share.strip().removesuffix("%").strip())
        lists = {"to": self.to, "collections": self.collections, "kinds": self.kinds, "reviews": self.reviews}
        share = share if isinstance(share, str) else share / 100
        texts = {"name": self.name.strip(), "share": share, "length": number_of(self.length.strip())}
        return {**texts, **lists, "sites": self.sites.split()}


_USUAL_REVIEWS = ["pending", "confirmed"]


@router.get("/settings/libraries/{library}/receivers/edit", dependencies=[Depends(overseer)])
def show_receiver(request: Request, library: str, opened: Administered, name: str = "", kind: str = "") -> Response:
    """Show the form of a receiver, or that of a new one."""
    if not name:
        return _receiver_page(request, library, ReceiverForm(kind=kind))
    channels = opened.alert_settings.read().get("channels", {})
    if name not in channels:
        raise NotFoundError(say("channel '{name}' not found", name=name), hint=say("open the list of receivers"))
    return _receiver_page(request, library, ReceiverForm.of(name, channels[name]))


@router.post("/settings/libraries/{library}/receivers/edit", dependencies=[Depends(overseer)])
def save_receiver(
    request: Request, library: str, opened: Administered, form: Annotated[ReceiverForm, Form()]
) -> Response:
    """Store a new or an edited receiver."""
    request.state.subject = form.name or form.replaces
    try:
        _demand_no_file(opened)
        put_channel(opened, form.name.strip(), form.table(), replaces=form.replaces)
    except WhorlError as error:
        return _receiver_page(request, library, form, error)
    return _back(library)


@router.post("/settings/libraries/{library}/receivers/remove", dependencies=[Depends(overseer)])
def delete_receiver(request: Request, library: str, opened: Administered, name: Text) -> Response:
    """Remove a receiver that no rule notifies."""
    request.state.subject = name
    try:
        _demand_no_file(opened)
        remove_channel(opened, name)
    except WhorlError as error:
        return library_settings_page(request, library, opened, error)
    return _back(library)


@router.post("/settings/libraries/{library}/receivers/test")
def try_receiver(request: Request, library: str, opened: Administered, name: Text) -> Response:
    """Send a test message to a receiver, and show what it answered."""
    request.state.subject = name
    try:
        settings = alerts_for(opened)
        if settings is None:
            raise NotFoundError(say("channel '{name}' not found", name=name), hint=say("open the list of receivers"))
        channel = settings.channel(name)
        limited = replace(channel, seconds=min(channel.seconds, _TEST_SECONDS))
        outcome = send_test(limited, datetime.now(UTC))
    except WhorlError as error:
        return library_settings_page(request, library, opened, error)
    return library_settings_page(request, library, opened, tested=(name, outcome))


@router.get("/settings/libraries/{library}/rules/edit")
def show_rule(request: Request, library: str, opened: Administered, name: str = "") -> Response:
    """Show the form of a rule, or that of a new one."""
    stored = opened.alert_settings.read()
    if not name:
        return _rule_page(
            request, library, opened, RuleForm(reviews=_USUAL_REVIEWS, to=list(stored.get("channels", {})))
        )
    table = next((rule for rule in stored.get("rules", ()) if rule["name"] == name), None)
    if table is None:
        raise NotFoundError(say("no rule {rule!r}", rule=name), hint=say("open the list of rules"))
    return _rule_page(request, library, opened, RuleForm.of(table))


@router.post("/settings/libraries/{library}/rules/edit")
def save_rule(request: Request, library: str, opened: Administered, form: Annotated[RuleForm, Form()]) -> Response:
    """Store a new or an edited rule."""
    request.state.subject = form.name or form.replaces
    try:
        _demand_no_file(opened)
        put_rule(opened, form.table(), replaces=form.replaces)
    except WhorlError as error:
        return _rule_page(request, library, opened, form, _in_percent(error, form.share))
    return _back(library)


@router.post("/settings/libraries/{library}/rules/remove")
def delete_rule(request: Request, library: str, opened: Administered, name: Text) -> Response:
    """Remove a rule."""
    request.state.subject = name
    try:
        _demand_no_file(opened)
        remove_rule(opened, name)
    except WhorlError as error:
        return library_settings_page(request, library, opened, error)
    return _back(library)


def _receiver_page(request: Request, library: str, form: ReceiverForm, error: WhorlError | None = None) -> Response:
    return page(
        request,
        "receiver.html.j2",
        tab="settings",
        library=library,
        form=form,
        kinds=KIND_NAMES,
        securities=SECURITY_NAMES,
        prefix=PREFIX,
        **_faults(error, set(ReceiverForm.model_fields)),
    )


def _rule_page(
    request: Request, library: str, opened: Library, form: RuleForm, error: WhorlError | None = None
) -> Response:
    return page(
        request,
        "alert_rule.html.j2",
        tab="settings",
        library=library,
        form=form,
        channels=list(opened.alert_settings.read().get("channels", {})),
        collections=sorted({*opened.collections(), *form.collections}),
        relations=RELATIONS,
        reviews=REVIEW_NAMES,
        **_faults(error, set(RuleForm.model_fields)),
    )


def _in_percent(error: WhorlError, share: str) -> WhorlError:
    """Return an error about a share in the unit of the form."""
    if isinstance(error, SettingError) and error.key == "share":
        return SettingError(error.message, hint=say("use a percentage from 0 to 100"), key="share", value=share)
    return error


def _faults(error: WhorlError | None, fields: set[str]) -> dict[str, Any]:
    """Return the status, the error and its field for a page with a form."""
    key = error.key if isinstance(error, SettingError) else ""
    status = 200 if error is None else TITLES[code_of(error)][0]
    return {"status": status, "error": error, "at_field": key if key in fields else ""}


def _demand_no_file(library: Library) -> None:
    if has_alerts_file(library):
        raise UsageError(
            say("the receivers of this library are in the file {file}", file=FILE),
            hint=say("change the file, or remove it to use the console"),
        )


def _back(library: str) -> Response:
    return RedirectResponse(f"/settings/libraries/{quote(library, safe='')}#receivers", 303)


def _text_of(value: Any) -> str:
    """Return a stored value as text; of a secret the name of its variable."""
    if isinstance(value, Mapping):
        return str(value.get("env", ""))
    return "\n".join(value) if isinstance(value, list) else str(value)


__all__ = ["router"]
