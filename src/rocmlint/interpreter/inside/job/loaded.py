"""Imports modules, compares them with their sources, and runs one function if that is asked."""

from __future__ import annotations

import importlib
import inspect
import math
import os
import sys
import time
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from .. import progress, search
from ..imports.files import sha256_of
from ..live import call_tracing, executed
from ..live.claimed_functions import function_facts
from ..live.compare import compare_all, held
from ..live.objects.on_disk import on_disk
from ..live.source.module_source import NoSourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Answer for ``modules`` (names), ``files`` (below the folder of a package), ``call``.

    ``functions`` are the arguments of :func:`..live.claimed_functions.function_facts`, and its
    answers.

    After ``seconds``, if there are any, no further module is imported or compared.

    Gives ``failed`` (why a module could not be imported), ``unchecked`` (the modules for which
    there was no time), ``comparisons`` (of the others, see :mod:`..live`), ``files`` (path and
    sha256 or error of each), and with a ``call`` ("module:name") ``call_failed`` (None or why), and
    for each comparison ``ran`` and ``never_ran``: names, and ``through``: what was seen of calls to
    what other objects stand for (:mod:`..live.call_tracing`).
    """
    search.as_program()
    failed, until = {}, time.monotonic() + request.get("seconds", math.inf)
    names = []
    for name in _in_time(request["modules"], until, "importing"):
        try:
            importlib.import_module(name)
        except BaseException as error:  # noqa: BLE001 - whatever user code raises or exits with
            failed[name] = last_line(error)
        else:
            names.append(name)
    answered: dict[str, Any] = {"failed": failed}
    functions = request.get("functions", [])
    if request["call"]:
        for name in names:
            for found in held(name):
                call_tracing.watch(name, *found)
        answered["call_failed"] = _called(request["call"], [each["file"] for each in functions])
    in_time = _in_time(names, until, "comparing")
    answered["comparisons"] = compare_all(in_time, wanted=functions)
    known = {*failed, *(each["module"] for each in answered["comparisons"])}
    answered["unchecked"] = [each for each in request["modules"] if each not in known]
    answered["functions"] = function_facts(functions)
    if request["call"]:
        for each in answered["comparisons"]:
            each.update(_ran(each["module"]))
            each["through"] = _through(each["module"])
    answered["files"] = {path: hash_in_package(path) for path in request["files"]}
    return answered


def _in_time(names: Sequence[str], until: float, what: str) -> Iterator[str]:
    """Yield names as long as there is time, and tell how far the work has come."""
    for number, name in enumerate(names, 1):
        if time.monotonic() > until:
            return
        progress.report(f"{what} {name} ({number} of {len(names)})")
        yield name


def last_line(error: BaseException) -> str:
    """Return an exception as the last line of its traceback has it."""
    text = str(error).strip()
    return f"{type(error).__name__}: {text.splitlines()[-1]}" if text else type(error).__name__


def _called(place: str, traced: list[str]) -> str | None:
    """Call ``module:name`` without arguments while its functions are watched; say what failed."""
    try:
        function = _function(place)
        problem = executed.start(traced)
        if problem is not None:
            return f"nothing can be watched: {problem}"
        result = function()
        if inspect.iscoroutine(result):
            from asyncio import run  # noqa: PLC0415 - slow to import, and seldom needed

            run(result)
    except BaseException as error:  # noqa: BLE001 - whatever user code raises or exits with
        return last_line(error)
    finally:
        executed.stop()
    return None


def _function(place: str) -> Callable[[], object]:
    module, _, name = place.partition(":")
    function: Callable[[], object] = attrgetter(name)(importlib.import_module(module))
    return function


def _ran(name: str) -> dict[str, list[str]]:
    """Return which functions of the source ran as they are there, and which did not."""
    try:
        disk = on_disk(name)
    except NoSourceError:
        return {"ran": [], "never_ran": []}
    fingerprints = disk.fingerprints_of(executed.ran(disk.files))
    ran: list[str] = []
    never: list[str] = []
    for fingerprint, each in disk.defined.items():
        if each.is_function and each.is_named:
            (ran if fingerprint in fingerprints else never).append(each.name)
    return {"ran": ran, "never_ran": never}


def _through(name: str) -> list[dict[str, Any]]:
    """Return what was seen of the objects around functions that are there still."""
    now = {path: value for path, value, _ in held(name)}
    return [each.facts for each in call_tracing.passages(name) if now.get(each.name) is each.value]


def hash_in_package(path: str) -> dict[str, Any]:
    """Return where a file of an imported package is, and its hash or why it cannot be read."""
    package, _, _ = path.partition("/")
    folders = getattr(sys.modules.get(package), "__path__", None)
    if not folders:
        return {"path": None, "error": f"{package} is not an imported package"}
    found = os.path.join(os.path.dirname(next(iter(folders))), *path.split("/"))
    try:
        return {"path": found, "sha256": sha256_of(found)}
    except OSError as error:
        return {"path": found, "error": f"cannot be read: {error.strerror}"}
