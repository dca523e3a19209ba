"""A clock that is set back: what was written under the later time neither locks anybody out nor lasts for years."""

from __future__ import annotations

import pytest
from tests.serving import state_of

from whorl.service.settings import Settings
from whorl.service.state import State
from whorl.service.state.answers import Asking
from whorl.service.state.users import TooManyGuesses

YEARS = "replace({column}, substr({column}, 1, 4), '2099')"


@pytest.fixture
def settings(everywhere: Settings) -> Settings:
    """Run the tests of this module on every kind of state."""
    return everywhere


def set_back(state: State, table: str, *columns: str) -> None:
    """Let times of a table be of many years from now."""
    later = ", ".join(f"{column} = {YEARS.format(column=column)}" for column in columns)
    with state.database.writing() as connection:
        connection.execute(f'UPDATE "{table}" SET {later}')


def test_wrong_passwords_of_the_future_keep_nobody_out(settings: Settings) -> None:
    with state_of(settings) as state:
        state.users.make("mei", "a long password")
        for _ in range(10):
            assert state.users.sign_in("mei", "wrong", "192.0.2.1") is None
        with pytest.raises(TooManyGuesses):
            state.users.sign_in("mei", "a long password", "192.0.2.1")
        set_back(state, "failure", "at")
        assert state.users.sign_in("mei", "a long password", "192.0.2.1") is not None


def test_a_session_of_the_future_has_ended(settings: Settings) -> None:
    with state_of(settings) as state:
        state.users.make("mei", "a long password")
        signed_in = state.users.sign_in("mei", "a long password", "192.0.2.1")
        assert signed_in is not None
        assert state.users.of_session(signed_in[0]) is not None
        set_back(state, "session", "made_at", "expires_at")
        assert state.users.of_session(signed_in[0]) is None


def test_a_job_whose_worker_died_in_the_future_is_taken(settings: Settings) -> None:
    with state_of(settings) as state:
        state.jobs.put("one", "verify", "news", {}, "local")
        assert state.jobs.claim("first", ["verify"]) is not None
        assert state.jobs.claim("second", ["verify"]) is None
        set_back(state, "job", "seen_at")
        claimed = state.jobs.claim("second", ["verify"])
        assert claimed is not None
        assert claimed.job.id == "one"
        assert not state.jobs.renew("one", "first", "", 0, None)


def test_a_request_that_was_begun_in_the_future_is_carried_out(settings: Settings) -> None:
    with state_of(settings) as state:
        asking = Asking("key 1 desk", "name", b"digest")
        assert state.answers.begin(asking) is True
        assert state.answers.begin(asking) is False
        set_back(state, "answer", "made_at")
        assert state.answers.begin(asking) is True


def test_a_key_that_was_used_in_the_future_is_used_now(settings: Settings) -> None:
    with state_of(settings) as state:
        secret, _ = state.keys.make("desk", ["read"])
        state.keys.find(secret)
        (used,) = state.keys.all()
        set_back(state, "key", "used_at")
        state.keys.find(secret)
        (used_again,) = state.keys.all()
        assert used.used_at is not None
        assert used_again.used_at is not None
        assert used_again.used_at.year == used.used_at.year
