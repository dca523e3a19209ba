"""Pages as seen by readers and attackers."""

from html.parser import HTMLParser

HOSTILE = "<script>alert(1)</script>\"'</style></svg>\x00\x1b[2J\u202eevil\u2066\ud800{{ 7*7 }}{% raw %}&amp;"
"""A text, or a name, with injected markup."""

_VOID = {"meta", "input", "link", "line", "rect", "circle", "path", "polygon", "polyline", "br"}


class Page(HTMLParser):
    """The tags, attributes and text of a page of properly nested elements, and the text visible in each language."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.texts = {"en": "", "zh": ""}
        self._open: list[str] = []
        self._languages: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in _VOID:
            self._open.append(tag)
            self._languages.append("" if tag == "html" else dict(attrs).get("lang") or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        self._languages.pop()

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] != "style":
            self.text += data
            only = set(filter(None, self._languages))
            for language in only or self.texts:
                self.texts[language] += data
