"""Recognition of one picture, by the models in the package `rapidocr`."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl._internal.frozen import frozen
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
_SURE = 0.8
"""Mean score of a page that is read as it is: upright pages reach .99, pages upside down .65."""

_TALL = 1.5


@frozen
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

    A page that was scanned sideways or upside down is turned.

    Cost: 4 to 9 s for a page in A4, on one core, and four times that for a page that is turned; about 800 MB of memory.
    """
    if min(picture.size) < _MIN_SIDE:
        return RecognizedPage()
    reading = _upright(_reduced(picture))
    lines, boxes = [], []
    for members in reading_order(reading.frames):
        corners = _turned_back(reading.frames[members].reshape(-1, 2) / reading.size, reading.turns)
        (x0, y0), (x1, y1) = corners.min(axis=0).clip(0, 1), corners.max(axis=0).clip(0, 1)
        lines.append(" ".join(" ".join(reading.texts[member].split()) for member in members))
        boxes.append((round(float(x0), 4), round(float(y0), 4), round(float(x1), 4), round(float(y1), 4)))
    return RecognizedPage(tuple(lines), tuple(boxes))


@frozen(eq=False)
class _Reading:
    """What the models read in a picture that was turned counterclockwise by quarters.

    Attributes:
        turns: the number of quarters.
        size: width and height after turning.
        frames: the corners of each line, of shape (n, 4, 2), in pixels.
        texts: the text of each line.
        scores: how sure the model is of each line, in [0, 1].
    """

    turns: int
    size: tuple[int, int]
    frames: NDArray[np.float64]
    texts: Sequence[str]
    scores: Sequence[float]

    @property
    def is_sideways(self) -> bool:
        """True if most lines go from top to bottom; the engine turns each by itself, so their scores do not show it."""
        width, height = np.moveaxis(np.ptp(self.frames, axis=1), -1, 0)
        return 2 * int((height > _TALL * width).sum()) > len(self.texts)

    @property
    def is_doubtful(self) -> bool:
        """True if the page may be turned."""
        return self.is_sideways or sum(self.scores) < _SURE * len(self.scores)


def _upright(pixels: NDArray[np.uint8]) -> _Reading:
    """Read a page as it is; if that is doubtful, also turned by quarters, and return the surest reading."""
    readings = [_read(pixels, 0)]
    if readings[0].is_doubtful:
        readings += (_read(pixels, turns) for turns in (1, 2, 3))
    return max(readings, key=lambda reading: (not reading.is_sideways, sum(reading.scores), -reading.turns))


def _read(pixels: NDArray[np.uint8], turns: int) -> _Reading:
    turned = np.ascontiguousarray(np.rot90(pixels, turns))
    result = _engine()(turned)
    size = (turned.shape[1], turned.shape[0])
    if result.txts is None or result.boxes is None:
        return _Reading(turns, size, np.empty((0, 4, 2)), (), ())
    return _Reading(turns, size, np.asarray(result.boxes, np.float64).reshape(-1, 4, 2), result.txts, result.scores)


def _turned_back(corners: NDArray[np.float64], turns: int) -> NDArray[np.float64]:
    """Return corners, as shares of a page turned by quarters, as shares of the page itself."""
    for _ in range(turns):
        corners = np.stack([1 - corners[:, 1], corners[:, 0]], axis=1)
    return corners


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
