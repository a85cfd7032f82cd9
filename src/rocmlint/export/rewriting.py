"""Rewriting functions of a program that runs: patches made from their own source.

The source is the file that the function was imported from, rewritten by
``rocmlint.models.control_flow``. The new function has the globals, closure and defaults of the
original, so that it sees the same names, and is installed, counted and undone like any other patch.
"""

from __future__ import annotations

import builtins
import dis
import inspect
import sys
import tokenize
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from rocmlint.export.errors import ExportError
from rocmlint.export.patch import Patch
from rocmlint.export.targets import function_of
from rocmlint.models.control_flow.compiled import function_code
from rocmlint.models.control_flow.rewrite import Options, Rewritten, rewrite
from rocmlint.models.tensors.inference import infer

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Collection, Iterable, Iterator

    from rocmlint.models.control_flow.rewrite import Statement

_REACHED = frozenset({"live", "dtype-gated"})
"""What an export gets to; in a model that is in training mode also what only trains."""


@dataclass(frozen=True)
class Rewrite:
    """What to rewrite, and how; ``rewrite=`` takes the targets alone too.

    ``targets`` is a model, True for the model of the session, or a list of classes, functions and
    pairs of a class and a name. ``filter_node`` says whether a statement may be rewritten,
    ``pre_rewriter`` changes the text of a file before, and ``post_rewriter`` after.
    """

    targets: Any
    filter_node: Callable[[ast.AST], bool] | None = None
    pre_rewriter: Callable[[str], str] | None = None
    post_rewriter: Callable[[str], str] | None = None
    plain_torch: bool = False


@dataclass(frozen=True, eq=False)
class Place:
    """A function to rewrite, where it is, and whether it was named, not only found in a model."""

    owner: Any
    name: str
    function: FunctionType
    named: bool

    @property
    def path(self) -> str:
        """Return the qualified name as ``rocmlint.models.tensors`` writes it."""
        return self.function.__qualname__.replace(".<locals>", "")


