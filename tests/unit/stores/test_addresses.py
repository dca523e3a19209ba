"""The parts of addresses, and which of them may be shown."""

from __future__ import annotations

from pathlib import Path

import pytest

import whorl
from whorl.errors import InputError, UsageError
from whorl.stores import masked
from whorl.stores.sql.address import place_of


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://user:s3cret@host/news",
        "b=postgresql://user:s3cret@host/news",
        "/srv/b=postgresql:/user:s3cret@host/news",
        "mongodb+srv://user:s3cret@host/news",
        "sqlite:news?index=redis://:s3cret@host",
    ],
)
def test_no_password_is_shown(address: str) -> None:
    assert "s3cret" not in masked(f"{address} cannot be reached")


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("news?index=redis://cache.example:6379/0", "news?index=redis://cache.example:6379/0"),
        (
            "postgresql://w:s3cret@db.example/news?schema=a&index=redis%3A//:s3cret%40cache.example%3A6379/0",
            "postgresql://w:***@db.example/news?schema=a&index=redis://:***@cache.example:6379/0",
        ),
        (
            "mongodb://w:s3cret@a,b/news?index=rediss://u:s3cret@cache.example/0%3Fssl_ca_certs=x&replicaSet=rs",
            "mongodb://w:***@a,b/news?index=rediss://u:***@cache.example/0%3Fssl_ca_certs=x&replicaSet=rs",
        ),
    ],
)
def test_a_masked_address_keeps_its_index(address: str, expected: str) -> None:
    assert masked(address) == expected


def test_a_schema_that_a_server_would_cut_is_refused() -> None:
    for longest in ("a" * 63, "é" * 31):
        assert place_of("postgresql", f"host/news?schema={longest}", frozenset(), "public").schema == longest
    for longer in ("a" * 64, "é" * 32):
        with pytest.raises(UsageError, match="more than 63 bytes"):
            place_of("postgresql", f"host/news?schema={longer}", frozenset(), "public")


@pytest.mark.parametrize("address", ["b=postgresql://user:s3cret@host/news", "sub/mysql://user:s3cret@host/news"])
def test_a_path_with_a_password_is_refused_without_it(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for create in (True, False):
        with pytest.raises(InputError) as refusal:
            whorl.open(address, create=create)
        assert "s3cret" not in str(refusal.value)
    assert not any(tmp_path.iterdir())
