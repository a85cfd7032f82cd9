"""The witness in each Python process of a job: writes down what the process is made of.

It writes when the process starts (or a program calls for it), when a watched module has been
imported, when a rank is asked, and when the process ends, each time the whole file anew; so a
process that is killed leaves what was seen until then.
Whatever goes wrong here is written down, never raised: the program must not notice.
"""

from __future__ import annotations

import _thread
import atexit
import importlib
import os
import sys
import time
from contextlib import suppress

from .. import search, write_json
from . import process, process_exit
from .rank_poller import Attendant

TYPE_CHECKING = False  # ``typing`` takes milliseconds, in each process of a job
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

VERSION = 1
"""Of the format of a witness."""
VARIABLE = "ROCMLINT_WITNESS"
"""Names the folder of the witnesses; without it no process is watched."""

BELLS = "ROCMLINT_BELLS"
"""Names a folder of this machine by which processes have each other look (:mod:`.process_exit`)."""

ASK = "ask"
"""The file in the folder of the witnesses by which a rank is asked to look again: any new text."""

FORKED = ("fork", "forkserver")
_FRESH = 1.0
"""Seconds for which the facts on a process stay true enough while it imports one after another."""

_NEWER = 1.0
"""Seconds after a look in which a fork does not cause another."""

_MOST = 8
"""How many states of a module between its import and the last look are kept."""


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Import the modules of a request, and give what a witness would write of this process."""
    search.as_program()
    witness = Witness("", request)
    with suppress(Exception):  # for its version and its GPU; without it there is none to tell
        importlib.import_module("torch")
    for name in witness.modules:
        try:
            importlib.import_module(name)
        except Exception:  # noqa: BLE001 - told, beside what is known of the others
            witness.errors.append(_traceback())
    return witness.document("asked")


def start(folder: str, request: dict[str, Any]) -> Witness:
    """Watch this process and those that it forks.

    ``request`` names the ``modules`` to watch, the ``distributions`` whose version is wanted, and
    the ``files`` (relative to the folder that holds a package) to hash when the package of that
    name has been imported. ``functions`` are the arguments of
    :func:`..live.claimed_functions.function_facts`.
    """
    witness = Witness(folder, request)
    with suppress(Exception):
        witness.begin()
    return witness


def _traceback() -> str:
    from traceback import format_exc  # noqa: PLC0415 - slow to import, and seldom needed

    return format_exc()


def _quietly(method: Callable[..., None]) -> Callable[..., None]:
    """Turn what a method raises into an entry of ``errors``."""

    def quiet(self: Witness, *arguments: object) -> None:
        try:
            method(self, *arguments)
        except Exception:  # noqa: BLE001 - the user's program must go on
            with suppress(Exception):  # at the very end nothing can be imported
                self.errors.append(_traceback())
                self.complain()

    return quiet


class Witness:
    """Sees one process; after a fork the child's copy sees the child."""

    def __init__(self, folder: str, request: dict[str, Any]) -> None:
        self.folder = folder
        self.modules: list[str] = list(request.get("modules", ()))
        self.distributions: list[str] = list(request.get("distributions", ()))
        self.files: list[str] = list(request.get("files", ()))
        self.variables: list[str] = list(request.get("variables", ()))
        self.functions: list[dict[str, Any]] = list(request.get("functions", ()))
        self.errors: list[str] = []
        self._at_import: dict[str, dict[str, Any]]
        self._between: dict[str, list[dict[str, Any]]]
        self._last: dict[str, dict[str, Any]] = {}
        self._searched: set[str] = set()
        """The modules of which older objects were searched for since their last import."""
        self._facts: dict[str, Any] = {}
        self._facts_until = 0.0
        self._looked = 0.0
        self._asked = ""
        self._is_replaced = False
        """Whether another program takes the place of this process, at once."""
        self._looks_early = False
        """Whether it also looks before the functions that ``atexit`` calls."""
        self._bells = os.environ.get(BELLS, "")
        self._attendant: Attendant | None = None
        self.importing: set[str] = set()
        self._pid = 0
        self._become(process.start_method())

    def _become(self, how: str) -> None:
        """Be the witness of the process that this now is."""
        self._start = how
        self._began = time.time()
        self._is_over = False
        self._thread = _thread.get_ident()
        self._parent = self._pid or os.getppid()  # one that has ended has left its children
        self._pid = os.getpid()
        self._lock = _thread.RLock()  # the one from before a fork may be held for ever
        self._first_environment = self._environment()
        rank = process.ranks()["rank"]
        parts = (
            "witness",
            process.host(),
            f"{self._pid}",
            *(() if rank is None else (f"rank{rank}",)),
            how.replace(" ", "-"),
            f"{time.time_ns():x}",  # a process may become another program, and keep its id
        )
        self._name = ".".join(parts) + ".json"
        self._at_import, self._between = {}, {}  # what another process had and has no more

    @_quietly
    def begin(self) -> None:
        """Write for the first time, and see to it that more is written later."""
        self.write("start")
        if self.modules:
            from .import_hook import Finder  # noqa: PLC0415 - there may be nothing to listen for

            sys.meta_path.insert(0, Finder(self.modules, self.importing, self.imported))
        atexit.register(self.at_exit)
        process_exit.watch(self._bells, self.before_the_end)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self.before_fork, after_in_child=self.forked)
        if any(name in sys.modules for name in self.modules):
            self._begin_to_watch_calls()
            self.write("call")
            self._begin_to_attend()
            self._look_before_handlers()

    @_quietly
    def before_fork(self) -> None:
        """Look again: what the child is made of has been seen then."""
        if self._last and time.monotonic() - self._looked > _NEWER:
            self.write("running")

    @_quietly
    def forked(self) -> None:
        """Begin anew in the child of a fork: what was imported before is its own too."""
        if process_exit.is_about_to_exec():
            self._is_replaced = True
            return
        how = "forkserver" if self._start == "forkserver server" else "fork"
        self.errors = []
        self._become(how)
        self.write("start")
        if self._last or any(name in sys.modules for name in self.modules):
            self._attendant = None
            self._begin_to_attend()

    @_quietly
    def imported(self, name: str) -> None:
        """Write what a module is made of, now that it has been imported."""
        again = name in self._last  # reloaded: others may hold what was there before
        self._searched.discard(name)
        for each, seen in _compared([name], self.functions, stale=again).items():
            self._remember(each, seen, "import")
            self._at_import[each] = seen
        self._begin_to_watch_calls()
        self.write("import")
        self._begin_to_attend()
        self._look_before_handlers()

    @_quietly
    def at_exit(self) -> None:
        """Write what has changed until the end.

        A child of multiprocessing, or a program that calls atexit._run_exitfuncs(), goes on.
        """
        if process_exit.is_called_by_program():
            self.write("running")
        else:
            self.before_the_end(process_exit.EXIT)
            self._is_over = True

    @_quietly
    def before_the_end(self, moment: str) -> None:
        """Write what is there, right before this process ends or becomes another program."""
        self.write(moment)
        if moment in (process_exit.EXIT, process_exit.EXEC):
            self._hang_up()

    def _begin_to_watch_calls(self) -> None:
        """See which functions run from now on, at one event for each (older ones count them)."""
        if self.functions and hasattr(sys, "monitoring"):
            from ..live import executed  # noqa: PLC0415 - only where a function is wanted

            executed.start()

    def _begin_to_attend(self) -> None:
        """Listen for questions: a process that waits, or that is ended, writes nothing itself."""
        if self._attendant is None:
            regularly = self._is_rank() and self._start not in FORKED
            question = os.path.join(self.folder, ASK)
            bell = process_exit.bell_of(self._bells, self._pid) if self._bells else ""
            self._attendant = Attendant(
                on_question=self.look_again, on_bell=self.rung, look=self.look, regularly=regularly
            )
            self._attendant.start(question, bell)

    def _look_before_handlers(self) -> None:
        """Look at the end of the program too, before handlers and finalizers undo what it did.

        ``atexit`` calls what was registered first, as :meth:`at_exit`, last.
        """
        # Imported in another thread, it would take that one for the main thread.
        if not self._looks_early and _thread.get_ident() == self._thread:
            import threading  # noqa: PLC0415 - takes milliseconds, in each process of a job

            self._looks_early = True
            with suppress(RuntimeError):  # the handlers are running already
                threading._register_atexit(self.look)  # type: ignore[attr-defined] # noqa: SLF001

    def _hang_up(self) -> None:
        if self._bells and self._attendant is not None:
            with suppress(OSError):
                os.unlink(process_exit.bell_of(self._bells, self._pid))

    def _is_rank(self) -> bool:
        return process.ranks()["rank"] is not None

    @_quietly
    def look_again(self, question: str) -> None:
        """Write what is there now."""
        self._asked = question
        self.write("running")

    @_quietly
    def rung(self, number: int) -> None:
        """Write what is there now: another process is about to send this one a signal."""
        if not self._is_over:
            self.write(process_exit.moment_of(number))

    @_quietly
    def look(self) -> None:
        """Write what is there now, unless it is the end already."""
        if not self._is_over:
            self.write("running")

    def _environment(self) -> dict[str, str]:
        """Return the variables that matter, without what lets the witness in."""
        found = process.environment(self.variables)
        path = found.pop("PYTHONPATH", "").split(os.pathsep)
        own = os.environ.get(VARIABLE, os.pathsep)
        kept = os.pathsep.join(each for each in path if not each.startswith(own))
        return {**found, **({"PYTHONPATH": kept} if kept else {})}

    def complain(self) -> None:
        """Write that this process is there, and what went wrong, if nothing else is written."""
        path = os.path.join(self.folder, self._name)
        if not os.path.exists(path):
            known = {"host": process.host(), "pid": self._pid, "start": self._start}
            write_json(path, {**known, "witness": VERSION, "errors": self.errors}, private=True)

    def write(self, moment: str) -> None:
        """Write the witness anew."""
        if self._is_replaced:
            return
        if os.getpid() != self._pid:
            self._become("fork")  # C code made it, of which no hook is told
        with self._lock:
            write_json(os.path.join(self.folder, self._name), self.document(moment), private=True)

    def document(self, moment: str) -> dict[str, Any]:
        """Return what is known at a moment.

        start, call, import, running, asked; exit, exec (it becomes another program), signal (it
        is about to be ended by one).
        """
        loaded = [each for each in self.modules if each in sys.modules]
        modules = self._modules(moment, loaded)
        failure = getattr(sys, "last_type", None) if moment == process_exit.EXIT else None
        return {
            **self._process(moment, loaded),
            "witness": VERSION,
            "parent": self._parent,
            "moment": moment,
            "began": self._began,
            "written": time.time(),
            "start": self._start,
            "watched": self.modules,
            "asked": self._asked,
            "failure": getattr(failure, "__name__", None),
            "environment": self._environment(),
            "environment_at_start": self._first_environment,
            "modules": modules,
            "files": {} if moment == "start" else self._hashes(),
            "functions": self._functions(moment),
            "program": str(getattr(sys.modules.get("__main__"), "__file__", None) or ""),
            "errors": self.errors,
        }

    def _process(self, moment: str, loaded: list[str]) -> dict[str, Any]:
        """Describe the process as far as somebody will ask: some of it takes long to find."""
        if self._start in FORKED:  # of which there may be thousands
            return process.personal()
        if moment == "start" or not (loaded or "torch" in sys.modules):
            return process.identity()
        if moment not in ("import", "running") or time.monotonic() > self._facts_until:
            # Only what asks as a process of its own may touch the GPU.
            self._facts = process.facts(self.distributions, devices=moment == "asked")
            self._facts_until = time.monotonic() + _FRESH
        return self._facts

    def _modules(self, moment: str, loaded: list[str]) -> dict[str, dict[str, Any]]:
        """Return what is known of each module that is or was loaded, at each look at it."""
        if moment not in ("start", "import"):
            new = loaded
        else:
            new = [each for each in loaded if each not in self._last and each not in self.importing]
        # Searching the whole program takes by far the longest, and finds what an import left.
        is_last = moment in (process_exit.EXIT, process_exit.EXEC) and self._start not in FORKED
        stale = is_last or moment in ("call", "asked") or not self._searched.issuperset(new)
        for name, seen in _compared(new, self.functions, stale=stale).items():
            if not stale and "stale" in seen:
                seen["stale"] = self._last[name]["now"].get("stale", [])
            self._remember(name, seen, moment)
        if stale:
            self._searched.update(new)
        if moment not in ("start", "import"):
            self._looked = time.monotonic()
            for name in self._last.keys() - set(loaded):
                gone = {"module": name, "error": "it was removed from sys.modules"}
                self._remember(name, gone, moment)
        return {
            name: {
                "at_import": self._at_import.get(name),
                "between": self._between.get(name, []),
                **last,
            }
            for name, last in self._last.items()
        }

    def _remember(self, name: str, seen: dict[str, Any], moment: str) -> None:
        """Take this for the last state of a module, and keep the one before if it was another."""
        before = self._last.get(name)
        self._last[name] = {"now": seen, "moment": moment, "at": time.time()}
        if before is None or before["now"] == seen:
            return
        # What a reload took away had only been imported, and a parent's state is not a child's.
        if before["moment"] == "import" or before["at"] < self._began:
            return
        between = self._between.setdefault(name, [])
        if len(between) < _MOST and all(each["now"] != before["now"] for each in between):
            between.append(before)

    def _functions(self, moment: str) -> dict[str, dict[str, Any]]:
        """Look at the functions whose modules are loaded, once they may have been replaced."""
        wanted = [each for each in self.functions if each["module"] in sys.modules]
        if not wanted or moment in ("start", "import"):
            return {}
        from ..live.claimed_functions import function_facts  # noqa: PLC0415 - only a process that has it needs it

        try:
            return {each["name"]: each for each in function_facts(wanted)}
        except Exception as error:  # noqa: BLE001 - told, and the modules are told all the same
            failed = {"error": f"{type(error).__name__}: {error}"}
            return {each["name"]: failed for each in wanted}

    def _hashes(self) -> dict[str, dict[str, Any]]:
        """Hash the wanted files of each package that is loaded."""
        wanted = [path for path in self.files if path.partition("/")[0] in sys.modules]
        if not wanted:
            return {}
        from .loaded import hash_in_package  # noqa: PLC0415 - most processes need none of it

        return {path: hash_in_package(path) for path in wanted}


def _compared(
    names: list[str], functions: list[dict[str, Any]], *, stale: bool
) -> dict[str, dict[str, Any]]:
    """Compare modules with their sources; what goes wrong is told as what is known of one."""
    if not names:
        return {}
    from ..live import compare  # noqa: PLC0415 - only a process that has the module needs it

    try:
        found = compare.compare_all(names, stale=stale, wanted=functions)
        return {each["module"]: each for each in found}
    except Exception as error:  # noqa: BLE001 - one module must not hide the others
        if len(names) == 1:
            return {names[0]: {"module": names[0], "error": f"{type(error).__name__}: {error}"}}
    alone = (_compared([each], functions, stale=stale) for each in names)
    return {name: known for each in alone for name, known in each.items()}
