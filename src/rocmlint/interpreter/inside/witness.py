"""The witness in each Python process of a job: writes down what the process is made of.

It writes when the process starts (or a program calls for it), when a watched module has been
imported, when a rank is asked, and when the process ends, each time the whole file anew; so a
process that is killed leaves what was seen until then.
Whatever goes wrong here is written down, never raised: the program must not notice.
"""

from __future__ import annotations

import _thread
import atexit
import copy
import functools
import importlib
import os
import sys
import time
import traceback
from contextlib import suppress
from importlib.util import LazyLoader
from typing import TYPE_CHECKING, Any

from . import process, search, write_json
from .attendant import Attendant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from importlib.machinery import ModuleSpec
    from types import ModuleType

VERSION = 1
"""Of the format of a witness."""

VARIABLE = "ROCMLINT_WITNESS"
"""Names the folder of the witnesses; without it no process is watched."""

ASK = "ask"
"""The file in the folder of the witnesses by which a rank is asked to look again: any new text."""

FORKED = ("fork", "forkserver")
_FRESH = 1.0
"""Seconds for which the facts on a process stay true enough while it imports one after another."""

_MULTIPROCESSING = "multiprocessing.util"


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
            witness.errors.append(traceback.format_exc())
    return witness.document("asked")


def start(folder: str, request: dict[str, Any]) -> Witness:
    """Watch this process and those that it forks.

    ``request`` names the ``modules`` to watch, the ``distributions`` whose version is wanted, and
    the ``files`` (relative to the folder that holds a package) to hash when the package of that
    name has been imported. ``functions`` are what :func:`.live.required.look` is asked.
    """
    witness = Witness(folder, request)
    with suppress(Exception):
        witness.begin()
    return witness


def _quietly(method: Callable[..., None]) -> Callable[..., None]:
    """Turn what a method raises into an entry of ``errors``."""

    @functools.wraps(method)
    def quiet(self: Witness, *arguments: object) -> None:
        try:
            method(self, *arguments)
        except Exception:  # noqa: BLE001 - the user's program must go on
            self.errors.append(traceback.format_exc())
            with suppress(Exception):
                self.complain()

    return quiet


