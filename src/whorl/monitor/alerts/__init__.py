"""Alerts about copies: channels, rules, delivery and retries.

``settings`` reads channels and rules, ``rules`` selects copies, ``messages`` formats them, ``sending`` delivers a
message within limits, and ``telling`` manages the queue.
"""
