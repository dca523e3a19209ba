"""Damage to a file, by seed: to its bytes, and to its packed content."""

from __future__ import annotations

import gzip
import random
import re
import zlib
from collections.abc import Callable

import pyarrow as pa
from tests.fuzz.samples import gzipped, parts_of, zipped, zstd

HOSTILE = [
    *(b"\0", b"\0" * 300, b"\r", b"\r\n", b"\n\n\n", b"\x0c", b"\x1a", b"\x85", "\u2028".encode()),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff\0", b"\xff", b"\xc3", b"\xf4\x90\x80\x80", b"\xc0\xaf"),
    *(b"\xed\xa0\x80", b"\xed\xb0\x80\xed\xa0\x80", b"\\ud800", b"\\udc00\\ud800", b"\\u0000", b"&#xd800;", b"&#0;"),
    *("中文，汉字。".encode("gbk"), "繁體".encode("big5"), "日本語".encode("shift_jis"), "𠮷".encode("gb18030")),
    *("\u202e\u200b\ufeff".encode(), "e\u0301".encode() * 400, "\U0010ffff".encode(), "\ufdfa".encode() * 50),
    *(b"9" * 400, b"-", b"1e99999", b"NaN", b"-Infinity", b"0x10", b"18446744073709551616", b"4294967295", b"-1"),
    *(b"[" * 20_000, b'{"a":' * 20_000, b"{" * 9, b"]" * 9, b"null", b'"text": 5,', b'"text": ["a"],'),
    *(b'"', b'""', b'"""', b"'", b"\\", b"\\\\", b",", b"\t", b";", b"=cmd()"),
    *(b"<div>" * 5000, b"</p></body></html>", b"<" * 3000, b"<!--", b"]]>", b"<![CDATA[", b"&#x110000;", b"&a;" * 9),
    *(b"<!DOCTYPE a [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>]>", b"<?xml encoding='utf-7'?>", b"xmlns:w='x'"),
    *(b"PK\x03\x04", b"PK\x05\x06", b"PAR1", b"%PDF-1.7", b"endstream", b"endobj", b"<</Type/Page>>", b"1 0 R"),
    *(b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18\x04\0\0\0abcd"),
]
"""Values that have broken readers before."""

Mutation = Callable[[bytes, random.Random], bytes]


def _place(data: bytes, rng: random.Random) -> int:
    return rng.randrange(len(data) + 1)


def _span(data: bytes, rng: random.Random) -> slice:
    start = _place(data, rng)
    return slice(start, min(len(data), start + int(2 ** rng.uniform(0, 12))))


def flip_bits(data: bytes, rng: random.Random) -> bytes:
    """Flip one or several bits."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def cut_off(data: bytes, rng: random.Random) -> bytes:
    """Truncate the data."""
    return data[: _place(data, rng)]


def take_out(data: bytes, rng: random.Random) -> bytes:
    """Remove a piece."""
    span = _span(data, rng)
    return data[: span.start] + data[span.stop :]


def repeat(data: bytes, rng: random.Random) -> bytes:
    """Repeat a piece once or many times."""
    span = _span(data, rng)
    return data[: span.stop] + data[span] * rng.choice([1, 1, 2, 30]) + data[span.stop :]


def insert(data: bytes, rng: random.Random) -> bytes:
    """Insert a hostile value."""
    place = _place(data, rng)
    return data[:place] + rng.choice(HOSTILE) + data[place:]


def replace_number(data: bytes, rng: random.Random) -> bytes:
    """Replace a decimal number."""
    numbers = list(re.finditer(rb"\d+", data))
    if not numbers:
        return insert(data, rng)
    span = rng.choice(numbers)
    number = rng.choice([b"0", b"-1", b"1", b"65536", b"2147483648", b"18446744073709551616", b"9" * 400, b"1e999"])
    return data[: span.start()] + number + data[span.end() :]


def replace_word(data: bytes, rng: random.Random) -> bytes:
    """Set a binary number of four bytes, such as a length, to a limit."""
    place = _place(data, rng)
    return data[:place] + rng.choice([b"\0" * 4, b"\xff" * 4, b"\xff\xff\xff\x7f", b"\0\0\0\x80"]) + data[place + 4 :]


def end_lines_otherwise(data: bytes, rng: random.Random) -> bytes:
    """Replace line ends by those of other systems."""
    return data.replace(b"\n", rng.choice([b"\r", b"\r\n", b"\n\r", b"", b"\0", "\u2028".encode()]))


def encode_otherwise(data: bytes, rng: random.Random) -> bytes:
    """Change the encoding of the text from some position on."""
    start = rng.choice([0, _place(data, rng)])
    code = rng.choice(["utf-16", "utf-16-le", "gb18030", "utf-7", "utf-32", "cp1252"])
    return data[:start] + data[start:].decode("utf-8", "replace").encode(code, "replace")


MUTATIONS: list[Mutation] = [
    *(flip_bits, cut_off, take_out, repeat, insert, insert, insert),
    *(replace_number, replace_word, end_lines_otherwise, encode_otherwise),
]


def _changed(data: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.choice([1, 1, 2, 4])):
        data = rng.choice(MUTATIONS)(data, rng)
    return data


def _inside_zip(data: bytes, rng: random.Random) -> bytes:
    """Change, remove, swap or rename a part."""
    parts = parts_of(data)
    name = rng.choice([name for name in parts if parts[name]])
    act = rng.choice(["change"] * 5 + ["drop", "replace", "rename"])
    if act == "change":
        parts[name] = _changed(parts[name], rng)
    elif act == "drop":
        del parts[name]
    elif act == "replace":
        parts[name] = parts[rng.choice(list(parts))]
    else:
        parts[rng.choice([name.upper(), f"../{name}", f"/{name}", "a" * 300])] = parts.pop(name)
    return zipped(parts)


_STREAM = re.compile(rb"(?<=stream\r\n).*?(?=endstream)|(?<=stream\n).*?(?=endstream)", re.DOTALL)


def _inside_pdf(data: bytes, rng: random.Random) -> bytes:
    """Change the content stream of a page, and pack it again."""
    spans = [span for span in _STREAM.finditer(data) if span.group().strip()]
    if not spans:
        return _changed(data, rng)
    span = rng.choice(spans)
    content = span.group()
    try:
        content = zlib.compress(_changed(zlib.decompress(content), rng))
    except zlib.error:
        content = _changed(content, rng)
    return data[: span.start()] + content + data[span.end() :]


def _inside_parquet(data: bytes, rng: random.Random) -> bytes:
    """Flip bits of the pages only, or of the footer only."""
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    start, stop = rng.choice([(4, footer), (4, footer), (footer, len(data) - 8)])
    act = rng.choice([flip_bits, replace_word, flip_bits, repeat])
    return data[:start] + act(data[start:stop], rng)[: stop - start].ljust(stop - start, b"\0") + data[stop:]


def _unpacked(data: bytes) -> bytes:
    return pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()


INSIDE: dict[str, Mutation] = {
    "gz": lambda data, rng: gzipped(_changed(gzip.decompress(data), rng)),
    "zst": lambda data, rng: zstd(_changed(_unpacked(data), rng)),
    "docx": _inside_zip,
    "xlsx": _inside_zip,
    "pdf": _inside_pdf,
    "parquet": _inside_parquet,
}
"""Mutations of the content of a format, by suffix."""


def mutated(kind: str, data: bytes, seed: int) -> bytes:
    """Return ``data`` with some damage, more often to the content than to the container where there is content."""
    rng = random.Random(f"{kind} {seed}")
    inside = INSIDE.get(kind.rpartition(".")[2])
    return inside(data, rng) if inside is not None and rng.random() < 0.7 else _changed(data, rng)


__all__ = ["HOSTILE", "MUTATIONS", "mutated"]
