"""Drop the privileges of a process that a parser does not need, before it reads the first byte of a file.

A limit of memory and time ends a parser that a file has broken. It does not stop a parser that a file has taken over,
with access to the environment, the network and the files of the user. The process therefore drops these at its start:

- **Environment**: only the variables of ``environment``; no secret is inherited.
- **Linux**: capabilities, and ways to regain them (``no_new_privs``).
- **Linux, x86-64 and ARM64**: a seccomp filter refuses sockets, new processes, signals to others and calls that change
  files or the system. It cannot check paths, so it does not restrict reading.
- **Linux from 5.13**: Landlock permits reading only the installation of Python and its libraries. The file to parse is
  passed as an anonymous copy in memory, since Landlock checks paths and not descriptors.
- **Everywhere but Windows**: limits of file size, number of processes and core dumps.

Namespaces would achieve the same, but need privileges that containers refuse. The calls are made with ``ctypes``:
libseccomp and a Landlock package would be two more dependencies for 60 lines.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_INHERITED = (
    "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_TIME", "TZ", "TZDIR", "PYTHONHOME", "PYTHONUTF8", "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "PATH", "SYSTEMROOT", "WINDIR",
)  # fmt: skip
_READABLE = (
    "/usr", "/lib", "/lib32", "/lib64", "/opt/local/lib", "/nix/store", "/gnu/store", "/etc/ld.so.cache",
    "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/timezone", "/etc/fonts", "/etc/mime.types",
    "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/proc/self", "/proc/meminfo", "/proc/cpuinfo",
    "/sys/devices/system/cpu",
)  # fmt: skip
"""Files that libraries read outside the folders of Python."""

_EPERM, _EACCES, _ENOSYS = 1, 13, 38
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
_CAPABILITIES_3, _READ_ALL = 0x20080522, 1 << 2
_CLONE_THREAD = 0x00010000
_OPENED_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_VERSION_FLAG = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_WRITTEN = (1 << 1) | (1 << 5) | (1 << 8) | (1 << 14)  # write, remove, create and truncate files
_OF_FILES = 1 | (1 << 1) | _READ_FILE | (1 << 14) | (1 << 15)
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
"""File access rights by Landlock version; later versions add none that are used here."""
_TCP, _SCOPES = 0b11, 0b11

_NETWORK = {
    "x86_64": (41, 42, 43, 44, 46, 49, 50, 53, 288, 307),
    "aarch64": (198, 199, 200, 201, 202, 203, 206, 211, 242, 269),
}
_PROCESSES = {
    "x86_64": (57, 58, 59, 322, 62, 200, 129, 297, 101, 310, 311, 312),
    "aarch64": (221, 281, 129, 130, 138, 240, 117, 270, 271, 272),
}
_SYSTEM = {
    "x86_64": (
        165, 166, 155, 161, 272, 308, 321, 298, 323, 250, 248, 249, 303, 304, 175, 313, 176, 246, 320, 169, 167, 168,
        170, 171, 135, 163, 179, 164, 227, 159, 305, 172, 173, 103, 29, 30, 31, 64, 68, 240,
    ),
    "aarch64": (
        40, 39, 41, 51, 97, 268, 280, 241, 282, 219, 217, 218, 264, 265, 105, 273, 106, 104, 294, 142, 224, 225, 161,
        162, 92, 89, 60, 170, 112, 171, 266, 116, 194, 195, 196, 186, 190, 180,
    ),
}  # fmt: skip
_SYSTEM_EVERYWHERE = (424, 425, 426, 427, 428, 429, 430, 431, 432, 434, 438, 442)
_CHANGES = {
    "x86_64": (
        76, 82, 83, 84, 85, 86, 87, 88, 90, 91, 92, 93, 94, 132, 133, 235, 261, 258, 259, 260, 263, 264, 265, 266, 268,
        280, 316, 188, 189, 190, 197, 198, 199, 452,
    ),
    "aarch64": (45, 33, 34, 35, 36, 37, 38, 276, 52, 53, 54, 55, 88, 5, 6, 7, 14, 15, 16, 452),
}  # fmt: skip
"""Linux system call numbers that the filter refuses with any arguments."""

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE3, _OPENAT2 = 435, 437
_SIGNAL_THREAD = {"x86_64": 234, "aarch64": 131}
_OPENING = {"x86_64": ((2, 1), (257, 2)), "aarch64": ((56, 2),)}
"""System calls that open a file, each with the index of its flags argument."""

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_X32 = 0x40000000


def environment(*more: str) -> dict[str, str]:
    """Return the environment of a worker process: no secrets, and no path below the caller's folder.

    Args:
        more: further variables to inherit.
    """
    inherited = {name: os.environ[name] for name in (*_INHERITED, *more) if name in os.environ}
    return inherited | {
        "PYTHONPATH": os.pathsep.join(_installed()),
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }


def _installed() -> list[str]:
    """Return the import folders, without the working folder unless whorl is located there."""
    here, package = os.path.realpath(Path.cwd()), os.path.realpath(Path(__file__).parents[3])
    return [place for place in sys.path if place and (here == package or os.path.realpath(place) != here)]


def confine(folder: Path | None = None) -> list[str]:
    """Drop all privileges that the system allows to drop, permanently.

    Call this before the process has threads.

    Args:
        folder: the only folder with write access; None for no write access.

    Returns:
        The restrictions in force: "landlock", "seccomp", "limits".
    """
    _limit(writes=folder is not None)
    holds = ["limits"] if os.name == "posix" else []
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall.restype = ctypes.c_long
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        _drop_capabilities(libc)
        if _restrict_paths(libc, folder):
            holds.append("landlock")
        if _filter_calls(libc, writes=folder is not None):
            holds.append("seccomp")
    return holds


def _limit(*, writes: bool) -> None:
    try:
        import resource
    except ImportError:
        return
    limits = [resource.RLIMIT_CORE]
    if not writes:
        limits.append(resource.RLIMIT_FSIZE)
    if sys.platform != "linux":  # on Linux, threads count as processes, and the filter distinguishes them
        limits.append(resource.RLIMIT_NPROC)
    for kind in limits:
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (0, 0))


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Drop root's capabilities, except for reading an installation that belongs to another user."""
    header = ctypes.create_string_buffer(struct.pack("=Ii", _CAPABILITIES_3, 0))
    sets = ctypes.create_string_buffer(struct.calcsize("=6I"))
    if libc.capget(header, sets) == 0:
        effective, permitted, *_ = struct.unpack("=6I", sets.raw)
        kept = struct.pack("=6I", effective & _READ_ALL, permitted & _READ_ALL, 0, 0, 0, 0)
        libc.capset(header, ctypes.create_string_buffer(kept))


