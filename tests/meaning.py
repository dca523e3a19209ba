"""Texts for the meaning channel, and a small model in a folder: each sentence is the sum of the topics of its words."""

import json
from pathlib import Path

REPORT = (
    "渔港管理局3月18日公布，2023年全港共有渔船1875艘，其中远洋渔船264艘。冰厂全年产冰5.3万吨，供应船只9420艘次。"
    "港区新建的第7号码头长315米，投资2.4亿元。局长沈一舟表示，明年将在北岸再建一座冷库，容量8000吨。"
)
RETELLING = (
    "一千八百多条船如今以这里为家，三月里公开的数字是1875，敢闯外洋的占了264。要出海先得装冰，去年为此冻出五万三千吨，加冰的船来了9420趟。"
    "新泊位花掉两亿四千万，靠船的岸线有315米。管事的沈一舟还想在对岸盖一间装得下8000吨鱼的大冰箱。"
)
"""What the report says, in other words."""
OTHER_PORT = (
    "盐田管理局5月2日公布，2021年全区共有晒盐工人690名，其中女工187名。盐场全年产盐3.1万吨，运走的货车有2750车次。"
    "新修的第4号水渠长980米，投资6600万元。局长李明华表示，明年将在南滩再挖一口卤水井，深120米。"
)
"""A report of the same form about other facts."""
ENGLISH = (
    "On March 18 the port authority said that the harbor had 1,875 boats in 2023, of which 264 went to distant seas. "
    "The ice plant made 53,000 tonnes of ice in the year and supplied vessels 9,420 times. "
    "The new quay No. 7 is 315 meters long and cost 240 million yuan. "
    "Director Shen Yizhou said that another cold store for 8,000 tonnes would be built on the north bank next year."
)

_WORDS = (
    ("渔船", "条船", "boats"),
    ("冰厂", "冻出", "ice"),
    ("码头", "泊位", "quay"),
    ("冷库", "冰箱", "cold"),
    ("盐田", "晒盐", "salt"),
)


def write_model(folder: Path, *, output: str = "last_hidden_state") -> Path:
    """Write a model whose vectors are the sums of one axis for each topic in ``_WORDS``, and one for other words."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = {"[UNK]": 0, "[PAD]": 1} | {
        word: number for number, word in enumerate((word for topic in _WORDS for word in topic), 2)
    }
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"Regex": "|".join(word for topic in _WORDS for word in topic)},
            "behavior": "Isolated",
            "invert": False,
        },
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    axes = {word: axis for axis, topic in enumerate(_WORDS, 1) for word in topic}
    rows = []
    for word in vocabulary:
        row = [0.0] * (len(_WORDS) + 1)
        row[axes.get(word, 0)] = 10.0 if word in axes else 0.1
        rows.append(row)
    (folder / "model.onnx").write_bytes(_onnx(rows, output))
    return folder


def _onnx(rows: list[list[float]], output: str) -> bytes:
    """Return a model that looks up a vector for each token, in the format of ONNX, which is a Protocol Buffer."""
    import struct

    def number(field: int, value: int) -> bytes:
        return _varint(field << 3) + _varint(value)

    def data(field: int, value: bytes) -> bytes:
        return _varint(field << 3 | 2) + _varint(len(value)) + value

    def tensor_type(name: str, kind: int, dimensions: list[str]) -> bytes:
        shape = b"".join(data(1, data(2, dimension.encode())) for dimension in dimensions)
        return data(1, name.encode()) + data(2, data(1, number(1, kind) + data(2, shape)))

    floats = b"".join(struct.pack("<f", value) for row in rows for value in row)
    table = number(1, len(rows)) + number(1, len(rows[0])) + number(2, 1) + data(8, b"table") + data(9, floats)
    node = data(1, b"table") + data(1, b"input_ids") + data(2, output.encode()) + data(4, b"Gather")
    inputs = [tensor_type(name, 7, ["batch", "length"]) for name in ("input_ids", "attention_mask")]
    graph = data(1, node) + data(2, b"g") + data(5, table)
    graph += b"".join(data(11, item) for item in inputs) + data(12, tensor_type(output, 1, ["batch", "length", "axis"]))
    return number(1, 8) + data(7, graph) + data(8, data(1, b"") + number(2, 13))


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])
