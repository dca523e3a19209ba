"""A model in a folder, as `sentence-transformers` exports it to ONNX.

The folder contains ``tokenizer.json`` and ``model.onnx``, the latter also in ``onnx/``. Further files are optional:
``1_Pooling/config.json`` for how the vectors of tokens become that of a sentence (by default their mean),
``sentence_bert_config.json`` for the maximum number of tokens, and ``config_sentence_transformers.json`` for the prompt
before each sentence.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import file_digest
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.errors import InputError
from whorl.i18n import say
from whorl.matching.meaning.encoder import Vectors, unit_length
from whorl.release import missing_package

_PACKAGES = ("onnxruntime", "tokenizers")
_MODELS = ("model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
_MAX_TOKENS = 512
_INPUTS = frozenset(("input_ids", "attention_mask", "token_type_ids"))
_DIMENSIONS = (2, 3)
"""Of an output that has a vector for each sentence, or for each token."""


class FolderEncoder:
    """A model in a folder. It runs on the CPU.

    Args:
        folder: path of the folder.

    Attributes:
        name: name of the folder, and the beginning of the SHA-256 of the model.

    Raises:
        UsageError: the extra ``meaning-onnx`` is not installed.
        InputError: a file is missing or cannot be read, or the model is of another kind.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        model = next((path for name in _MODELS if (path := self._folder / name).is_file()), None)
        tokenizer = self._folder / "tokenizer.json"
        if model is None or not tokenizer.is_file():
            raise InputError(
                say("{path} is not a folder with a model", path=folder),
                hint=say("it must contain tokenizer.json and model.onnx"),
            )
        missing = next((name for name in _PACKAGES if find_spec(name) is None), None)
        if missing is not None:
            what = say("the model in {path}", path=folder)
            raise missing_package(say("{what} needs {package}", what=what, package=missing), "meaning-onnx")
        try:
            self._tokenizer = import_module("tokenizers").Tokenizer.from_file(str(tokenizer))
            self._session = import_module("onnxruntime").InferenceSession(
                str(model), providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # both libraries raise classes of their own
            raise self._unreadable(str(error)) from error
        with model.open("rb") as file:
            self.name = f"{self._folder.resolve().name} {file_digest(file, 'sha256').hexdigest()[:12]}"
        self._inputs = {item.name for item in self._session.get_inputs()}
        if "input_ids" not in self._inputs or not self._inputs <= _INPUTS:
            raise self._unreadable(f"inputs: {', '.join(sorted(self._inputs))}")
        self._output = self._chosen_output()
        self._tokenizer.enable_truncation(self._setting("sentence_bert_config.json", "max_seq_length") or _MAX_TOKENS)
        self._tokenizer.enable_padding()
        prompts = self._setting("config_sentence_transformers.json", "prompts") or {}
        self._prompt = prompts.get(self._setting("config_sentence_transformers.json", "default_prompt_name")) or ""
        self._is_first_token = bool(self._setting("1_Pooling/config.json", "pooling_mode_cls_token"))

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of sentences."""
        encodings = self._tokenizer.encode_batch([self._prompt + text for text in texts])
        columns: dict[str, NDArray[np.int64]] = {
            "input_ids": np.array([encoding.ids for encoding in encodings], np.int64),
            "attention_mask": np.array([encoding.attention_mask for encoding in encodings], np.int64),
            "token_type_ids": np.array([encoding.type_ids for encoding in encodings], np.int64),
        }
        (output,) = self._session.run([self._output], {name: columns[name] for name in self._inputs})
        vectors = np.asarray(output, np.float32)
        if vectors.ndim == 3:
            vectors = vectors[:, 0] if self._is_first_token else _mean(vectors, columns["attention_mask"])
        return unit_length(vectors)

    def _chosen_output(self) -> str:
        """Return the output with the vectors of sentences, or else with those of tokens."""
        outputs = {item.name: len(item.shape) for item in self._session.get_outputs()}
        names: tuple[str, ...] = ("sentence_embedding", "last_hidden_state", "token_embeddings", *outputs)
        for name in names:
            if outputs.get(name) in _DIMENSIONS:
                return name
        raise self._unreadable(f"outputs: {', '.join(outputs)}")

    def _setting(self, file: str, key: str) -> Any:
        path = self._folder / file
        if not path.is_file():
            return None
        try:
            settings = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise self._unreadable(f"{file}: {error}") from error
        return settings.get(key) if isinstance(settings, dict) else None

    def _unreadable(self, reason: str) -> InputError:
        return InputError(
            say("cannot use the model in {path}: {reason}", path=self._folder, reason=reason),
            hint=say("export it again to ONNX, for sentence similarity"),
        )


def _mean(vectors: Vectors, mask: NDArray[np.int64]) -> Vectors:
    """Return the mean vector of the tokens that are not padding."""
    weights = mask[:, :, None].astype(np.float32)
    mean: Vectors = (vectors * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), np.float32(1))
    return mean


__all__ = ["FolderEncoder"]