def _restrict_paths(libc: ctypes.CDLL, folder: Path | None) -> bool:
    """Restrict this thread and its children to reading the installation; return False if that is unsupported."""
    version = libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_FLAG))
    if version < 1:
        return False
    rights = _RIGHTS[min(version, max(_RIGHTS))]
    attributes = struct.pack("=Q", rights)
    if version >= 4:
        attributes += struct.pack("=Q", _TCP)
    if version >= 6:
        attributes += struct.pack("=Q", _SCOPES)
    size = ctypes.c_size_t(len(attributes))
    rules = libc.syscall(_LANDLOCK_CREATE, ctypes.c_char_p(attributes), size, ctypes.c_uint32(0))
    if rules < 0:
        return False
    try:
        for place in _readable():
            _open_path(libc, rules, place, (_READ_FILE | _READ_DIR) & rights)
        if folder is not None:
            _open_path(libc, rules, str(folder), (_READ_FILE | _READ_DIR | _WRITTEN) & rights)
        return bool(libc.syscall(_LANDLOCK_RESTRICT, ctypes.c_int(rules), ctypes.c_uint32(0)) == 0)
    finally:
        os.close(rules)


def _readable() -> Iterable[str]:
    """Yield the paths of Python, its packages and the system libraries."""
    return dict.fromkeys((sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *sys.path, *_READABLE))


def _open_path(libc: ctypes.CDLL, rules: int, place: str, rights: int) -> None:
    if os.path.realpath(place) == os.sep:
        return
    try:
        opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        path_rights = rights if Path(place).is_dir() else rights & _OF_FILES
        rule = struct.pack("=Qi", path_rights, opened)
        libc.syscall(_LANDLOCK_ADD, ctypes.c_int(rules), ctypes.c_int(1), ctypes.c_char_p(rule), ctypes.c_uint32(0))
    finally:
        os.close(opened)


class _FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def _filter_calls(libc: ctypes.CDLL, *, writes: bool) -> bool:
    """Refuse system calls that no parser makes; False if filters are unsupported, or the call numbers unknown."""
    machine = platform.machine()
    if machine not in _ARCHITECTURES or struct.calcsize("P") != 8:
        return False
    code = b"".join(_filter_of(machine, writes=writes))
    program = _FilterProgram(len(code) // 8, code)
    return bool(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0)


def _filter_of(machine: str, *, writes: bool) -> Iterable[bytes]:
    """Yield the filter as kernel instructions of eight bytes each."""
    yield from (_step(_LOAD, _ARCHITECTURE_AT), _step(_EQUAL, _ARCHITECTURES[machine], 1, 0), _step(_RETURN, _KILL))
    yield from (_step(_LOAD, _NUMBER_AT), _step(_AT_LEAST, _X32, 0, 1), _step(_RETURN, _ERROR | _EPERM))
    refused = [*_NETWORK[machine], *_PROCESSES[machine], *_SYSTEM[machine], *_SYSTEM_EVERYWHERE]
    refused += () if writes else _CHANGES[machine]
    for number in refused:
        yield from _where(number, [_step(_RETURN, _ERROR | _EPERM)])
    for number in (_CLONE3, _OPENAT2):  # callers fall back to the older call, whose arguments can be checked
        yield from _where(number, [_step(_RETURN, _ERROR | _ENOSYS)])
    of_thread = [_step(_LOAD, _ARGUMENTS_AT), _step(_ANY_BIT, _CLONE_THREAD, 1, 0), _step(_RETURN, _ERROR | _EPERM)]
    yield from _where(_CLONE[machine], [*of_thread, _step(_RETURN, _ALLOW)])
    to_itself = [_step(_LOAD, _ARGUMENTS_AT), _step(_EQUAL, os.getpid(), 1, 0), _step(_RETURN, _ERROR | _EPERM)]
    yield from _where(_SIGNAL_THREAD[machine], [*to_itself, _step(_RETURN, _ALLOW)])
    for number, place in () if writes else _OPENING[machine]:
        how = _step(_LOAD, _ARGUMENTS_AT + 8 * place)
        refusal = _step(_RETURN, _ERROR | _EACCES)
        yield from _where(number, [how, _step(_ANY_BIT, _OPENED_TO_WRITE, 0, 1), refusal, _step(_RETURN, _ALLOW)])
    yield _step(_RETURN, _ALLOW)


def _where(number: int, steps: list[bytes]) -> Iterable[bytes]:
    """Yield instructions for a single system call."""
    return [_step(_EQUAL, number, 0, len(steps)), *steps]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


__all__ = ["confine", "environment"]
