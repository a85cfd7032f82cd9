"""The stack written down in a file, to compare with after an install."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from rocmlint.disk.read import read_small
from rocmlint.disk.write import write_atomically
from rocmlint.errors import RocmlintError
from rocmlint.stack.advice.keeping import NAMED_IN_LINES, KeptBuilds, constraints, kept_versions
from rocmlint.stack.advice.rollback import source_of
from rocmlint.stack.installed.distributions import Environment, read_environment
from rocmlint.stack.installed.rocm import find_rocm
from rocmlint.stack.installed.torch_build import TorchBuild, read_torch
from rocmlint.version import __version__

if TYPE_CHECKING:
    from rocmlint.gpus.machine import Machine
    from rocmlint.interpreter.ask import Interpreter

VERSION = 1
"""Of the file: grows when a field changes its meaning or goes."""
DEFAULT_PATH = "rocm-stack.json"
_LARGEST = 50_000_000
_OF_TORCH = tuple(each.name for each in fields(TorchBuild) if each.name != "debug")


class StateError(RocmlintError):
    """A file is not a state that can be read, or cannot be written."""


@dataclass(frozen=True)
class Frozen:
    """A distribution as it was: ``record`` is the digest of what RECORD says of its files.

    ``requirement`` is the line of a requirements file that restores it. Files that older
    versions of rocmlint wrote do not have the ``installer``.
    """

    name: str
    version: str
    record: str | None
    requirement: str
    installer: str = ""


@dataclass(frozen=True)
class State:
    """A stack as it was at ``made`` (ISO 8601, UTC). ``rocm`` is empty where none was found."""

    made: str
    executable: str
    python: str
    rocm: str
    torch: TorchBuild | None
    distributions: tuple[Frozen, ...]

    @property
    def requirements(self) -> tuple[str, ...]:
        """The line of a requirements file for each package: its version, or where it came from."""
        return tuple(each.requirement for each in self.distributions)

    def get(self, name: str) -> Frozen | None:
        """Return the distribution of a normalized name; None if it was not there."""
        return next((each for each in self.distributions if each.name == name), None)


def freeze(interpreter: Interpreter | None = None, machine: Machine | None = None) -> State:
    """Read the state of an interpreter and this machine. Raises InterpreterError."""
    environment = read_environment(interpreter)
    rocm = find_rocm(machine, environment)
    made = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return state_of(environment, made, rocm.version)


def state_of(environment: Environment, made: str, rocm: str) -> State:
    """Make the state of packages that were read already."""
    return State(
        made,
        environment.executable,
        environment.python,
        rocm,
        read_torch(environment),
        tuple(
            Frozen(each.name, each.version, each.record, source_of(each), each.installer)
            for each in environment.distributions
        ),
    )


def write_state(state: State, path: str = DEFAULT_PATH, *, force: bool = False) -> None:
    """Write a state. Raises StateError, also where it would put another torch's in its place.

    ``force`` replaces whatever file is there.
    """
    if not force:
        _refuse_loss(state, path)
    document = {
        "version": VERSION,
        "tool": {"name": "rocmlint", "version": __version__},
        **asdict(state),
    }
    try:
        write_atomically(path, (json.dumps(document, indent=2) + "\n").encode())
    except OSError as error:
        message = f"{path}: cannot be written: {error.strerror}"
        raise StateError(message) from error


def read_state(path: str = DEFAULT_PATH) -> State | None:
    """Read a state; None if there is no such file. Raises StateError for any other file."""
    if not os.path.lexists(path):
        return None
    try:
        document = json.loads(read_small(path, _LARGEST).decode())
    except OSError as error:
        message = f"{path}: cannot be read: {error.strerror}"
        raise StateError(message) from error
    except (ValueError, RecursionError) as error:
        message = f"{path}: not a file of rocmlint stack freeze: {error}"
        raise StateError(message) from error
    try:
        return _state(document)
    except (KeyError, TypeError, ValueError) as error:
        message = f"{path}: not a file of rocmlint stack freeze: {_what(error)}"
        raise StateError(message) from error
    except StateError as error:
        message = f"{path}: {error}"
        raise StateError(message) from error


def kept_state(state: State) -> KeptBuilds:
    """Return the torch that was written down, and what was installed with it."""
    named = [state.get(name) for name in NAMED_IN_LINES]
    return kept_versions((each.name, each.version) for each in named if each is not None)


def constraints_of_state(state: State) -> list[str]:
    """Return a constraint for each package that belonged to torch when it was written down."""
    return constraints(state.distributions)


def _refuse_loss(state: State, path: str) -> None:
    if os.path.exists(path) and not os.path.isfile(path):  # /dev/stdout has nothing to lose
        return
    try:
        before = read_state(path)
    except StateError as error:
        message = f"{error}; choose another name, or --force to replace it"
        raise StateError(message) from error
    if before and before.torch and (state.torch is None or not same_torch(before, state)):
        message = (
            f"{path} records a different torch ({before.torch.version}, recorded {before.made}), "
            "which rocmlint stack survived compares with; use --force to overwrite it"
        )
        raise StateError(message)


def same_torch(before: State, now: State) -> bool:
    """Return whether two states have the same torch, as far as that was read in both."""
    one, other = before.get("torch"), now.get("torch")
    records = {each.record for each in (one, other) if each is not None and each.record}
    return _identity_of(before.torch) == _identity_of(now.torch) and len(records) < 2


def _identity_of(torch: TorchBuild | None) -> tuple[str, ...]:
    return () if torch is None else (torch.version, torch.kind, torch.hip, torch.cuda, torch.git)


def _state(document: Any) -> State:
    if not isinstance(document, dict):
        message = "it is not an object"
        raise TypeError(message)
    if document["version"] != VERSION and "distributions" in document:
        message = (
            f"its format has version {document['version']!r}, but this version of "
            f"rocmlint reads version {VERSION}"
        )
        raise StateError(f"{message}: use the rocmlint that wrote it, or run stack freeze again")
    torch, distributions = document["torch"], document["distributions"]
    return State(
        _text(document, "made"),
        _text(document, "executable"),
        _text(document, "python"),
        _text(document, "rocm"),
        None if torch is None else _torch(torch),
        tuple(_frozen(each) for each in distributions),
    )


def _torch(document: Any) -> TorchBuild:
    values: dict[str, Any] = {name: _text(document, name) for name in _OF_TORCH}
    debug = document["debug"]
    return TorchBuild(**values, debug=debug if isinstance(debug, bool) else None)


def _frozen(document: Any) -> Frozen:
    record = document["record"]
    return Frozen(
        _text(document, "name"),
        _text(document, "version"),
        None if record is None else _text(document, "record"),
        _text(document, "requirement"),
        _text({"installer": "", **document}, "installer"),
    )


def _text(document: Any, name: str) -> str:
    value = document[name]
    if not isinstance(value, str):
        message = f"{name} is {value!r}, which is not text"
        raise TypeError(message)
    return value


def _what(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)
