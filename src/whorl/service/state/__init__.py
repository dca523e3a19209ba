"""State of the service, such as keys, users and jobs. Articles are in libraries."""

from whorl.service.state.state import State, open_state

__all__ = ["State", "open_state"]
