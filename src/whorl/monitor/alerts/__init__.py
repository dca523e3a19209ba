"""Alerts: who is told of which copies, how, and until when it is tried.

``settings`` reads channels and rules, ``rules`` decides, ``messages`` writes, ``sending`` sends one message within
bounds, and ``telling`` sees to it that what a library has to tell is told.
"""
