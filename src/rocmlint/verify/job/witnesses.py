"""The folder of a job's witnesses: how Python processes come to write there, and reading it."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatch
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.errors import RocmlintError
from rocmlint.interpreter.ask import INSIDE, NAME_INSIDE
from rocmlint.interpreter.inside import write_json
from rocmlint.interpreter.inside.job.process import host
from rocmlint.interpreter.inside.job.witness import ASK, BELLS, VARIABLE, VERSION
from rocmlint.interpreter.inside.job.witness import start as start_witness
from rocmlint.verify.job.shared_json import SharedJson
from rocmlint.verify.job.watch import watch_of
from rocmlint.verify.job.witness_report import WitnessReport, parsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rocmlint.verify.job.watch import Watch

_PATTERN = "witness.*.json"
_STARTUP = "startup"
_POLL = 0.2
_FOLDER, _FILE = 0o700, 0o600
"""Modes: who can write there runs code in every process of the job."""
_LARGEST = 100_000_000
"""Bytes of a witness; one that compares a thousand modules has some megabytes."""

ANSWER = 5.0
"""Seconds for ranks that still run to look again; they do within two, unless all of it hangs."""

_REQUEST = "REQUEST"
"""Stands for what is asked of a witness: it is written into what each process compiles once."""

STARTUP = f"""\
# Written by rocmlint verify run: lets a witness into this process, then makes room for the
# sitecustomize that would have been imported without it.
import os
import sys


def _begin():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [each for each in sys.path if each != here]
    if not os.environ.get("{VARIABLE}"):
        return
    folder, before = os.path.dirname(here), sys.path[:]
    try:
        if sys.version_info < (3, 9):
            raise RuntimeError("a witness needs Python 3.9 or later")
        # The current folder and PYTHONPATH may have modules of the names that are needed here.
        own = [each for each in before if os.path.basename(each) in ("lib-dynload", "DLLs")]
        sys.path[:] = [folder, os.path.dirname(os.__file__)] + own
        from {NAME_INSIDE}.job import witness
        sys.path[:] = before
        sys.path_importer_cache.pop(folder, None)
        witness.start(folder, {_REQUEST})
    except Exception as error:
        sys.path[:] = before
        try:
            import json

            known = {{
                "witness": {VERSION}, "host": os.uname()[1], "pid": os.getpid(),
                "python": sys.version.split()[0], "executable": sys.executable or "",
                "errors": ["%s: %s" % (type(error).__name__, error)],
            }}
            name = "witness.%s.%d.failed.json" % (known["host"], known["pid"])
            part = os.path.join(folder, name + ".part")
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
                json.dump(known, file)
            os.rename(os.path.join(folder, name + ".part"), os.path.join(folder, name))
        except Exception:
            pass


