"""Parameters of functions: how two signatures differ, and whether a call binds."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.python.scopes import FunctionNode


@dataclass(frozen=True)
class Parameter:
    """A parameter. ``default`` is its source, None if it is required."""

    name: str
    default: str | None = None
    by_position: bool = True
    by_name: bool = True

    @property
    def is_required(self) -> bool:
        """Whether a call must give it."""
        return self.default is None


@dataclass(frozen=True)
class Signature:
    """The parameters of a function; ``rest`` and ``options`` name those with stars."""

    parameters: tuple[Parameter, ...]
    rest: str = ""
    options: str = ""

    @classmethod
    def of(cls, node: FunctionNode | ast.Lambda, *, bound: bool = False) -> Signature:
        """Return the signature of a function; ``bound``: without its first parameter."""
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = [None] * (len(positional) - len(arguments.defaults)) + [
            ast.unparse(each) for each in arguments.defaults
        ]
        named = len(arguments.posonlyargs)
        found = [
            Parameter(each.arg, default, by_name=index >= named)
            for index, (each, default) in enumerate(zip(positional, defaults, strict=True))
        ]
        found = found[1:] if bound else found
        found += [
            Parameter(each.arg, None if default is None else ast.unparse(default), False)
            for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        ]
        rest = arguments.vararg.arg if arguments.vararg else ""
        return cls(tuple(found), rest, arguments.kwarg.arg if arguments.kwarg else "")

    @property
    def positional(self) -> tuple[Parameter, ...]:
        """The parameters that can be given by position."""
        return tuple(each for each in self.parameters if each.by_position)

    def get(self, name: str) -> Parameter | None:
        """Return a parameter that can be given by this name."""
        return next((each for each in self.parameters if each.name == name), None)


def problem_of_call(call: ast.Call, signature: Signature) -> str:
    """Return why a call does not bind: "misses `value`"; "" if it binds, or where unsure."""
    has_rest = any(isinstance(each, ast.Starred) for each in call.args)
    has_options = any(each.arg is None for each in call.keywords)
    given = [each for each in call.args if not isinstance(each, ast.Starred)]
    positional = signature.positional
    if len(given) > len(positional) and not signature.rest:
        return f"gives {len(given)} positional arguments, and {len(positional)} are taken"
    names = [each.arg for each in call.keywords if each.arg is not None]
    filled = {each.name for each in positional[: len(given)]}
    by_name = {each.name for each in signature.parameters if each.by_name}
    for name in names:
        if name in filled and name in by_name:
            return f"gives `{name}` twice"
        if name not in by_name and not signature.options:
            return f"gives `{name}`, which is not a parameter"
    missing = [
        each.name
        for each in signature.parameters
        if each.is_required and each.name not in filled and each.name not in names
    ]
    return f"misses `{missing[0]}`" if missing and not has_rest and not has_options else ""


@dataclass(frozen=True)
class Difference:
    """How the signature of a patch differs from that of what it replaces."""

    kind: str
    text: str
    """Goes on after the name of the patch."""
    parameter: str


@dataclass(frozen=True)
class Use:
    """What a function does with its ``**options``: which names it reads, whether it passes all."""

    read: frozenset[str] = frozenset()
    passed_on: bool = False
    to_original: bool = False


def differences(
    patch: Signature, original: Signature, use: Use, by_position: int
) -> Iterator[Difference]:
    """Yield how a patch differs from what callers of the original may rely on.

    ``by_position`` is the most arguments that a known call gives by position.
    """
    renamed = dict(_renamed(patch, original))
    for each in original.parameters:
        own = patch.get(each.name)
        if own is not None:
            yield from _changed(own, each)
            place = original.parameters.index(each)
            if each.by_position and not own.by_position and place < by_position:
                text = f"takes `{own.name}` by keyword only, but callers pass it by position"
                yield Difference("parameter-order", text, own.name)
        elif each.name in renamed.values():
            new = next(name for name, old in renamed.items() if old == each.name)
            yield Difference("parameter-renamed", f"calls `{each.name}` `{new}`", each.name)
        else:
            yield from _absent(each, patch, use)
    for own in patch.parameters:
        if original.get(own.name) is not None or own.name in renamed:
            continue
        if own.is_required:
            text = f"requires `{own.name}`, which the original does not have"
            yield Difference("parameter-required", text, own.name)
        elif not original.options:
            text = f"takes `{own.name}`, which the original does not have"
            yield Difference("parameter-extra", text, own.name)
    yield from _moved(patch, original, by_position)


def _renamed(patch: Signature, original: Signature) -> Iterator[tuple[str, str]]:
    """Yield the first parameter where it has another name, as in one patch of two functions."""
    pair = patch.positional[:1] + original.positional[:1]
    if len(pair) == 2 and pair[0].is_required and pair[1].is_required:
        new, old = pair
        if original.get(new.name) is None and patch.get(old.name) is None:
            yield new.name, old.name


def _changed(own: Parameter, other: Parameter) -> Iterator[Difference]:
    if own.is_required and not other.is_required:
        text = f"requires `{own.name}`, which callers may leave out"
        yield Difference("parameter-required", text, own.name)
    elif own.default is not None and other.default is not None and not _same(own, other):
        text = f"has `{own.name}={own.default}`, the original `{other.default}`"
        yield Difference("default-changed", text, own.name)
    if other.by_name and not own.by_name:
        yield Difference("parameter-missing", f"takes `{own.name}` only by position", own.name)


def _same(own: Parameter, other: Parameter) -> bool:
    """Compare defaults; two names for one object, such as ``torch.float32``, end alike."""
    pair = [(each.default or "").rpartition(".")[2].strip("\"'") for each in (own, other)]
    if own.default == other.default or (pair[0] == pair[1] and pair[0].isidentifier()):
        return True
    try:
        values = [ast.literal_eval(each.default or "") for each in (own, other)]
    except (ValueError, SyntaxError):
        return False
    return bool(values[0] == values[1])


def _absent(other: Parameter, patch: Signature, use: Use) -> Iterator[Difference]:
    name = other.name
    if not patch.options:
        # Given by name it would fail; given by position it lands in the rest.
        if not (patch.rest and other.by_position and not other.by_name):
            yield Difference("parameter-missing", f"does not take `{name}`", name)
    elif name in use.read or use.to_original:
        return
    elif use.passed_on:
        text = f"takes `{name}` only in `**{patch.options}`, which it passes on"
        yield Difference("parameter-forwarded", text, name)
    else:
        text = f"takes `{name}` only in `**{patch.options}`, and never reads it"
        yield Difference("parameter-swallowed", text, name)


def _moved(patch: Signature, original: Signature, by_position: int) -> Iterator[Difference]:
    """Yield the first parameter that a call by position would not reach."""
    own = [each.name for each in patch.positional]
    others = [each.name for each in original.positional]
    for index, name in enumerate(others):
        if name in own and own.index(name) != index:
            place, taken = own.index(name) + 1, index + 1
            text = f"takes `{name}` as parameter {place}, the original as {taken}"
            kind = "parameter-order" if index < by_position else "parameter-moved"
            yield Difference(kind, text, name)
            return
