"""The error about a setting, which a form shows at the field of the setting."""

from __future__ import annotations

from whorl.errors import UsageError


class SettingError(UsageError):
    """A setting of a watch or of alerts is invalid.

    Attributes:
        key: name of the setting; empty if the error is about no single one.
        value: its invalid value as text; empty without one.
    """

    def __init__(self, message: str, *, hint: str = "", key: str = "", value: str = "") -> None:
        super().__init__(message, hint=hint)
        self.key = key
        self.value = value


__all__ = ["SettingError"]