_begin()
del sys.modules["sitecustomize"]
import sitecustomize
"""
"""In words that any Python can compile. Where there is no other sitecustomize, the ImportError is
the one that ``site`` expects. The path entry is taken out again, so that a program finds its
``sys.path`` as it would be; its children still inherit PYTHONPATH."""


def bear_witness(folder: str, *, manifest: str | None = None, modules: Iterable[str] = ()) -> None:
    """Have this process write its witness into a directory, now and whenever more is known.

    For a program that ``verify run`` cannot start; ``verify ranks`` reads the directory. Raises
    ConfigError and WitnessError.
    """
    watch = watch_of([] if manifest is None else [manifest], modules)
    try:
        _make_private(folder)
    except OSError as error:
        message = f"{folder}: cannot be created: {error.strerror}"
        raise WitnessError(message) from error
    start_witness(os.path.abspath(folder), watch.request())


class WitnessError(RocmlintError):
    """The folder of the witnesses cannot be used."""


def folder_in(shared: str) -> str:
    """Return a folder below one that other jobs and other nodes may use too."""
    return os.path.join(shared, f"job.{host()}.{os.getpid()}.{time.time_ns():x}")


def prepare(
    folder: str, watch: Watch, environment: Mapping[str, str], bells: str = ""
) -> dict[str, str]:
    """Fill a folder with what lets witnesses in, and give the environment that names it.

    ``bells`` is a private folder of this machine, for :mod:`.inside.job.process_exit`. Raises
    WitnessError.
    """
    folder = os.path.abspath(folder)
    startup = os.path.join(folder, _STARTUP)
    if os.pathsep in folder:
        message = f"{folder}: PYTHONPATH cannot hold a path with {os.pathsep!r} in it"
        raise WitnessError(message)
    try:
        _make_private(startup)
        # A copy: on another node that shares the folder, rocmlint may be elsewhere or nowhere.
        inside = os.path.join(folder, NAME_INSIDE)
        # With its bytecode: a process may not write any, and would compile all of it each time.
        shutil.copytree(INSIDE, inside, dirs_exist_ok=True)
        with open(os.path.join(startup, "sitecustomize.py"), "w", encoding="utf-8") as file:
            file.write(STARTUP.replace(_REQUEST, repr(watch.request())))
        _close_to_others(folder)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        # copytree gathers what went wrong with each file: (from, to, why), ...
        why = error.strerror or (error.args[0][-1][-1] if error.args else type(error).__name__)
        message = f"{error.filename or folder}: cannot be written: {why}"
        raise WitnessError(message) from error
    before = environment.get("PYTHONPATH")
    path = f"{startup}{os.pathsep}{before}" if before else startup
    return {**environment, "PYTHONPATH": path, VARIABLE: folder, BELLS: bells}


def _make_private(folder: str) -> None:
    """Make a folder, and those above it, for this user alone; one that is there stays as it is."""
    if os.path.isdir(folder):
        return
    _make_private(os.path.dirname(os.path.abspath(folder)))
    with suppress(FileExistsError):  # by another node of the job
        os.mkdir(folder, _FOLDER)
        os.chmod(folder, _FOLDER)


def _close_to_others(folder: str) -> None:
    """Let nobody else write what every process of the job runs, whatever the umask says."""
    for root, folders, names in os.walk(folder):
        os.chmod(root, _FOLDER)
        if root != folder and "__pycache__" not in (*folders, os.path.basename(root)):
            os.mkdir(os.path.join(root, "__pycache__"))  # else Python makes it, by the umask
            folders.append("__pycache__")
        for name in names:
            os.chmod(os.path.join(root, name), _FILE)


def ask(witnesses: Iterable[WitnessReport], seconds: float) -> str:
    """Have the processes look again that may still run, and give them some time for it.

    Returns the question, by which :func:`read` knows who has answered.
    """
    asked = [each for each in witnesses if each.may_run and each.modules]
    question = f"{time.time_ns():x}"
    for folder in {os.path.dirname(each.file) for each in asked}:
        with suppress(OSError):  # a folder that is only to be read: then they are as they were
            write_json(os.path.join(folder, ASK), question, private=True)
    until = time.monotonic() + seconds
    while asked and time.monotonic() < until:
        time.sleep(_POLL)
        asked = [each for each in asked if not _has_answered(each, question)]
    return question


def _has_answered(witness: WitnessReport, question: str) -> bool:
    with suppress(OSError, ValueError):
        found = parsed(witness.file, read_small(witness.file, _LARGEST).decode())
        return isinstance(found, WitnessReport) and (not found.may_run or question in found.asked)
    return True


def read(folder: str, question: str = "") -> tuple[list[WitnessReport], list[str]]:
    """Read the witnesses in a folder and below it, with a line for each that is unreadable.

    The same process is taken once. ``question`` is what they were asked. Raises WitnessError where
    the folder itself cannot be read.
    """
    witnesses: dict[tuple[str, int, object], WitnessReport] = {}
    problems = []
    loads = SharedJson().loads
    for path in sorted(_files(folder)):
        try:
            found = parsed(path, read_small(path, _LARGEST).decode(), loads)
        except (OSError, ValueError) as error:
            found = f"{path}: {getattr(error, 'strerror', None) or error}"
        if isinstance(found, str):
            problems.append(found)
        else:
            witnesses.setdefault(
                (found.host, found.pid, found.facts.get("began")), replace(found, question=question)
            )
    return list(witnesses.values()), problems


def _files(folder: str) -> Iterator[str]:
    def refuse(error: OSError) -> None:
        message = f"{error.filename}: cannot be read: {error.strerror}"
        raise WitnessError(message) from error

    for root, _, names in os.walk(folder, onerror=refuse):
        yield from (os.path.join(root, name) for name in names if fnmatch(name, _PATTERN))


def by_rank(witnesses: Iterable[WitnessReport]) -> dict[int, list[WitnessReport]]:
    """Sort the processes by their rank; after a restart of the job only those of the last start."""
    found: dict[int, list[WitnessReport]] = {}
    for each in sorted(witnesses, key=lambda it: float(it.facts.get("began", 0))):
        if each.rank is not None:
            found.setdefault(each.rank, []).append(each)
    for rank, its in found.items():
        last = max(each.restart for each in its)
        found[rank] = [each for each in its if each.restart == last]
    return dict(sorted(found.items()))


def leaders(witnesses: Sequence[WitnessReport]) -> list[WitnessReport]:
    """Return those of one rank that none of the others started: one, if all is well.

    Of a process with several witnesses (it became another program, or testified) the last counts.
    """
    last_of = {(each.host, each.pid): each for each in witnesses}
    own = [it for it in last_of.values() if (it.host, it.facts.get("parent")) not in last_of]
    # A rank may run one program after the other; the job is the one that loaded what is watched.
    loaded = [each for each in own if each.modules]
    return loaded or own[-1:] or list(witnesses[:1])
