"""Secrets: made at random, told once, kept as what cannot be turned back."""

from __future__ import annotations

import secrets
from hashlib import scrypt, sha256
from hmac import compare_digest

from whorl.errors import UsageError
from whorl.language import say

_COST, _BLOCK, _LANES = 2**15, 8, 1
_MEMORY = 64 * 2**20
LEAST_PASSWORD = 10
_MOST_PASSWORD = 1024


def new_secret(prefix: str = "") -> str:
    """Return a secret of 256 random bits."""
    return prefix + secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """Return what is kept of a secret that was made at random, of which no guess comes near."""
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()


def hashed(password: str) -> str:
    """Return what is kept of a password that somebody has chosen (scrypt, RFC 7914; 32 MiB, a tenth of a second).

    Raises:
        UsageError: it is too short, or too long.
    """
    if not LEAST_PASSWORD <= len(password) <= _MOST_PASSWORD:
        raise UsageError(
            say("the password has {count:,} characters", count=len(password)),
            cure=say("choose one of {least} characters or more", least=LEAST_PASSWORD),
        )
    salt = secrets.token_bytes(16)
    return f"{salt.hex()}:{_stretched(password, salt).hex()}"


def is_password(password: str, kept: str) -> bool:
    """Whether a password is the one of which something is kept; as slow for one that is not."""
    salt, _, expected = kept.partition(":")
    return compare_digest(_stretched(password[:_MOST_PASSWORD], bytes.fromhex(salt)), bytes.fromhex(expected))


NOBODY = f"{'00' * 16}:{'00' * 32}"
"""What is held against a password where there is no such user, so that it takes as long."""


def _stretched(password: str, salt: bytes) -> bytes:
    secret = password.encode("utf-8", "surrogatepass")
    return scrypt(secret, salt=salt, n=_COST, r=_BLOCK, p=_LANES, maxmem=_MEMORY, dklen=32)


__all__ = ["LEAST_PASSWORD", "NOBODY", "digest", "hashed", "is_password", "new_secret"]
