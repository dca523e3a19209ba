import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from whorl.errors import InputError
from whorl.tasks.timestamps import read_response, request

DIGEST = sha256(b"manifest").hexdigest()

with_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")

CONFIGURATION = """
[ca]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash

[authority]
basicConstraints = CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid

[tsa]
default_tsa = tsa1

[tsa1]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
"""


def openssl(*arguments: str, folder: Path) -> bytes:
    return subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True).stdout


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which an authority answers: with its key, its certificate and that of its root."""
    folder = tmp_path_factory.mktemp("authority")
    (folder / "c.cnf").write_text(CONFIGURATION)
    (folder / "serial").write_text("01\n")
    for name in ("root", "tsa"):
        openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key",
            "-subj", f"/O=Witness/CN={name}", "-out", f"{name}.csr", folder=folder,
        )  # fmt: skip
    openssl(
        "x509", "-req", "-in", "root.csr", "-key", "root.key", "-days", "30", "-extfile", "c.cnf", "-extensions", "ca",
        "-out", "root.pem", folder=folder,
    )  # fmt: skip
    openssl(
        "x509", "-req", "-in", "tsa.csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-days", "30",
        "-extfile", "c.cnf", "-extensions", "authority", "-out", "tsa.pem", folder=folder,
    )  # fmt: skip
    return folder


def answered(authority: Path, asked: bytes) -> Path:
    (authority / "asked.tsq").write_bytes(asked)
    openssl(
        "ts", "-reply", "-config", "c.cnf", "-section", "tsa1", "-queryfile", "asked.tsq", "-inkey", "tsa.key",
        "-signer", "tsa.pem", "-out", "answer.tsr", folder=authority,
    )  # fmt: skip
    return authority / "answer.tsr"


@with_openssl
def test_a_request_is_the_one_that_openssl_makes(tmp_path: Path) -> None:
    openssl("ts", "-query", "-digest", DIGEST, "-sha256", "-cert", "-no_nonce", "-out", "own.tsq", folder=tmp_path)
    assert (tmp_path / "own.tsq").read_bytes() == request(DIGEST)


@with_openssl
def test_what_an_authority_answers_is_read(authority: Path) -> None:
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
def test_what_is_no_answer_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "answer.tsr").write_bytes(content)
    with pytest.raises(InputError):
        read_response(tmp_path / "answer.tsr", DIGEST)


def test_files_that_are_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read_response(tmp_path / "none.tsr", DIGEST)
