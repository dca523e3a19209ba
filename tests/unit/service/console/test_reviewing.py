"""The review queue in the console: access rights, stored decisions, and notifications."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

import httpx
import pytest
from lxml import html
from tests.serving import served, state_of

import whorl
from whorl.service.settings import Settings
from whorl.service.state.users import Role

PAGE = "/libraries/news/review"
PASSWORD = "correct horse battery"
ICE = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。码头上的老人说，往年这时候要去邻县拉冰。"
TEA = "城东的老茶馆换了招牌，门口排起了长队。掌柜说茶还是那壶茶，水还是那口井里的水。"
HOSTILE = "<script>alert(1)</script>\u202e<img src=x onerror=alert(2)>"

SignedIn = Callable[..., httpx.Client]


@pytest.fixture
def reviewers() -> int:
    """Return the required number of agreeing reviewers."""
    return 1


@pytest.fixture
def filled(settings: Settings, reviewers: int) -> Settings:
    """Return settings with a library of two matches with protected articles, the one of ice more severe."""
    with whorl.open(settings.libraries["news"]) as library:
        library.add({"id": f"own {name}", "text": text, "collection": "protected"} for name, text in _texts())
        library.add(
            {"id": f"copy/{name}", "text": text, "title": HOSTILE, "url": "javascript:alert(3)"}
            for name, text in _texts()
        )
    return replace(settings, reviewers=reviewers)


def _texts() -> list[tuple[str, str]]:
    return [("ice", ICE * 3), ("tea", TEA)]


@pytest.fixture
def signed_in(filled: Settings) -> Iterator[SignedIn]:
    """Return a function that signs people in, each by name and role."""
    with state_of(filled) as state, served(filled) as address, ExitStack() as closing:

        def sign_in(name: str, role: Role = "reviewer") -> httpx.Client:
            state.users.make(name, PASSWORD, role)
            client = closing.enter_context(httpx.Client(base_url=address, timeout=60))
            client.headers["Accept"] = "text/html"
            answer = client.post("/sign-in", data={"name": name, "password": PASSWORD})
            assert answer.status_code == 303
            return client

        yield sign_in


def looked(client: httpx.Client, **query: object) -> html.HtmlElement:
    answer = client.get(PAGE, params=query)
    assert answer.status_code == 200, answer.text
    return html.fromstring(answer.text)


def form_of(page: html.HtmlElement) -> dict[str, str]:
    (form,) = page.cssselect("form.decide")
    return dict(form.form_values())


def decided(client: httpx.Client, page: html.HtmlElement, do: str, **more: str) -> html.HtmlElement:
    """Press a button of the decision form, and follow the redirect."""
    answer = client.post(PAGE, data=form_of(page) | {"do": do} | more)
    assert answer.status_code == 303, answer.text
    answer = client.get(answer.headers["location"])
    assert answer.status_code == 200, answer.text
    return html.fromstring(answer.text)


def skipped(client: httpx.Client, page: html.HtmlElement) -> html.HtmlElement:
    (link,) = page.cssselect("[data-key=s]")
    return html.fromstring(client.get(link.get("href")).text)


def words(page: html.HtmlElement, selector: str) -> list[str]:
    return [" ".join(node.text_content().split()) for node in page.cssselect(selector)]


def kept(filled: Settings, id: str = "copy/ice", other: str = "own ice") -> list[tuple[str, str]]:
    with whorl.open(filled.libraries["news"]) as library:
        return [(record.by, record.state) for record in library.reviews.of(id, other) if record.undone_at is None]


def test_the_most_severe_match_is_shown_side_by_side_and_the_others_below(signed_in: SignedIn) -> None:
    page = looked(signed_in("li"))
    assert (form_of(page)["id"], form_of(page)["other"]) == ("copy/ice", "own ice")
    nodes, right = page.cssselect(".row.passage .text")
    assert "四十吨" in nodes.text_content()
    assert nodes.text_content() == right.text_content()
    assert len(page.xpath("//h2[.='Next in the queue']/following-sibling::table//tbody/tr")) == 1
    assert "2 matches wait" in words(page, ".deck")[0]


def test_a_decision_leads_to_the_next_match_and_then_to_the_end(signed_in: SignedIn, filled: Settings) -> None:
    li = signed_in("li")
    page = decided(li, looked(li), "confirmed", note=" the same \n to the letter ")
    assert form_of(page)["id"] == "copy/tea"
    assert "confirmed" in words(page, ".decided")[0]
    page = decided(li, page, "rejected")
    assert "No matches waiting" in words(page, ".empty")[0]
    assert words(page, ".log li b") == ["li", "li"]
    assert words(page, ".log q") == ["the same to the letter"]
    assert kept(filled) == [("li", "confirmed")]
    (undo,) = looked(li).cssselect("form:has([data-key=u])")
    assert dict(undo.form_values())["id"] == "own tea", "the key takes the last decision back on any page"
    (link,) = [node.get("href") for node in page.cssselect(".log .what a") if "ice" in node.get("href")]
    assert form_of(html.fromstring(li.get(link).text))["id"] == "copy/ice", (
        "the copy is the copy wherever one comes from"
    )
    assert looked(li, state="rejected").cssselect("form.decide input[name=id]")[0].get("value") == "copy/tea"


def test_how_often_matches_were_right_is_told_by_what_was_decided(signed_in: SignedIn) -> None:
    li = signed_in("li")
    assert "No decisions yet" in looked(li).text_content()
    page = decided(li, looked(li), "confirmed")
    (row,) = [row for row in page.cssselect(".bands tbody tr") if row.cssselect("svg")]
    assert words(row, "td.n")[:2] == ["right1", "wrong0"]
    assert "1 decided" in words(page, ".told")[0]


def test_a_match_that_is_skipped_stays_and_others_come_first(signed_in: SignedIn) -> None:
    li = signed_in("li")
    page = skipped(li, looked(li))
    assert form_of(page)["id"] == "copy/tea"
    page = skipped(li, page)
    assert "You have reached the end of the queue" in words(page, ".empty")[0]
    assert form_of(looked(li))["id"] == "copy/ice"
    page = decided(li, skipped(li, looked(li)), "confirmed")
    assert "You have reached the end of the queue" in words(page, ".empty")[0], "what was skipped stays behind"


def test_a_decision_is_taken_back_and_its_match_shown_again(signed_in: SignedIn, filled: Settings) -> None:
    li = signed_in("li")
    page = decided(li, looked(li), "confirmed")
    (undo,) = page.cssselect(".decided form")
    answer = li.post(undo.get("action"), data=dict(undo.form_values()))
    page = html.fromstring(li.get(answer.headers["location"]).text)
    assert form_of(page)["id"] == "copy/ice"
    assert "undone by li" in words(page, ".said li.undone")[0]
    assert kept(filled) == []
    assert not page.cssselect("[data-key=u]"), "nothing is left to take back"
    again = li.post(undo.get("action"), data=dict(undo.form_values()))
    assert again.status_code == 422, "what does not stand cannot be taken back"


def test_whoever_takes_back_takes_back_their_own_decision(signed_in: SignedIn, filled: Settings) -> None:
    li, wang = signed_in("li"), signed_in("wang")
    both = looked(li), looked(wang)
    page = decided(li, both[0], "confirmed")
    decided(wang, both[1], "rejected")
    (undo,) = page.cssselect(".decided form")
    li.post(undo.get("action"), data=dict(undo.form_values()))
    assert kept(filled) == [("wang", "rejected")]


def test_two_who_decide_the_same_match_at_once_are_both_kept_and_told(signed_in: SignedIn, filled: Settings) -> None:
    people = {name: signed_in(name) for name in ("li", "wang")}
    forms = {name: form_of(looked(client)) for name, client in people.items()}
    states = {"li": "confirmed", "wang": "rejected"}
    with ThreadPoolExecutor() as pool:
        answers = dict(
            zip(
                people,
                pool.map(lambda name: people[name].post(PAGE, data=forms[name] | {"do": states[name]}), people),
                strict=True,
            )
        )
    assert set(kept(filled)) == set(states.items())
    for name, other in (("li", "wang"), ("wang", "li")):
        page = html.fromstring(people[name].get(answers[name].headers["location"]).text)
        assert any(f"{other} decided:" in word for word in words(page, ".notice")), (name, words(page, ".notice"))


def test_whoever_decided_first_hears_of_it_on_their_next_page(signed_in: SignedIn) -> None:
    li, wang = signed_in("li"), signed_in("wang")
    late = looked(wang)
    decided(li, looked(li), "confirmed")
    page = decided(wang, late, "rejected")
    assert "At the same time li decided: confirmed. Both are recorded." in words(page, ".decided")[0]
    assert "After you, wang decided: dismissed" in words(looked(li), ".notice")[0]
    assert looked(wang).cssselect(".notice") == []


def test_who_decided_what_stands_in_the_audit_log(signed_in: SignedIn, filled: Settings) -> None:
    li = signed_in("li")
    decided(li, looked(li), "confirmed")
    with state_of(filled) as state:
        (entry,) = [record for record in state.audit.list() if record.what.endswith("/review")]
    assert (entry.who, entry.subject, entry.library) == ("user li", "confirmed copy/ice own ice", "news")


def test_pressing_twice_decides_once(signed_in: SignedIn, filled: Settings) -> None:
    li = signed_in("li")
    form = form_of(looked(li)) | {"do": "confirmed"}
    places = [li.post(PAGE, data=form).headers["location"] for _ in range(2)]
    assert places[0] == places[1]
    assert kept(filled) == [("li", "confirmed")]


class TestTwoMustAgree:
    """A decision needs two agreeing reviewers."""

    @pytest.fixture
    def reviewers(self) -> int:
        return 2

    def test_the_first_vote_waits_for_another_person(self, signed_in: SignedIn) -> None:
        li, wang = signed_in("li"), signed_in("wang")
        page = decided(li, looked(li), "confirmed", note="word for word")
        assert form_of(page)["id"] == "copy/tea", "whoever has said what they think is not asked again"
        assert "2 people must agree" in words(page, ".deck")[0]
        page = looked(wang)
        assert form_of(page)["id"] == "copy/ice"
        assert "li confirmed" in words(page, ".said li")[0]
        assert "word for word" in words(page, ".said li")[0]
        assert "Not agreed yet" in words(page, ".said")[0]
        page = decided(wang, page, "confirmed")
        assert "1 match waits" in words(page, ".deck")[0]
        assert looked(li).cssselect(".notice") == [], "that somebody agrees is no news"
        assert "Agreed." in words(looked(li, id="copy/ice", other="own ice"), ".said")[0]

    def test_one_person_does_not_agree_with_themselves(self, signed_in: SignedIn) -> None:
        li = signed_in("li")
        for _ in range(2):
            page = decided(li, looked(li, id="copy/ice", other="own ice"), "confirmed")
        assert "2 matches wait" in words(page, ".deck")[0]

    def test_whoever_is_contradicted_is_told(self, signed_in: SignedIn) -> None:
        li, wang = signed_in("li"), signed_in("wang")
        decided(li, looked(li), "confirmed")
        decided(wang, looked(wang), "rejected")
        page = looked(li)
        assert "After you, wang decided: dismissed" in words(page, ".notice")[0]
        assert page.xpath("//h2[@id='contested']/following-sibling::table//a/@href") == [
            f"{PAGE}?id=copy%2Fice&other=own+ice"
        ]
        page = decided(li, looked(li, id="copy/ice", other="own ice"), "rejected")
        assert not page.xpath("//h2[@id='contested']")


def test_whoever_may_only_read_sees_the_queue_and_no_buttons(signed_in: SignedIn, filled: Settings) -> None:
    reader, li = signed_in("reader", "reader"), signed_in("li")
    decided(li, looked(li), "confirmed")
    page = looked(reader)
    assert page.cssselect(".aligned")
    assert [form.get("action") for form in page.cssselect("form[method=post]")] == ["/sign-out"]
    form = form_of(looked(li)) | {"do": "rejected"}
    assert reader.post(PAGE, data=form).status_code == 403
    undone = {"id": "copy/ice", "other": "own ice", "number": "1"}
    assert reader.post(f"{PAGE}/undo", data=undone).status_code == 403
    assert kept(filled) == [("li", "confirmed")]


def test_pages_of_other_sites_cannot_decide(signed_in: SignedIn, filled: Settings) -> None:
    li = signed_in("li")
    form = form_of(looked(li)) | {"do": "confirmed"}
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
        assert li.post(PAGE, data=form, headers=headers).status_code == 403
        assert li.post(f"{PAGE}/undo", data=form | {"number": "1"}, headers=headers).status_code == 403
    assert kept(filled) == []


def test_nobody_who_is_not_signed_in_gets_in(signed_in: SignedIn) -> None:
    li = signed_in("li")
    li.cookies.clear()
    assert li.get(PAGE).headers["location"].startswith("/sign-in")
    assert li.post(PAGE, data={"id": "copy/ice", "other": "own ice", "do": "confirmed"}).status_code == 303


def test_what_articles_say_is_never_taken_for_markup(signed_in: SignedIn) -> None:
    li = signed_in("li")
    page = decided(li, looked(li), "confirmed", note=HOSTILE)
    assert {script.get("src").split("-")[0] for script in page.iter("script")} == {"/static/console", "/static/review"}
    assert not page.xpath("//*[@onerror] | //img | //*[@style]")
    assert not [node for node in page.xpath("//@href") if not node.startswith(("/", "data:,", "#", "?"))]
    assert "\u202e" not in html.tostring(page, encoding="unicode")


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"state": "maybe"}, 422),
        ({"after": "~~~"}, 422),
        ({"after": "W1tbW1tb" * 600}, 422),
        ({"id": "none", "other": "own ice"}, 404),
        ({"last": "x"}, 422),
        ({"among": "nowhere"}, 200),
        ({"last": "999", "seen": "-1"}, 200),
    ],
)
def test_addresses_that_nobody_gave_are_answered_with_what_to_do(
    signed_in: SignedIn, query: dict[str, str], status: int
) -> None:
    answer = signed_in("li").get(PAGE, params=query)
    assert answer.status_code == status
    assert html.fromstring(answer.text).cssselect("main h1")


@pytest.mark.parametrize("wrong", [{"do": "maybe"}, {"id": "none"}, {"seen": "-1"}, {"note": "x" * 2001}])
def test_decisions_that_cannot_be_are_refused(signed_in: SignedIn, filled: Settings, wrong: dict[str, str]) -> None:
    li = signed_in("li")
    answer = li.post(PAGE, data=form_of(looked(li)) | {"do": "confirmed"} | wrong)
    assert answer.status_code in (404, 422)
    assert kept(filled) == []


def test_an_empty_queue_says_what_to_do(client: httpx.Client) -> None:
    page = looked(client)
    assert "No matches waiting" in words(page, ".empty")[0]
    assert "protected" in words(page, ".empty")[0]


def test_the_page_is_said_in_the_language_of_its_reader(signed_in: SignedIn) -> None:
    page = looked(signed_in("li"), lang="zh")
    assert page.get("lang") == "zh"
    assert words(page, "form.decide button.main")
