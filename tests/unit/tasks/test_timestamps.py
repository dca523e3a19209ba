import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from tests.authority import answered, found_authority, openssl

from whorl.errors import InputError
from whorl.tasks.timestamps import read_response, request

DIGEST = sha256(b"manifest").hexdigest()

with_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("authority")
    found_authority(folder)
    return folder


@with_openssl
def test_a_request_is_the_one_that_openssl_makes(tmp_path: Path) -> None:
    openssl("ts", "-query", "-digest", DIGEST, "-sha256", "-cert", "-no_nonce", "-out", "own.tsq", folder=tmp_path)
    assert (tmp_path / "own.tsq").read_bytes() == request(DIGEST)


@with_openssl
def test_authority_response_is_read(authority: Path) -> None:
    path = answered(authority, request(DIGEST))
    trusted = read_response(path, DIGEST, authority / "root.pem")
    assert trusted.is_trusted is True
    assert trusted.at is not None
    assert read_response(path, DIGEST).is_trusted is None


@with_openssl
def test_a_stamp_of_something_else_or_by_somebody_else_proves_nothing(authority: Path, tmp_path: Path) -> None:
    path = answered(authority, request(DIGEST))
    other = read_response(path, sha256(b"other").hexdigest(), authority / "root.pem")
    assert other.is_trusted is False
    assert other.problem
    openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "k",
        "-subj", "/CN=x",
        "-days", "30", "-out", "stranger.pem", folder=tmp_path,
    )  # fmt: skip
    assert read_response(path, DIGEST, tmp_path / "stranger.pem").is_trusted is False


@with_openssl
def test_an_altered_stamp_is_not_trusted(authority: Path, tmp_path: Path) -> None:
    answer = bytearray(answered(authority, request(DIGEST)).read_bytes())
    answer[-1] ^= 1  # in the signature
    (tmp_path / "altered.tsr").write_bytes(answer)
    assert read_response(tmp_path / "altered.tsr", DIGEST, authority / "root.pem").is_trusted is False


@pytest.mark.parametrize("content", [b"", b"no answer", b"0\x80" * 1000])
def test_invalid_response_is_reported(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "answer.tsr").write_bytes(content)
    with pytest.raises(InputError):
        read_response(tmp_path / "answer.tsr", DIGEST)


def test_missing_files_are_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read_response(tmp_path / "none.tsr", DIGEST)
