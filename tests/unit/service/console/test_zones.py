"""The zone in which the console shows times: that of the user, else that of the service."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import httpx
from tests.serving import served, settings_of

import whorl


def test_times_are_shown_in_the_zone_of_the_user_else_of_the_service(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "news", zone="Asia/Shanghai")
    with whorl.open(tmp_path / "news") as library:
        library.add(
            {"id": "a", "text": "渔港的冰厂", "published_at": "2026-11-24", "first_seen_at": "2026-11-24T00:00:00Z"}
        )
    page = "/libraries/news/documents"
    with served(settings) as address, httpx.Client(base_url=address, timeout=60) as client:
        assert "2026-11-24 08:00 +08:00" in client.get(page).text
        chosen = client.get("/zone", params={"zone": "America/New_York", "next": page})
        assert chosen.status_code == 303
        assert chosen.headers["location"] == page
        assert "2026-11-23 19:00 -05:00" in client.get(page).text
        refused = client.get("/zone", params={"zone": "Nowhere"}, headers={"Accept": "text/html"})
        assert refused.status_code in (400, 422)
        client.get("/zone", params={"zone": "", "next": page})
        assert "2026-11-24 08:00 +08:00" in client.get(page).text
    utc = replace(settings, zone="")
    with served(utc) as address, httpx.Client(base_url=address, timeout=60, cookies={"whorl_zone": "x"}) as client:
        assert "2026-11-24 00:00 +00:00" in client.get(page).text, "an invalid cookie has no effect"
