"""Text-Codes of the International Standard Content Code (ISCC), ISO 24138: compute, decode and compare them."""

from __future__ import annotations

from whorl.text.iscc import code_bytes, distance, text_code, text_codes

__all__ = ["code_bytes", "distance", "text_code", "text_codes"]
