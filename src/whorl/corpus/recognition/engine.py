"""Recognition of one picture, by the models in the package `rapidocr`."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.corpus.recognition.order import reading_order
from whorl.i18n import say
from whorl.release import missing_package

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whorl.errors import UsageError
    from whorl.i18n import Message

MAX_SIDE = 2000
"""Longest side in pixels of a picture whose lines are recognized; larger ones are reduced."""
MAX_PIXELS = 120_000_000
"""Larger pictures are not decoded. A page in A4 at 600 dpi has 35 million pixels."""
MAX_PICTURES = 2000
"""Maximum number of pages of a TIFF file."""

_DETECTED_SIDE = 1280
_MIN_SIDE = 32
_PACKAGES = ("rapidocr", "onnxruntime", "PIL")
_MIN_SCORE = 0.5


@dataclass(frozen=True, slots=True)
class RecognizedPage:
    """The lines of a picture in reading order.

    Attributes:
        lines: the text of each line.
        boxes: left, top, right and bottom of each, as shares of width and height.
    """

    lines: tuple[str, ...] = ()
    boxes: tuple[tuple[float, float, float, float], ...] = ()

    @property
    def text(self) -> str:
        """The lines, divided by line feeds."""
        return "\n".join(self.lines)


class UndecodableError(Exception):
    """A picture is damaged or too large.

    Args:
        reason: one plain sentence with a hint.
    """

    def __init__(self, reason: Message) -> None:
        super().__init__(reason)
        self.reason = reason


def demand_package(label: str) -> None:
    """Require the extra ``ocr``.

    Raises:
        UsageError: a package is not installed.
    """
    if any(find_spec(name) is None for name in _PACKAGES):
        raise _missing(label)


def _missing(label: str) -> UsageError:
    what = say("recognizing the text of {path}", path=label)
    return missing_package(say("{what} needs {package}", what=what, package="rapidocr"), "ocr")


def recognize(picture: Any) -> RecognizedPage:
    """Return the lines of a picture.

    Args:
        picture: a picture of Pillow, in any mode.

    Cost: 4 to 9 s for a page in A4, on one core; about 900 MB of memory.
    """
    if min(picture.size) < _MIN_SIDE:
        return RecognizedPage()
    reduced = _reduced(picture)
    height, width = reduced.shape[:2]
    result = _engine()(reduced)
    if result.txts is None or result.boxes is None:
        return RecognizedPage()
    frames = np.asarray(result.boxes, np.float64).reshape(-1, 4, 2)
    lines, boxes = [], []
    for members in reading_order(frames):
        corners = frames[members].reshape(-1, 2) / (width, height)
        (x0, y0), (x1, y1) = corners.min(axis=0).clip(0, 1), corners.max(axis=0).clip(0, 1)
        lines.append(" ".join(" ".join(result.txts[member].split()) for member in members))
        boxes.append((round(float(x0), 4), round(float(y0), 4), round(float(x1), 4), round(float(y1), 4)))
    return RecognizedPage(tuple(lines), tuple(boxes))


def _reduced(picture: Any) -> NDArray[np.uint8]:
    """Return a picture as BGR pixels on white, at most `MAX_SIDE` pixels wide and high."""
    from PIL import Image

    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        layered = picture.convert("RGBA")
        picture = Image.alpha_composite(Image.new("RGBA", layered.size, "white"), layered)
    elif picture.mode.startswith("I;16") or picture.mode in ("I", "F"):
        picture = Image.fromarray((np.asarray(picture, np.float64) / 256).clip(0, 255).astype(np.uint8))
    picture = picture.convert("RGB")
    if max(picture.size) > MAX_SIDE:
        picture.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
    return np.ascontiguousarray(np.asarray(picture)[:, :, ::-1])


def decoded_pictures(data: bytes) -> Generator[tuple[Any, int], None, None]:
    """Yield the pages of a picture file as pictures of Pillow, upright as its metadata says, with their number.

    Raises:
        UndecodableError: it is damaged, has too many pixels, or is of an unknown kind.
    """
    from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

    try:
        with Image.open(BytesIO(data), formats=("PNG", "JPEG", "TIFF", "WEBP")) as opened:
            count = getattr(opened, "n_frames", 1) if opened.format == "TIFF" else 1  # animations are not pages
            if count > MAX_PICTURES:
                raise UndecodableError(say("it has more than {most} pages: divide it", most=MAX_PICTURES))
            for frame in ImageSequence.Iterator(opened):
                if frame.width * frame.height > MAX_PIXELS:
                    raise UndecodableError(say("it has more than {most:,} pixels: reduce it", most=MAX_PIXELS))
                yield ImageOps.exif_transpose(frame), count
                if count == 1:
                    return
    except (OSError, UnidentifiedImageError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise UndecodableError(say("the picture is damaged: fetch it again")) from None


@cache
def _engine() -> Any:
    """Load the models, which takes a second; without downloads, and for one core."""
    rapidocr = import_module("rapidocr")
    import_module("cv2").setNumThreads(1)
    models = Path(str(rapidocr.__file__)).with_name("models")
    return rapidocr.RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_cls": False,
            "Global.text_score": _MIN_SCORE,
            "Global.max_side_len": MAX_SIDE,
            "Det.model_path": _model(models, "det"),
            "Det.limit_type": "max",
            "Det.limit_side_len": _DETECTED_SIDE,
            "Rec.model_path": _model(models, "rec"),
            "Rec.rec_batch_num": 1,
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def _model(folder: Path, task: str) -> str:
    """Return the model of a task in the package, so that none is downloaded."""
    models = sorted(folder.glob(f"*_{task}_*.onnx"))
    if not models:
        raise _missing(str(folder))
    return str(models[-1])


__all__ = [
    "MAX_PIXELS",
    "MAX_SIDE",
    "RecognizedPage",
    "UndecodableError",
    "decoded_pictures",
    "demand_package",
    "recognize",
]
