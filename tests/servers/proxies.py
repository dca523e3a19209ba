"""Reverse proxies with documented configurations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from tests.servers import HOST, Server, answers, program

_PLACES = ("usr/sbin", "usr/bin", "usr/local/bin", "opt/homebrew/bin")
_TEMPORARY = "".join(f"{kind}_temp_path {kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))


class Proxy(Server):
    """A reverse proxy.

    Args:
        site: configuration of a site, which listens at the port.
        files: contents of the files in its folder that the configuration names.
        port: its port.
    """

    base: ClassVar[str]
    """The rest of the configuration, with ``{site}``."""

    def __init__(self, site: str, files: Mapping[str, str], port: int) -> None:
        super().__init__(port=port)
        self._files = {**files, "configuration": self.base.replace("{site}", site)}

    def prepare(self) -> None:
        """Write the configuration and its files."""
        for name, content in self._files.items():
            (self.folder / name).write_text(content, encoding="utf-8")
            (self.folder / name).chmod(0o644)

    def is_ready(self) -> bool:
        """Return True if it listens."""
        return answers(self.port)

    def fresh(self) -> str:
        """Return its address."""
        return f"https://{HOST}:{self.port}"


class Nginx(Proxy):
    """nginx with one worker process."""

    name = "nginx"
    base = f"daemon off;\npid pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{_TEMPORARY}{{site}}}}\n"

    def command(self) -> Sequence[str | Path]:
        """Return the server command."""
        return (program("nginx", _PLACES), "-p", self.folder, "-e", "stderr", "-c", "configuration")


class Caddy(Proxy):
    """Caddy without its interface for administrators and without redirection from port 80."""

    name = "caddy"
    base = "{\nadmin off\nauto_https disable_redirects\n}\n{site}"

    def command(self) -> Sequence[str | Path]:
        """Return the server command."""
        folders = (f"XDG_{kind}_HOME={self.folder / kind.lower()}" for kind in ("CONFIG", "DATA"))
        run = ("run", "--adapter", "caddyfile", "--config", "configuration")
        return ("env", *folders, program("caddy", _PLACES), *run)
