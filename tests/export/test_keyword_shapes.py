"""Dynamic shapes of ``**kwargs``: as they are written, or the error of torch."""

from __future__ import annotations

from typing import Any

import pytest

from rocmlint.export import session
from rocmlint.export.patches.keyword_shapes import BUILTIN, find, nested

torch = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not BUILTIN.holds, reason="needs torch 2.13"),
]


class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
    def forward(self, x: Any, **more: Any) -> Any:
        return x.sum() + sum(each.sum() for each in more.values())


class Plain(torch.nn.Module):  # type: ignore[misc, name-defined]
    def forward(self, x: Any) -> Any:
        return x.sum()


SIZES = {"x": 4, "y": 5, "z": 6}
"""The number of rows of each input; at most ten times as many are taken."""


def shapes(*names: str) -> dict[str, Any]:
    rows = {each: {0: torch.export.Dim(each, max=10 * SIZES[each])} for each in names}
    first = {"x": rows.pop("x")} if "x" in rows else {}
    return {**first, "more": rows}


def export(args: str, kwargs: str, *, strict: bool = False, patched: bool = True) -> Any:
    given = {each: torch.ones(SIZES[each], 3) for each in args + kwargs}
    positional = tuple(given.pop(each) for each in args)
    asked = shapes(*sorted(args + kwargs, reverse=True))
    with session(Model(), patches=patched or None) as opened:
        program = torch.export.export(
            Model(), positional, given, dynamic_shapes=asked, strict=strict
        )
        opened.prove(program)
    return program


def limits(program: Any) -> dict[str, int]:
    """Return how many rows the program takes of each input."""
    found = {}
    for node in program.graph.nodes:
        if node.op == "placeholder":
            rows = node.meta["val"].shape[0].node.expr
            found[node.name] = int(program.range_constraints[rows].upper)
    return found


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    ("args", "kwargs"), [("", "xy"), ("x", "y"), ("x", "yz"), ("", "xzy"), ("", "yx"), ("", "yzx")]
)
def test_each_keyword_has_the_range_of_its_own_name(args: str, kwargs: str, strict: bool) -> None:
    program = export(args, kwargs, strict=strict)
    assert limits(program) == {each: 10 * SIZES[each] for each in args + kwargs}
    rows = {each: torch.ones(2 * SIZES[each], 3) for each in args + kwargs}
    positional = tuple(rows.pop(each) for each in args)
    assert program.module()(*positional, **rows) == Model()(*positional, **rows)
    too_many = dict.fromkeys(kwargs, torch.ones(100, 3))
    with pytest.raises((RuntimeError, AssertionError)):
        program.module()(*positional, **too_many)


@pytest.mark.parametrize("patched", [False, True])
def test_keywords_with_another_between_them_stay_the_error_of_torch(patched: bool) -> None:
    with pytest.raises(AssertionError, match="Must provide a tree_name"):
        export("", "yxz", patched=patched)


def test_torch_refuses_them_without_the_patch() -> None:
    with pytest.raises(AssertionError, match="Must provide a tree_name"):
        export("", "xy", patched=False)


def test_a_model_without_keywords_of_its_own_is_left_alone() -> None:
    assert list(find(Plain())) == []
    assert nested(Plain(), (), {"x": 1}) == {"x": 1}


def test_keywords_that_the_model_names_are_passed_on_as_they_are() -> None:
    assert nested(Model(), (), {"x": 1}) == {"x": 1}
    assert nested(Model(), (1,), {"more": 2}) == {"more": {"more": 2}}


def test_the_patch_is_proven_by_its_call_after_the_trace() -> None:
    with session(Model(), patches=True) as opened:
        given = {"x": torch.ones(4, 3), "y": torch.ones(5, 3)}
        program = torch.export.export(Model(), (), given, dynamic_shapes=shapes("x", "y"))
        (proof,) = opened.prove(program).patches
        other = torch.export.export(Model(), (), given)
        (later,) = opened.prove(program).patches
        assert opened.proof(other).patches[0].traced_calls == 1
    assert (proof.verdict, proof.traced_calls, later.traced_calls) == ("proven", 1, 1)
