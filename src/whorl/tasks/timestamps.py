"""RFC 3161 time-stamps: create requests and verify responses."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from whorl._internal.frozen import frozen
from whorl.errors import InputError
from whorl.i18n import Message, say
from whorl.release import missing_package

_MOST_BYTES = 2**20
# A sequence of: version 1; the digest with its algorithm, SHA-256; and the request to include the certificate.
_BEFORE = bytes.fromhex("30390201013031300d060960864801650304020105000420")
_AFTER = bytes.fromhex("0101ff")


@frozen
class Stamp:
    """Content of a time-stamp.

    Attributes:
        at: the time stated by the authority.
        is_trusted: True if the signature leads to one of the passed certificates; None if no certificates were passed.
        problem: why it proves nothing, or an empty string.
    """

    at: datetime | None
    is_trusted: bool | None
    problem: Message | str = ""


def request(digest: str) -> bytes:
    """Return the request to time-stamp a SHA-256, passed as hexadecimal digits: 59 bytes of DER."""
    return _BEFORE + bytes.fromhex(digest) + _AFTER


def read_response(path: Path, digest: str, trusted: Path | None = None) -> Stamp:
    """Read and verify a time-stamp response.

    Args:
        path: the response, DER as received from the authority.
        digest: the expected SHA-256.
        trusted: certificates of trusted authorities, PEM; None does not verify the signature.

    Raises:
        InputError: a file cannot be read, or has the wrong format.
        UsageError: the package that reads responses is not installed.
    """
    try:
        from rfc3161_client import VerificationError, VerifierBuilder, decode_timestamp_response
    except ImportError:
        raise missing_package(say("time-stamps need rfc3161-client"), "timestamps") from None
    data = _read(path)
    try:
        response = decode_timestamp_response(data)
        imprint, at = bytes(response.tst_info.message_imprint.message), response.tst_info.gen_time
    except ValueError:
        raise InputError(
            say("{path}: expected a time-stamp response", path=path),
            hint=say("store the authority's response unchanged; `openssl ts -verify` supports more formats"),
        ) from None
    if imprint != bytes.fromhex(digest):
        return Stamp(None, False, say("the time-stamp is for another digest"))
    if trusted is None:
        return Stamp(at, None)
    builder = VerifierBuilder()
    for certificate in _certificates(trusted):
        builder = builder.add_root_certificate(certificate)
    try:
        builder.build().verify(response, imprint)
    except (VerificationError, ValueError) as error:
        return Stamp(at, False, say("the time-stamp has no trusted signature: {error}", error=error))
    return Stamp(at, True)


def _certificates(path: Path) -> list[Any]:
    from cryptography.x509 import load_pem_x509_certificates

    try:
        return list(dict.fromkeys(load_pem_x509_certificates(_read(path))))
    except ValueError:
        raise InputError(
            say("{path} contains no certificates", path=path), hint=say("use the authority's certificates as PEM")
        ) from None


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise InputError(
            say("cannot read {path}: {reason}", path=path, reason=error.strerror),
            hint=say("check its name and permissions"),
        ) from None
    if len(data) > _MOST_BYTES:
        raise InputError(say("{path} is too large", path=path), hint=say("check its name"))
    return data


__all__ = ["Stamp", "read_response", "request"]
