"""Checks of texts against texts and against a library, inputs of texts, and comparisons as files."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import httpx
import pytest
from lxml import html
from tests.articles import article, edited
from tests.translated import ITS_TRANSLATION, TERMS, WITHOUT_FACTS

import whorl

TEXT = article(1)
COPY = edited(TEXT, 3)


def compared(client: httpx.Client, **more: Any) -> dict[str, Any]:
    answer = client.post("/v1/compare", json={"text": COPY, "sources": [{"text": TEXT, "name": "first"}], **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_two_texts_are_compared_as_whorl_compares_them(client: httpx.Client) -> None:
    comparison, value = compared(client), whorl.compare(TEXT, COPY)
    assert comparison["ratios"] == value.to_dict()["ratios"]
    assert comparison["passages"] == list(value.to_dict()["passages"])
    assert (comparison["relation"], comparison["sources"][0]["name"]) == (value.relation, "first")


def test_several_sources_share_what_they_gave(client: httpx.Client) -> None:
    sources = [{"text": TEXT[:100]}, {"text": TEXT[100:], "authorised": True}, {"text": article(2)}]
    report = compared(client, text=TEXT, sources=sources)
    assert report["compared"] == 3
    assert report["ratios"]["copied"] > report["ratios"]["foreign"] > 0
    assert {source["name"] for source in report["sources"]} == {"1", "2"}


def test_options_are_those_of_a_comparison(client: httpx.Client) -> None:
    report = compared(client, text=f"他说：“{TEXT}”", exclude=["quotations"], least=5, language="en")
    assert report["exclusions"][0]["reason"] == "quotations"
    assert compared(client, boilerplate=[TEXT])["ratios"]["copied"] < 0.5
    refused = client.post("/v1/compare", json={"text": "a", "sources": []})
    assert refused.json()["errors"][0]["where"] == "body.sources"


BEGINS = {
    "html": b"<!doctype html",
    "pdf": b"%PDF-",
    "json": b"{",
    "csv": b"\xef\xbb\xbf",
    "xlsx": b"PK",
    "docx": b"PK",
}


@pytest.mark.parametrize("kind", BEGINS)
def test_a_comparison_is_a_file_of_any_kind(client: httpx.Client, kind: str) -> None:
    body = {"text": f"\0\x08{COPY}", "sources": [{"text": TEXT, "name": "<script>=1+1"}]}
    response = client.post("/v1/compare/report", params={"format": kind, "short": True}, json=body)
    assert response.status_code == 200, response.text
    assert response.headers["content-disposition"] == f'attachment; filename="comparison.{kind}"'
    assert response.content.startswith(BEGINS[kind])
    if kind == "html":
        assert not html.fromstring(response.text).xpath("//script[contains(., '=1+1')]")
    if kind in ("xlsx", "docx"):
        assert zipfile.ZipFile(io.BytesIO(response.content)).testzip() is None


def test_texts_are_cut_into_words_as_whorl_cuts_them(client: httpx.Client) -> None:
    texts = ["研究生命的起源", "", "half \ud800"]
    request = json.dumps({"tags": True, "texts": texts})
    response = client.post("/v1/segment", content=request, headers={"Content-Type": "application/json"}).json()["texts"]
    assert response == [[word._asdict() for word in words] for words in whorl.words.segment(texts, tags=True)]
    assert client.post("/v1/segment", json={"texts": ["a"], "stem": "elvish"}).json()["code"] == "usage"


def test_fingerprints_are_those_of_whorl(client: httpx.Client) -> None:
    response = client.post("/v1/fingerprint", json={"texts": [TEXT, ""], "method": "simhash"}).json()["texts"]
    prints = whorl.fingerprint([TEXT, ""], "simhash").to_pylist()
    assert [item["digest"] for item in response] == [item["digest"].hex() for item in prints]
    assert [[int(key, 16) for key in item["keys"]] for item in response] == [item["keys"] for item in prints]
    assert client.post("/v1/fingerprint", json={"texts": [], "method": "simhush"}).status_code == 404


def test_fingerprints_have_the_requested_key_type_and_signature(client: httpx.Client) -> None:
    expected = whorl.fingerprint([TEXT, ""], keys="int64", signature=True).to_pylist()
    response = client.post("/v1/fingerprint", json={"texts": [TEXT, ""], "keys": "int64", "signature": True}).json()
    assert [item["keys"] for item in response["texts"]] == [item["keys"] for item in expected]
    signatures = [item["signature"] and item["signature"].hex() for item in expected]
    assert [item["signature"] for item in response["texts"]] == signatures
    assert response["min_shared"] == 1
    refused = client.post("/v1/fingerprint", json={"texts": [TEXT], "method": "exact", "signature": True}).json()
    assert (refused["code"], bool(refused["hint"])) == ("usage", True)


def test_fingerprints_have_the_requested_iscc(client: httpx.Client) -> None:
    response = client.post("/v1/fingerprint", json={"texts": [TEXT, ""], "iscc": 256}).json()["texts"]
    assert [item["iscc"] for item in response] == whorl.iscc.text_codes([TEXT, ""], 256)
    refused = client.post("/v1/fingerprint", json={"texts": [TEXT], "iscc": 100}).json()
    assert (refused["code"], bool(refused["hint"])) == ("usage", True)


def test_terms_are_evidence_of_a_translation(client: httpx.Client) -> None:
    question = {"text": ITS_TRANSLATION, "sources": [{"text": WITHOUT_FACTS}]}
    assert compared(client, **question)["relation"] == "unrelated"
    assert compared(client, **question, terms=TERMS)["relation"] == "translation"


def test_a_check_tells_what_adding_would(client: httpx.Client) -> None:
    client.post("/v1/libraries/news/documents", json={"id": "a", "text": TEXT, "collection": "protected"})
    (match,) = client.post("/v1/libraries/news/check", json={"text": COPY}).json()["matches"]
    assert (match["id"], match["joins"]) == ("a", True)
    assert TEXT[match["passages"][0]["a_start"]] == COPY[match["passages"][0]["b_start"]]
    assert not client.post("/v1/libraries/news/check", json={"text": COPY, "among": "other"}).json()["matches"]
    assert len(client.get("/v1/libraries/news/documents").json()["items"]) == 1
