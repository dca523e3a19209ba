"""A time-stamping authority (RFC 3161) based on openssl."""

import subprocess
from pathlib import Path

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


def found_authority(folder: Path) -> None:
    """Set up the folder of an authority with its key, its certificate and the root certificate."""
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


def answered(authority: Path, request: bytes) -> Path:
    (authority / "asked.tsq").write_bytes(request)
    openssl(
        "ts", "-reply", "-config", "c.cnf", "-section", "tsa1", "-queryfile", "asked.tsq", "-inkey", "tsa.key",
        "-signer", "tsa.pem", "-out", "answer.tsr", folder=authority,
    )  # fmt: skip
    return authority / "answer.tsr"