class Witness:
    """Sees one process; after a fork the child's copy sees the child."""

    def __init__(self, folder: str, request: dict[str, Any]) -> None:
        self.folder = folder
        self.modules: list[str] = list(request.get("modules", ()))
        self.distributions: list[str] = list(request.get("distributions", ()))
        self.files: list[str] = list(request.get("files", ()))
        self.functions: list[dict[str, Any]] = list(request.get("functions", ()))
        self.errors: list[str] = []
        self._at_import: dict[str, dict[str, Any]] = {}
        self._facts: dict[str, Any] = {}
        self._facts_until = 0.0
        self._asked = ""
        self._attendant: Attendant | None = None
        self.importing: set[str] = set()
        self._become(process.start_method())

    def _become(self, how: str) -> None:
        """Be the witness of the process that this now is."""
        self._start = how
        self._began = time.time()
        self._pid = os.getpid()
        self._lock = _thread.RLock()  # the one from before a fork may be held for ever
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

    @_quietly
    def begin(self) -> None:
        """Write for the first time, and see to it that more is written later."""
        self.write("start")
        sys.meta_path.insert(0, _Finder(self))
        atexit.register(self.at_exit)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.forked)
        if _MULTIPROCESSING in sys.modules:
            self.imported(_MULTIPROCESSING)
        if any(name in sys.modules for name in self.modules):
            self.write("call")
            self._begin_to_attend()

    @_quietly
    def forked(self) -> None:
        """Begin anew in the child of a fork: what was imported before is its own too."""
        how = "forkserver" if self._start == "forkserver server" else "fork"
        self.errors = []
        self._become(how)
        self.write("start")

    @_quietly
    def imported(self, name: str) -> None:
        """Write what a module is made of, now that it has been imported."""
        if name == _MULTIPROCESSING:
            # Its children leave by os._exit; this is run in each of them, and only there.
            sys.modules[name].register_after_fork(self, _finalize)
        if name in self.modules:
            again = name in self._at_import  # reloaded: others may hold what was there before
            self._at_import.update(_compared([name], self.functions, stale=again))
            self.write("import")
            self._begin_to_attend()

    @_quietly
    def at_exit(self) -> None:
        """Write what has changed until the end."""
        if os.getpid() == self._pid:
            self.write("exit")

    def _begin_to_attend(self) -> None:
        """Listen for questions, in ranks: those wait for each other, and then write nothing."""
        is_rank = process.ranks()["rank"] is not None and self._start not in FORKED
        if is_rank and self._attendant is None:
            self._attendant = Attendant(os.path.join(self.folder, ASK), self.look_again)

    @_quietly
    def look_again(self, question: str) -> None:
        """Write what is there now."""
        self._asked = question
        self.write("running")

    def complain(self) -> None:
        """Write that this process is there, and what went wrong, if nothing else is written."""
        path = os.path.join(self.folder, self._name)
        if not os.path.exists(path):
            known = {"host": process.host(), "pid": self._pid, "start": self._start}
            write_json(path, {**known, "witness": VERSION, "errors": self.errors}, private=True)

    def write(self, moment: str) -> None:
        """Write the witness anew."""
        with self._lock:
            write_json(os.path.join(self.folder, self._name), self.document(moment), private=True)

    def document(self, moment: str) -> dict[str, Any]:
        """Return what is known at a moment: start, call, import, running, exit, or asked."""
        loaded = [each for each in self.modules if each in sys.modules]
        return {
            **self._process(moment, loaded),
            "witness": VERSION,
            "moment": moment,
            "began": self._began,
            "written": time.time(),
            "start": self._start,
            "watched": self.modules,
            "asked": self._asked,
            "modules": self._modules(moment, loaded),
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
        if moment != "import" or time.monotonic() > self._facts_until:
            # Only what asks as a process of its own may touch the GPU.
            self._facts = process.facts(self.distributions, devices=moment == "asked")
            self._facts_until = time.monotonic() + _FRESH
        return self._facts

    def _modules(self, moment: str, loaded: list[str]) -> dict[str, dict[str, Any]]:
        """Return what is known of each module that is loaded, at its import and last of all."""
        found: dict[str, dict[str, Any]] = {
            name: {"at_import": first, "now": first, "moment": "import"}
            for name, first in self._at_import.items()
        }
        is_last = moment in ("running", "exit", "asked")
        new = [name for name in loaded if is_last or not (name in found or name in self.importing)]
        for name, now in _compared(new, self.functions, stale=True).items():
            found[name] = {"at_import": self._at_import.get(name), "now": now, "moment": moment}
        if is_last:
            for name in found.keys() - set(loaded):
                gone = {"module": name, "error": "it was removed from sys.modules"}
                found[name].update(now=gone, moment=moment)
        return found

    def _functions(self, moment: str) -> dict[str, dict[str, Any]]:
        """Look at the functions whose modules are loaded, once they may have been replaced."""
        wanted = [each for each in self.functions if each["module"] in sys.modules]
        if not wanted or moment in ("start", "import"):
            return {}
        from .live.required import look  # noqa: PLC0415 - only a process that has it needs it

        try:
            return {each["name"]: each for each in look(wanted)}
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
    from .live import compare  # noqa: PLC0415 - only a process that has the module needs it

    try:
        found = compare.compare_all(names, stale=stale, wanted=functions)
        return {each["module"]: each for each in found}
    except Exception as error:  # noqa: BLE001 - one module must not hide the others
        if len(names) == 1:
            return {names[0]: {"module": names[0], "error": f"{type(error).__name__}: {error}"}}
    alone = (_compared([each], functions, stale=stale) for each in names)
    return {name: known for each in alone for name, known in each.items()}


def _finalize(witness: Witness) -> None:
    """Have a child of multiprocessing write at its end."""
    util: Any = sys.modules[_MULTIPROCESSING]
    util.Finalize(witness, witness.at_exit, exitpriority=-100)


class _Finder:
    """Asks the finders behind it, and lets the loader of a watched module tell of its end."""

    def __init__(self, witness: Witness) -> None:
        self._witness = witness
        self._names = {*witness.modules, _MULTIPROCESSING}
        self._asking: set[tuple[int, str]] = set()

    def find_spec(
        self, name: str, path: Iterable[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec that the import would have had without this finder."""
        key = (_thread.get_ident(), name)
        if name not in self._names or key in self._asking or self not in sys.meta_path:
            return None
        self._asking.add(key)  # a finder behind this one may ask all others in turn
        try:
            for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
                find_spec = getattr(finder, "find_spec", None)
                spec: ModuleSpec | None = find_spec and find_spec(name, path, target)
                if spec is not None:
                    self._listen(spec)
                    return spec
        finally:
            self._asking.discard(key)
        return None

    def _listen(self, spec: ModuleSpec) -> None:
        """Wrap the method of this one loader; its type stays what programs ask for.

        What cannot be wrapped (a loader that is a class, a lazy one) is left as it is: the module
        is then seen at the next moment at which something is written.
        """
        with suppress(Exception):
            loader: Any = copy.copy(spec.loader)  # one loader may serve a whole zip
            if isinstance(loader, (type, LazyLoader)):
                return
            exec_module = loader.exec_module
            loader.exec_module = functools.partial(self._execute, loader, exec_module)
            spec.loader = loader

    def _execute(
        self, loader: Any, exec_module: Callable[[ModuleType], None], module: ModuleType
    ) -> None:
        """Import a module as its loader does, and tell the witness."""
        del loader.exec_module
        name = module.__name__
        self._witness.importing.add(name)
        try:
            exec_module(module)
        finally:
            self._witness.importing.discard(name)
        self._witness.imported(name)
