"""Tracking parameters of addresses, which do not identify the page."""

from __future__ import annotations

_OF_ALL_SITES = frozenset((
    # advertising and mail
    "_ga", "_gl", "_hsenc", "_hsmi", "_openstat", "bd_vid", "clickid", "dclid", "fbclid", "gbraid", "gclid", "gclsrc",
    "mc_cid", "mc_eid", "mkt_tok", "msclkid", "ttclid", "twclid", "vero_id", "wbraid", "wt_mc", "yclid",
    # sharing
    "chksm", "from", "from_source", "from_spmid", "fromuid", "igshid", "isappinstalled", "nsukey", "ref_src", "ref_url",
    "refer_flag", "scene", "share_from", "share_iid", "share_medium", "share_plat", "share_session_id", "share_source",
    "share_source_id", "share_tag", "share_times", "share_token", "share_uid", "sharer_shareid", "sharer_sharetime",
    "sharetoken", "sms_ss", "unique_k", "vd_source", "wx_header",
    # the position of a link on a site
    "bdfrom", "clickfrom", "scm", "spm", "spm_id_from", "spss", "spssid", "spsw", "sudaref", "tt_from", "wfr",
    # sessions
    "jsessionid", "phpsessid",
))  # fmt: skip
_OF_ANALYTICS = ("hmci", "hmcu", "hmkw", "hmpl", "hmsr", "mtm_", "piwik_", "pk_", "utm_")
_OF_SITES = {"baijiahao.baidu.com": ("for",), "mbd.baidu.com": ("for",)}


def is_tracker(name: str, host: str) -> bool:
    """True if the pages of a host stay the same without the parameter."""
    name = name.lower()
    return name in _OF_ALL_SITES or name.startswith(_OF_ANALYTICS) or name in _OF_SITES.get(host, ())


__all__ = ["is_tracker"]
