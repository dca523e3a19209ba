"""Bodies that are small on the wire and large in memory are rejected before they are parsed."""

from __future__ import annotations

import json

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.service.http import bodies
from whorl.service.http.bodies import RefusedError, demand_shape

REQUEST = {"text": "a", "sources": [{"text": "b"}]}
VALUES = st.recursive(
    st.none() | st.integers() | st.text() | st.text('\\"[]{},'),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner, max_size=5),
)


@pytest.mark.parametrize(
    "more",
    [
        '"x":[' + "[]," * 150_000 + "[]]",
        '"boilerplate":[' + "1," * 150_000 + "1]",
        '"x":' + "[" * 33 + "]" * 33,
        '"x":{' + ",".join(f'"{number}":{{}}' for number in range(80_000)) + "}",
    ],
    ids=["lists", "wrong items", "deep", "objects"],
)
@pytest.mark.parametrize("path", ["compare", "libraries/news/documents", "libraries/news/check"])
def test_a_body_of_too_many_values_is_refused(client: httpx.Client, path: str, more: str) -> None:
    body = json.dumps(REQUEST)[:-1] + "," + more + "}"
    answer = client.post(f"/v1/{path}", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (413, "too-large")
    assert client.get("/healthz").status_code == 200


def test_what_strings_hold_counts_for_nothing(client: httpx.Client) -> None:
    text = '[{,"\\' * 60_000
    assert client.post("/v1/compare", json={"text": text, "sources": [{"text": text}]}).status_code == 200


def test_what_is_no_json_is_told(client: httpx.Client) -> None:
    for content in (b"", b"{", b'"', b"\xff", b"]]]]"):
        answer = client.post("/v1/compare", content=content, headers={"Content-Type": "application/json"})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


def test_an_answer_larger_than_its_request_is_bounded(client: httpx.Client) -> None:
    for path in ("segment", "fingerprint"):
        answer = client.post(f"/v1/{path}", json={"texts": ["词" * 150_000, "词" * 50_001]})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
        assert "200,000 code points" in answer.text


def test_a_body_in_another_encoding_hides_no_values(client: httpx.Client) -> None:
    """In UTF-16 a backslash escapes no quote that follows it in the next two bytes."""
    hidden = '{"x":"\\"","text":"a","boilerplate":[' + "1," * 150_000 + "1]}"
    for encoding in ("utf-16", "utf-16-le", "utf-32"):
        answer = client.post(
            "/v1/compare", content=hidden.encode(encoding), headers={"Content-Type": "application/json"}
        )
        assert answer.status_code in (413, 422)
        assert answer.json()["code"] in ("too-large", "invalid")
        assert len(answer.content) < 1000


@given(VALUES, st.integers(1, 8), st.booleans())
def test_values_are_counted_as_parsing_does(value: object, piece: int, ascii: bool) -> None:
    """The slow twin walks the parsed value; the body is looked at in small pieces."""
    body = json.dumps(value, ensure_ascii=ascii).encode("utf-8", "surrogatepass")

    def nested(item: object) -> int:
        inner = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        return (1 if isinstance(item, dict | list) else 0) + max(map(nested, inner), default=0)

    def counted(item: object) -> int:
        inner = list(item.values() if isinstance(item, dict) else item if isinstance(item, list) else ())
        document = 1 + max(0, len(inner) - 1) if isinstance(item, dict | list) else 0
        return document + sum(map(counted, inner))

    allowed = pytest.MonkeyPatch()
    with allowed.context() as patch:
        for values, depth in ((counted(value), nested(value)), (counted(value) - 1, nested(value))):
            patch.setattr(bodies, "MOST_VALUES", values)
            patch.setattr(bodies, "MOST_DEPTH", depth)
            if values < counted(value):
                with pytest.raises(RefusedError):
                    demand_shape(body, piece)
            else:
                demand_shape(body, piece)
