"""What a session proves of an exported program: never more than it has seen."""

from __future__ import annotations

import importlib
import io
import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.export import ExportError, PatchNotProvenError, session

if TYPE_CHECKING:
    from types import ModuleType

    from tests.export.conftest import Modules

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.slow

LIBRARY = """
import torch

def act(x):
    return torch.relu(x)

def sizes(x):
    return x.shape[0]

class Model(torch.nn.Module):
    def scale(self, x):
        return x * 2

    def forward(self, x):
        return act(self.scale(x)) + sizes(x)

class Other(torch.nn.Module):
    def forward(self, x):
        return x + 1

class Branches(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: act(x), lambda x: x.sin(), (x,))
"""


NUMBERS = itertools.count()


@pytest.fixture
def library(module: Modules) -> ModuleType:
    # Dynamo remembers modules by name: each test needs another one.
    return module(f"library_{next(NUMBERS)}", LIBRARY)


def act(x: Any) -> Any:
    return torch.sigmoid(x).cos()


def scale(_: object, x: Any) -> Any:
    return x * 3


def sizes(x: Any) -> Any:
    return x.shape[1]


def export(model: Any, *, strict: bool = False) -> Any:
    rows = {0: torch.export.Dim.DYNAMIC}
    return torch.export.export(model, (torch.ones(2, 3),), dynamic_shapes=(rows,), strict=strict)


@pytest.mark.parametrize("strict", [False, True])
def test_a_patch_is_proven_by_the_nodes_that_were_traced_below_it(
    library: ModuleType, strict: bool
) -> None:
    patches = [(library, "act", act), (library.Model, "scale", scale)]
    with session(patches=patches) as opened:
        program = export(library.Model(), strict=strict)
        inside = opened.prove(program)
    after = opened.prove(program)
    assert [each.nodes for each in inside.patches] == [2, 1]
    assert [each.undone for each in inside.patches] == [None, None]
    assert [each.undone for each in after.patches] == [True, True]
    assert (inside.open, after.open) == (True, False)


def test_a_patch_without_nodes_is_proven_by_its_calls_while_the_program_was_traced(
    library: ModuleType,
) -> None:
    with session(patches=[(library, "sizes", sizes)]) as opened:
        program = export(library.Model())
        (proof,) = opened.prove(program).patches
    assert (proof.nodes, proof.traced_calls) == (0, 1)


def test_a_patch_that_is_not_called_is_not_proven(library: ModuleType) -> None:
    with session(patches=[(library, "act", act)]) as opened:
        program = export(library.Other())
        with pytest.raises(PatchNotProvenError, match=r"library_\d+\.act: unproven: it was never"):
            opened.prove(program)


def test_a_call_that_was_not_part_of_the_export_proves_nothing(library: ModuleType) -> None:
    with session(patches=[(library, "act", act)]) as opened:
        library.Model()(torch.ones(2, 3))
        program = export(library.Other())
        with pytest.raises(PatchNotProvenError, match="but not while this program was exported"):
            opened.prove(program)


def test_the_export_of_another_program_proves_nothing_of_this_one(library: ModuleType) -> None:
    with session(patches=[(library, "act", act), (library, "sizes", sizes)]) as opened:
        opened.prove(export(library.Model()))
        with pytest.raises(PatchNotProvenError) as caught:
            opened.prove(export(library.Other()))
    assert [each.calls for each in caught.value.proof.patches] == [1, 1]
    assert [each.verdict for each in caught.value.proof.patches] == ["unproven", "unproven"]


def test_a_program_of_an_earlier_session_proves_nothing_of_this_one(library: ModuleType) -> None:
    opened = session(patches=[(library, "act", act)])
    with opened:
        program = export(library.Model())
    with opened, pytest.raises(PatchNotProvenError, match="never called"):
        opened.prove(program)


def test_a_program_that_was_exported_before_the_session_is_not_proven(library: ModuleType) -> None:
    program = export(library.Model())
    opened = session(patches=[(library, "act", act)])
    with opened, pytest.raises(PatchNotProvenError, match="never called"):
        opened.prove(program)


def test_nodes_of_the_original_contradict_the_patch(library: ModuleType) -> None:
    class Forward:
        _PATCHED_CLASS_ = library.Other
        _PATCHES_ = ("forward",)

        def forward(self, x: Any) -> Any:
            return x - 1

    original = library.Other.forward

    class Around(torch.nn.Module):  # type: ignore[misc, name-defined]
        """Has the original where no search can change it."""

        def __init__(self) -> None:
            super().__init__()
            self.inner = library.Other()
            self.functions = (original,)

        def forward(self, x: Any) -> Any:
            return self.inner(x) * self.functions[0](self.inner, x)

    around = Around()
    with session(patches=[Forward]) as opened:
        program = export(around)
        with pytest.raises(PatchNotProvenError) as caught:
            opened.prove(program)
    (proof,) = caught.value.proof.patches
    assert (proof.nodes, proof.original_nodes, proof.verdict) == (1, 1, "contradicted")


