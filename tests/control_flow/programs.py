"""Small random functions over tensors, and tensors of one number to run them without torch."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = ("x", "y", "a", "b")
"""``x`` and ``y`` are parameters, the others perhaps unbound."""
HEAD = '''"""A module."""
import torch
from torch import nn


class Layer(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor, flag: bool, n: int):
'''


@dataclass(frozen=True)
class Number:
    """A tensor of one number."""

    value: float

    def __bool__(self) -> bool:
        return bool(self.value)

    def _with(self, other: object, result: Any) -> Number:
        return Number(result(self.value, other.value if isinstance(other, Number) else other))

    def __add__(self, other: object) -> Number:
        return self._with(other, lambda a, b: a + b)

    def __mul__(self, other: object) -> Number:
        return self._with(other, lambda a, b: a * b)

    def __gt__(self, other: object) -> Number:
        return self._with(other, lambda a, b: a > b)

    def __lt__(self, other: object) -> Number:
        return self._with(other, lambda a, b: a < b)

    def _truth(self) -> Number:
        return Number(bool(self.value))

    def _itself(self) -> Number:
        return self

    any = all = _truth
    sum = max = min = _itself

    def item(self) -> float:
        return self.value


def _tensor(value: object) -> Number:
    if not isinstance(value, Number):
        message = f"argument must be Tensor, not {type(value).__name__}"
        raise TypeError(message)
    return value


TORCH = SimpleNamespace(
    Tensor=Number,
    nn=SimpleNamespace(Module=object),
    compiler=SimpleNamespace(is_exporting=lambda: False),
    logical_not=lambda a: Number(not _tensor(a)),
    logical_and=lambda a, b: Number(bool(_tensor(a)) & bool(_tensor(b))),
    logical_or=lambda a, b: Number(bool(_tensor(a)) | bool(_tensor(b))),
    zeros_like=lambda a: Number(0 * _tensor(a).value),
    isnan=lambda a: Number(_tensor(a).value != _tensor(a).value),
)


@contextmanager
def instead_of_torch() -> Iterator[None]:
    """Have ``import torch`` give numbers for a while."""
    there = {name: sys.modules.get(name) for name in ("torch", "torch.nn")}
    sys.modules.update({"torch": TORCH, "torch.nn": TORCH.nn})  # type: ignore[dict-item]
    try:
        yield
    finally:
        for name, module in there.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def tensors() -> st.SearchStrategy[str]:
    """Return expressions of tensors."""
    name = st.sampled_from(NAMES)
    return st.one_of(
        name,
        st.builds("{} + {}".format, name, st.sampled_from([*NAMES, "1", "n"])),
        st.builds("{} * 2".format, name),
        st.builds("torch.zeros_like({})".format, name),
    )


def tests() -> st.SearchStrategy[str]:
    """Return predicates, of tensors, of Python, and of both."""
    name = st.sampled_from(NAMES)
    single = st.one_of(
        st.builds("{}.sum() > {}".format, name, st.integers(-1, 2)),
        st.builds("({} > 0).any()".format, name),
        st.builds("{}.max() < {}.min()".format, name, name),
        st.builds("torch.isnan({}).all()".format, name),
        st.builds("{}.any().item()".format, name),
        name,
        st.sampled_from(["flag", "n > 1", "self.limit is not None"]),
    )
    return st.recursive(
        single,
        lambda inner: st.one_of(
            st.builds("not ({})".format, inner),
            st.builds("({}) and ({})".format, inner, inner),
            st.builds("({}) or ({})".format, inner, inner),
        ),
        max_leaves=4,
    )


def _indented(lines: list[str]) -> list[str]:
    return [f"    {each}" for each in lines]


def simple_statements() -> st.SearchStrategy[list[str]]:
    """Return statements of one line."""
    name = st.sampled_from(NAMES)
    line = st.one_of(
        st.builds("{} = {}".format, name, tensors()),
        st.builds("{} = {} if {} else {}".format, name, tensors(), tests(), tensors()),
        st.builds("a, b = {}, {}".format, tensors(), tensors()),
        st.builds("{} += {}".format, name, tensors()),
        st.builds("assert {}, 'no'".format, tests()),
        st.builds("return {}".format, tensors()),
        st.builds("return {}, {}".format, tensors(), tensors()),
        st.builds("{} = n".format, name),
        st.builds("{} = None".format, name),
        st.builds("raise ValueError(f'{{n}} {}')".format, name),
        st.sampled_from(["pass", "# a comment", "del a", "self.kept.append(n)"]),
        st.builds("{} = {}".format, name, tensors()),
        st.builds("a, y = {}, {}".format, tensors(), tensors()),
    )
    return line.map(lambda each: [each, "pass"] if each.startswith("#") else [each])


def blocks() -> st.SearchStrategy[list[str]]:
    """Return blocks of statements."""

    def compound(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
        block = st.lists(inner, min_size=1, max_size=3).map(
            lambda parts: [line for part in parts for line in part]
        )
        return st.one_of(
            st.builds(lambda t, a: [f"if {t}:", *_indented(a)], tests(), block),
            st.builds(
                lambda t, a, b: [f"if {t}:  # why", *_indented(a), "else:", *_indented(b)],
                tests(),
                block,
                block,
            ),
            st.builds(
                lambda t, a, u, b, c: [
                    *(f"if {t}:", *_indented(a), f"elif {u}:", *_indented(b)),
                    *(["else:", *_indented(c)] if c else []),
                ],
                tests(),
                block,
                tests(),
                block,
                st.one_of(st.just([]), block),
            ),
            st.builds(lambda t, e: [f"if {t}: x = {e}"], tests(), tensors()),
            st.builds(
                lambda t, e, u, f: [
                    f"if {t}: x = {e}",
                    f"elif {u}: y = x; x = {f}",
                    "else: x = y  # why",
                ],
                tests(),
                tensors(),
                tests(),
                tensors(),
            ),
            st.builds(
                lambda t, a, e: [f"if {t}:", *_indented(a), f"else: x = {e}; pass"],
                tests(),
                block,
                tensors(),
            ),
            st.builds(lambda a: ["for i in range(2):", *_indented(a)], block),
            st.builds(
                lambda a: ["while x.sum() < 9:", *_indented([*a, "x = x * x + 3"])],
                block,
            ),
            st.builds(lambda a: ["try:", *_indented(a), "finally:", "    pass"], block),
        )

    return st.recursive(simple_statements(), compound, max_leaves=8)


def programs() -> st.SearchStrategy[str]:
    """Return modules with one method."""
    bound = ["a = x + 0", "b = y * 2"]
    first = st.sampled_from([bound, bound, bound, bound[:1], []])
    return st.builds(_module, first, st.lists(blocks(), min_size=1, max_size=4))


def _module(first: list[str], parts: list[list[str]]) -> str:
    lines = [*first, *(line for part in parts for line in part), "return x, y, a, b"]
    return HEAD + "".join(f"        {line}\n" for line in lines)


def run(text: str, x: float, y: float, *, flag: bool, n: int) -> tuple[str, object]:
    """Return what a module's method gives or raises."""
    space: dict[str, Any] = {}
    exec(compile(text, "module", "exec"), space)  # noqa: S102 - the random function
    layer = space["Layer"]()
    layer.kept, layer.limit = [], n or None
    steps = 0

    def stop(*_: object) -> Any:
        nonlocal steps
        steps += 1
        if steps > 20_000:
            raise TimeoutError
        return stop

    before = sys.gettrace()
    sys.settrace(stop)
    try:
        found = layer.forward(Number(x), Number(y), flag, n)
    except Exception as error:  # noqa: BLE001 - whatever it raises is compared
        kind = NameError if isinstance(error, NameError) else type(error)
        return "raises", (kind, () if kind is NameError else error.args, layer.kept)
    finally:
        sys.settrace(before)
    return "gives", (found, layer.kept)
