"""State of the service, such as keys, users and jobs. Articles are in libraries.

It is a SQLite file in a folder (`sqlite`), or tables on PostgreSQL or MySQL that several replicas share (`server`).
"""

from whorl.service.state.state import State, open_state

__all__ = ["State", "open_state"]