@pytest.mark.parametrize("strict", [False, True])
def test_the_branches_of_a_cond_belong_to_the_program(library: ModuleType, strict: bool) -> None:
    with session(patches=[(library, "act", act)]) as opened:
        (proof,) = opened.prove(export(library.Branches(), strict=strict)).patches
        assert proof.traced_calls == 1
        with pytest.raises(PatchNotProvenError):
            opened.prove(export(library.Other()))


def test_decompositions_and_a_saved_program_still_show_the_patch(library: ModuleType) -> None:
    file = io.BytesIO()
    with session(patches=[(library, "act", act)]) as opened:
        program = export(library.Model())
        opened.prove(program.run_decompositions({}))
        torch.export.save(program, file)
        file.seek(0)
        (proof,) = opened.prove(torch.export.load(file)).patches
    assert proof.nodes == 2


def test_the_proof_is_json(library: ModuleType) -> None:
    with session(patches=[(library, "act", act)]) as opened:
        proof = opened.prove(export(library.Model()))
    read = json.loads(json.dumps(proof.as_json()))
    assert (read["version"], read["proven"], read["open"]) == (1, True, True)
    assert read["patches"][0]["target"] == f"{library.__name__}.act"
    assert read["patches"][0]["verdict"] == "proven"


@pytest.mark.parametrize("given", [3, "program.pt2", torch.nn.Linear(2, 2)])
def test_what_is_not_an_exported_program_is_refused(library: ModuleType, given: object) -> None:
    opened = session(patches=[(library, "act", act)])
    with opened, pytest.raises(ExportError, match="not an exported program"):
        opened.prove(given)


def test_a_compiled_model_does_not_keep_the_other_code(library: ModuleType) -> None:
    """Dynamo does not notice that a method of a module's class was replaced."""
    model = library.Model()
    compiled = torch.compile(model, backend="eager")
    row = torch.ones(1, 3)
    assert compiled(row)[0, 0] == 3
    with session(patches=[(library.Model, "scale", scale)]):
        assert compiled(row)[0, 0] == 4
    assert compiled(row)[0, 0] == 3


def meta(x: Any, shape: Any, dims: Any) -> Any:
    del dims
    return torch.empty(shape, dtype=x.dtype, device=x.device)


class Broadcast(torch.nn.Module):  # type: ignore[misc, name-defined]
    def forward(self, x: Any) -> Any:
        return torch.ops.prims.broadcast_in_dim(x, [3, 4], [1])


META = ("torch._prims._broadcast_in_dim_meta", meta)


def test_a_meta_kernel_that_the_operator_keeps_is_reported_as_never_called() -> None:
    with session(patches=[META], rebind=False) as opened:
        program = torch.export.export(Broadcast(), (torch.ones(4),))
        (proof,) = opened.proof(program).patches
    assert (proof.calls, proof.verdict) == (0, "contradicted")
    assert "it was never called" in proof.doubts
    assert any("prim_meta_impl" in each for each in proof.stale)


def test_a_meta_kernel_is_replaced_in_the_operator_and_only_cpp_is_in_doubt() -> None:
    with session(patches=[META]) as opened:
        program = torch.export.export(Broadcast(), (torch.ones(4),))
        (proof,) = opened.proof(program).patches
    assert proof.traced_calls == 1
    assert proof.stale == ()
    assert proof.hidden > 0  # the kernels in the dispatcher
    assert proof.verdict == "unproven"
    operator: Any = torch.ops.prims.broadcast_in_dim.default
    assert operator.prim_meta_impl is torch._prims._broadcast_in_dim_meta


def test_a_function_of_torch_is_replaced_in_each_module_that_imported_it() -> None:
    meta_registrations: Any = importlib.import_module("torch._meta_registrations")
    original = torch._refs._maybe_broadcast
    path = "torch._refs._maybe_broadcast"
    for rebind, places in ((False, "stale"), (True, "rebound")):
        with session(patches=[(path, lambda *args: list(args))], rebind=rebind) as opened:
            (proof,) = opened.proof().patches
            found = getattr(proof, places)
        assert found == ("torch._meta_registrations._maybe_broadcast",)
        assert meta_registrations._maybe_broadcast is torch._refs._maybe_broadcast is original
