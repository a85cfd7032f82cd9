"""Whether the functions of loaded modules are made of the source that is on disk now."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from .bound import Bound, bound
from .differences.all_differences import altered
from .left_to_claims import Excuses
from .objects.fingerprints import fingerprint
from .objects.literals import changed_literals
from .objects.on_disk import OnDisk, on_disk
from .objects.reachable import as_namespace, attributes_in, functions_of, is_namespace, set_aside
from .source.forms import forms
from .source.made_modules import places
from .source.module_source import (
    NoSourceError,
    changed_since_start,
    foreign_loading,
    is_made,
    loader_of,
)
from .stale_importers import WatchedNames, holders_of

if TYPE_CHECKING:
    import weakref
    from collections.abc import Iterable
    from types import CodeType, FunctionType

    from .claimed_functions import Wanted


def compare(name: str) -> dict[str, Any]:
    """Compare one module; :func:`compare_all` says what comes."""
    return compare_all([name])[0]


def compare_all(
    names: Iterable[str], *, stale: bool = True, wanted: Iterable[Wanted] = ()
) -> list[dict[str, Any]]:
    """Compare modules of ``sys.modules`` with their sources, importing nothing.

    ``wanted`` are the functions that must be those of other files (:mod:`.claimed_functions`):
    what is there says nothing of its module.

    Without ``stale`` the other modules are not searched, which takes the most time: right after
    its first import nothing can hold an older state of a module.

    Each answer has ``module``, ``origin`` (path of the source), ``loader``, ``cached`` (path of the
    .pyc or None), ``sha256`` of the source on disk now (None without), ``unprovable`` (None, or why
    nothing could be compared), ``made`` (None, or where the program puts it into ``sys.modules``
    without a file), and of the functions:

    - ``matched``: how many live ones are made of the source;
    - ``defined``: how many the source defines outside of other functions;
    - ``hidden``: whether something took the place of the module that does not lead to them;
    - ``differing``: ``[{name, file, line}]``, loaded from this file but not what it says now;
    - ``replaced``: ``[{name, file, line}]``, attributes that the source defines but whose live code
      was defined at that place (None: it is not Python code);
    - ``missing``: names that the source defines and of which no live object is made;
    - ``wrapped``: ``[{name, file, line}]``, matched, below a wrapper that was defined there;
    - ``behind``: ``[{name, kind, file, line}]``, attributes that the source defines and that are
      now an object of that kind, which the source does not ask for and which holds what it defines;
    - ``opaque``: names whose decorator gives something that cannot be followed;
    - ``stale``: ``[{module, attribute, file, line}]``, what other modules hold of an older state;
    - ``listed``: names of the module that are among the wanted functions.

    Of the rest of the module: ``loading`` (where the code is that reads or compiles sources in
    place of Python's own; None: nothing does), ``loads_other`` (whether an import now would run
    other code than the source: a stale .pyc, an import hook; None: not known), ``changed`` (whether
    the source changed since the program was started, None: not known; a .pyc that is right now and
    was wrong at the import would have to be deleted by hand in between), and, unless both are
    False, ``literals``: names whose value is not the literal that the source gives them.
    """
    answers, watched, wanted = [], {}, list(wanted)
    for name in names:
        module = sys.modules.get(name)
        excuses = Excuses(name, tuple(wanted))
        facts = {**_blank(name, module), "listed": excuses.names}
        answers.append(facts)
        try:
            with set_aside(excuses.aside()):
                watched[name] = _compared(module, facts, excuses)
        except NoSourceError as error:
            facts["unprovable"] = str(error)
            if name in sys.modules and is_made(module):
                facts["made"] = places(name)
        except Exception as error:  # noqa: BLE001 - one odd module must not hide the others
            facts["unprovable"] = f"comparing it failed: {type(error).__name__}: {error}"
    holders = holders_of(watched) if stale else {}
    for facts in answers:
        facts["stale"] = holders.get(facts["module"], [])
    return answers


def held(name: str) -> list[tuple[str, object, weakref.ref[FunctionType]]]:
    """Return by name what stands for functions of a module, and the function that is behind it."""
    try:
        disk = on_disk(name)
        found = bound(as_namespace(sys.modules[name], disk.is_home), disk).held
    except Exception:  # noqa: BLE001 - comparing it says why
        return []
    return [(path, *both) for path, both in found.items()]


def _compared(module: Any, facts: dict[str, Any], excuses: Excuses) -> WatchedNames:
    """Add to the facts what the comparison of one module gives. Raises NoSourceError."""
    disk = on_disk(facts["module"])
    space = as_namespace(module, disk.is_home)
    disk = disk.settled(space)
    found = excuses.without(bound(space, disk))
    reached = attributes_in(module, space, disk.is_own)
    facts.update(_functions(reached, disk, found), **_rest(space, disk))
    known = {*found.replaced, *found.missing, *found.behind}
    # What stands for a class has other values than the class.
    below = tuple(f"{each}." for each in known)
    facts["literals"] = [each for each in facts["literals"] if not each.startswith(below)]
    facts["altered"] = [
        {**asdict(each), "certain": each.is_certain(disk)}
        for each in altered(module, space, disk, known)
        if not excuses.cover(each.name, (each.file, each.line), each.kind)
    ]
    facts["hidden"] = not is_namespace(space)
    return WatchedNames(module, disk, found.replaced.keys(), excuses.functions)


def _blank(name: str, module: Any) -> dict[str, Any]:
    spec = getattr(module, "__spec__", None)
    loader = loader_of(module)
    kind = loader if isinstance(loader, type) else type(loader)
    return {
        "module": name,
        "origin": getattr(spec, "origin", None) or getattr(module, "__file__", None),
        "loader": None if loader is None else kind.__name__,
        "cached": getattr(spec, "cached", None),
        "sha256": None,
        "forms": {},
        "unprovable": None,
        "made": None,
        "matched": 0,
        "defined": 0,
        "hidden": False,
        **{key: [] for key in ("differing", "replaced", "missing", "wrapped")},
        **{key: [] for key in ("behind", "opaque", "altered")},
        "loading": None,
        "loads_other": None,
        "changed": None,
        "literals": [],
    }


def _functions(reached: Iterable[tuple[str, object]], disk: OnDisk, found: Bound) -> dict[str, Any]:
    """Compare all functions that can be reached from the attributes of a module."""
    matched: set[CodeType] = set()
    differing: dict[CodeType, str] = {}
    for path, value in reached:
        for function in functions_of(value):
            code = function.__code__
            if not disk.is_home(code) or code in matched or code in differing:
                continue
            if code in found.generated:
                continue
            if disk.is_outdated(code):
                differing[code] = path
            else:
                matched.add(code)
    return {
        "matched": len(matched),
        "defined": sum(each.is_attribute for each in disk.defined.values()),
        "differing": [
            _entry(name, code.co_filename, code.co_firstlineno) for code, name in differing.items()
        ],
        "replaced": [_entry(name, *place) for name, place in found.replaced.items()],
        "missing": found.missing,
        "wrapped": [_entry(name, *place) for name, place in found.wrapped.items()],
        "behind": [{"name": name, **asdict(each)} for name, each in found.behind.items()],
        "opaque": found.opaque,
    }


def _entry(name: str, file: str | None, line: int | None) -> dict[str, Any]:
    return {"name": name, "file": file, "line": line}


def _rest(space: object, disk: OnDisk) -> dict[str, Any]:
    """Return what is known of the code that ran once, at the import."""
    loads_other = None
    if disk.loaded is not None:
        loads_other = fingerprint(disk.loaded) != fingerprint(disk.code)
    changed = changed_since_start(disk.source.path)
    return {
        "sha256": disk.sha256,
        "forms": forms(disk.source.data),
        "loading": foreign_loading(sys.modules[disk.module]),
        "loads_other": loads_other,
        "changed": changed,
        "literals": changed_literals(space, disk),
    }
