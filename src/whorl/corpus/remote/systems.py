"""Open remote places with the file systems of pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from whorl.corpus.remote.address import RemotePlace
from whorl.errors import InputError, UsageError, WhorlError
from whorl.i18n import say


def system_of(place: RemotePlace) -> tuple[Any, str]:
    """Return the file system of a place, and its path there.

    Settings that the address lacks, most of all credentials, come from the usual sources: for S3 the environment and
    the AWS configuration files, for Google the application default credentials.

    Raises:
        UsageError: a setting of the address is unknown, or a library is missing.
        InputError: the place cannot be reached.
    """
    from pyarrow import ArrowInvalid, ArrowNotImplementedError
    from pyarrow.fs import FileSystem

    user = f"{place.user}@" if place.user else ""
    settings = f"?{place.settings}" if place.settings else ""
    try:
        system, _ = FileSystem.from_uri(f"{place.scheme}://{user}{place.host}/{settings}")
    except ArrowNotImplementedError:
        problem = say("this pyarrow was built without {scheme}://", scheme=place.scheme)
        raise UsageError(problem, hint=say("pip install --force-reinstall pyarrow")) from None
    except ArrowInvalid as error:
        reason = place.without_secrets(str(error))
        problem = say("invalid address {url}: {reason}", url=place.url, reason=reason)
        raise UsageError(problem, hint=say("check the address and its settings")) from None
    except OSError as error:
        if place.scheme == "hdfs" and "load" in str(error):
            hint = say("install Hadoop, and set JAVA_HOME, HADOOP_HOME and CLASSPATH (`hadoop classpath --glob`)")
            raise UsageError(say("reading hdfs:// needs the libraries of Hadoop"), hint=hint) from None
        raise refusal(place, error) from None
    return system, f"/{place.path}" if place.scheme == "hdfs" else f"{place.host}/{place.path}".rstrip("/")


@contextmanager
def reached(place: RemotePlace) -> Iterator[None]:
    """Convert errors of a place within the block.

    Raises:
        InputError: the place refuses the request or is unreachable.
    """
    try:
        yield
    except OSError as error:
        raise refusal(place, error) from None


def refusal(place: RemotePlace, error: Exception) -> WhorlError:
    """Return the error for a failure at a place, without secrets."""
    reason = place.without_secrets(" ".join(str(error).split()))[:300]
    hint = say("check the address, and that this machine can reach it")
    return InputError(say("cannot reach {url}: {reason}", url=place.url, reason=reason), hint=hint)


__all__ = ["reached", "refusal", "system_of"]
