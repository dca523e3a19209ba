"""Secrets: random generation, and storage as digests and password hashes."""

from __future__ import annotations

import secrets
from hashlib import scrypt, sha256
from hmac import compare_digest

from whorl.errors import UsageError
from whorl.i18n import say

_COST, _BLOCK, _LANES = 2**15, 8, 1
_MEMORY = 64 * 2**20
LEAST_PASSWORD = 10
_MOST_PASSWORD = 1024


def new_secret(prefix: str = "") -> str:
    """Return a secret of 256 random bits."""
    return prefix + secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """Return the stored digest of a random secret. Its entropy makes a slow hash unnecessary."""
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()


def hashed(password: str) -> str:
    """Return the stored hash of a password (scrypt, RFC 7914; 32 MiB, a tenth of a second).

    Raises:
        UsageError: the password is too short or too long.
    """
    if not LEAST_PASSWORD <= len(password) <= _MOST_PASSWORD:
        raise UsageError(
            say("the password has {count:,} characters", count=len(password)),
            hint=say("choose one with at least {least} characters", least=LEAST_PASSWORD),
        )
    salt = secrets.token_bytes(16)
    return f"{salt.hex()}:{_stretched(password, salt).hex()}"


def is_password(password: str, kept: str) -> bool:
    """Check a password against a stored hash, in the same time whether it matches or not."""
    salt, _, expected = kept.partition(":")
    return compare_digest(_stretched(password[:_MOST_PASSWORD], bytes.fromhex(salt)), bytes.fromhex(expected))


NOBODY = f"{'00' * 16}:{'00' * 32}"
"""Hash for unknown users, so that their check takes as long as any other."""


def _stretched(password: str, salt: bytes) -> bytes:
    secret = password.encode("utf-8", "surrogatepass")
    return scrypt(secret, salt=salt, n=_COST, r=_BLOCK, p=_LANES, maxmem=_MEMORY, dklen=32)


__all__ = ["LEAST_PASSWORD", "NOBODY", "digest", "hashed", "is_password", "new_secret"]
