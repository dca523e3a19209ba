"""Translation: messages, the catalogue of translations, and the language of the user."""

from whorl.i18n.current import LANGUAGES, Language, speak, speaking, spoken
from whorl.i18n.messages import Message, as_message, either, listed, looked_up, say, say_many, translated

__all__ = [
    "LANGUAGES",
    "Language",
    "Message",
    "as_message",
    "either",
    "listed",
    "looked_up",
    "say",
    "say_many",
    "speak",
    "speaking",
    "spoken",
    "translated",
]