@dataclass(frozen=True)
class RewrittenFile:
    """A file of which functions are rewritten."""

    path: str
    module: str
    rewritten: Rewritten

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Return the statements that depend on tensors: rewritten, or refused with a reason."""
        return self.rewritten.statements


def rewrites_of(given: Any, model: Any) -> tuple[list[Patch], list[RewrittenFile]]:
    """Return a patch for each function that changes, and the files. Raises ExportError.

    A function that was named must change; of a model or a class those change that need it.
    """
    wanted = given if isinstance(given, Rewrite) else Rewrite(given)
    if wanted.targets in (None, False):
        return [], []
    targets = model if wanted.targets is True else wanted.targets
    if targets is None:
        raise ExportError("rewrite=True needs the model: session(model, rewrite=True)")
    reached = _REACHED | ({"training"} if getattr(targets, "training", False) is True else set())
    by_file: dict[str, dict[str, Place]] = {}
    for place in _places(targets):
        of_file = by_file.setdefault(place.function.__code__.co_filename, {})
        of_file.setdefault(place.path, place)
    patches, files = [], []
    for path, places in by_file.items():
        file, changed = _rewritten(path, places, reached, wanted)
        patches += [_patch(file, place, wanted) for place in changed]
        files += [file] if file.statements or changed else []
    return patches, files


def _places(targets: Any) -> Iterator[Place]:
    """Yield what may be rewritten."""
    if hasattr(targets, "modules") and not _is_class(targets):
        for cls in dict.fromkeys(type(each) for each in targets.modules()):
            for base in cls.__mro__:
                if hasattr(base, "forward") and not base.__module__.startswith("torch."):
                    yield from _of_class(base)
    elif _is_class(targets):
        yield from _of_class(targets)
    elif isinstance(targets, FunctionType):
        yield _named(*_home_of(targets))
    elif isinstance(targets, tuple) and len(targets) == 2 and isinstance(targets[1], str):
        yield _named(*targets)
    elif isinstance(targets, (list, tuple, set, frozenset)):
        for each in targets:
            yield from _places(each)
    else:
        raise ExportError(
            f"cannot be rewritten: {targets!r}: pass a model, classes, functions, or pairs of a "
            "class and the name of a method"
        )


def _is_class(target: Any) -> bool:
    return isinstance(target, type)


def _of_class(cls: type) -> Iterator[Place]:
    for name, value in list(vars(cls).items()):
        function = _inner(function_of(value))
        if function is not None and function.__module__ == cls.__module__:
            yield Place(cls, name, function, named=False)


def _named(owner: Any, name: str) -> Place:
    try:
        raw = inspect.getattr_static(owner, name)
    except AttributeError:
        raise ExportError(f"{owner!r} has no attribute {name!r} to rewrite") from None
    function = _inner(function_of(raw))
    if function is None:
        raise ExportError(f"{owner.__name__}.{name} is not a Python function to rewrite: {raw!r}")
    return Place(owner, name, function, named=True)


def _inner(function: Any) -> FunctionType | None:
    """Return the function inside of its decorators."""
    inner = inspect.unwrap(function) if callable(function) else function
    return inner if isinstance(inner, FunctionType) else None


def _home_of(function: FunctionType) -> tuple[Any, str]:
    owner: Any = sys.modules.get(function.__module__)
    *path, name = function.__qualname__.split(".")
    for each in path:
        owner = getattr(owner, each, None)
    if owner is None or _inner(function_of(vars(owner).get(name))) is not _inner(function):
        said = f"{function.__module__}.{function.__qualname__}"
        raise ExportError(f"{said} is not found by its name: pass (its class, {name!r}) instead")
    return owner, name


def _text(path: str, places: Iterable[Place]) -> str:
    """Return the source of a file, if it is what was imported. Raises ExportError."""
    try:
        with tokenize.open(path) as file:
            text = file.read()
        codes = set(_codes(compile(text, path, "exec", dont_inherit=True)))
    except (OSError, SyntaxError, ValueError) as error:
        raise ExportError(f"{path} cannot be read to rewrite it: {error}") from None
    for place in places:
        if place.function.__code__ not in codes:
            raise ExportError(f"{path} is not what {place.function.__qualname__} was imported from")
    return text


def _codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _codes(each)


def _rewritten(
    path: str, places: dict[str, Place], reached: Collection[str], wanted: Rewrite
) -> tuple[RewrittenFile, list[Place]]:
    """Rewrite those functions of a file that need it, and return the ones that changed."""
    text = _text(path, places.values())
    inference = infer(text if wanted.pre_rewriter is None else wanted.pre_rewriter(text))
    needed = {each.function for each in inference.dependences if each.reach in reached}
    only = {name for name, place in places.items() if place.named or name in needed}
    options = Options(
        only=only,
        plain_torch=wanted.plain_torch,
        local_imports=True,
        filter_node=wanted.filter_node,
        pre_rewriter=wanted.pre_rewriter,
        post_rewriter=wanted.post_rewriter,
    )
    module = next(iter(places.values())).function.__module__
    file = RewrittenFile(path, module, rewrite(text, options, inference))
    changed = set(file.rewritten.functions)
    if wanted.post_rewriter is not None:
        changed |= only
    for name in only - changed:
        if places[name].named:
            raise ExportError(_nothing(file, name))
    return file, [place for name, place in places.items() if name in only & changed]


def _patch(file: RewrittenFile, place: Place, wanted: Rewrite) -> Patch:
    """Return the patch for a function that changed."""
    line: int | None = place.function.__code__.co_firstlineno
    source = f"the rewriting of {file.path}:{line}"
    if wanted.pre_rewriter is not None or wanted.post_rewriter is not None:
        line = None  # lines are those of another text
    code = function_code(file.rewritten, place.path, file.path, line)
    unknown = _globals_of(code) - _globals_of(place.function.__code__)
    unknown -= {*place.function.__globals__, *vars(builtins)}
    if unknown:
        raise ExportError(f"the rewriting of {place.path} uses the unknown name {min(unknown)!r}")
    new = _function(code, place)
    return Patch(*_target(place), new, source, required=place.named, rewrites=True)


def _globals_of(code: CodeType) -> set[str]:
    own = {str(each.argval) for each in dis.get_instructions(code) if each.opname == "LOAD_GLOBAL"}
    return own.union(*map(_globals_of, _codes(code)))


def _nothing(file: RewrittenFile, name: str) -> str:
    refused = [each for each in file.statements if each.function == name and each.reason]
    if not refused:
        return f"{file.module}.{name} has no control flow that depends on tensors to rewrite"
    reasons = "; ".join(f"line {each.line}: {each.detail}" for each in refused)
    return f"{file.module}.{name} cannot be rewritten: {reasons}"


def _function(code: Any, place: Place) -> FunctionType:
    """Return a function of new code with all else that the old one has."""
    old = place.function
    cells = dict(zip(old.__code__.co_freevars, old.__closure__ or (), strict=True))
    if isinstance(place.owner, type):
        cells.setdefault("__class__", CellType(place.owner))
    missing = [each for each in code.co_freevars if each not in cells]
    if missing:
        raise ExportError(f"{old.__qualname__} has no variable {missing[0]!r} in its closure")
    closure = tuple(cells[each] for each in code.co_freevars)
    new = FunctionType(code, old.__globals__, old.__name__, old.__defaults__, closure)
    new.__kwdefaults__ = old.__kwdefaults__
    new.__annotations__ = dict(old.__annotations__)
    new.__qualname__, new.__module__, new.__doc__ = old.__qualname__, old.__module__, old.__doc__
    vars(new).update(vars(old))
    return new


def _target(place: Place) -> tuple[Any, str]:
    """Return the owner and name to patch: of a decorated function the closure of its decorator."""
    outer = function_of(inspect.getattr_static(place.owner, place.name))
    if outer is place.function:
        return place.owner, place.name
    while getattr(outer, "__wrapped__", place.function) is not place.function:
        outer = outer.__wrapped__
    for each in getattr(outer, "__closure__", None) or ():
        if each.cell_contents is place.function:
            return each, place.function.__qualname__
    said = f"{place.function.__module__}.{place.function.__qualname__}"
    raise ExportError(f"{said} cannot be rewritten: its decorator keeps it out of reach")
