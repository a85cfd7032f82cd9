"""Patches that a model is offered and an export may not need: never a failure, never a proof."""

from __future__ import annotations

import io
import itertools
from types import FunctionType
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.export import PatchNotProvenError, session
from rocmlint.export.patch import Patch

if TYPE_CHECKING:
    from types import ModuleType

    from rocmlint.export.proof import PatchProof
    from tests.export.conftest import Modules

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.slow

LIBRARY = """
import torch

def sizes(x):
    return x.shape[0]

class Video(torch.nn.Module):
    def forward(self, x):
        return x * sizes(x)

class Model(torch.nn.Module):
    def __init__(self, again=None):
        super().__init__()
        self.video = Video()
        self.again = again

    def forward(self, x, with_video=False):
        if self.again is not None:
            x = self.again(self.video, x)
        return self.video(x) if with_video else x + 1
"""
NUMBERS = itertools.count()


@pytest.fixture
def library(module: Modules) -> ModuleType:
    return module(f"offering_library_{next(NUMBERS)}", LIBRARY)


def forward(_: object, x: Any) -> Any:
    return x * 3


def sizes(_: object) -> int:
    return 7


def offered(library: ModuleType) -> Patch:
    return Patch(library.Video, "forward", forward, required=False)


def export(model: Any, *, with_video: bool = False, strict: bool = False) -> Any:
    return torch.export.export(model, (torch.ones(2, 3), with_video), strict=strict)


def seen(opened: Any, program: Any) -> PatchProof:
    (proof,) = opened.proof(program).patches
    return proof  # type: ignore[no-any-return]


def test_a_copy_of_the_original_in_the_program_contradicts_an_offered_patch(
    library: ModuleType,
) -> None:
    plain = library.Video.forward
    copy = FunctionType(plain.__code__, plain.__globals__)
    with session(patches=offered(library)) as opened:
        program = export(library.Model(again=copy))
        with pytest.raises(PatchNotProvenError, match="1 nodes of the program come from the orig"):
            opened.prove(program)
    assert seen(opened, program).verdict == "contradicted"


def test_a_place_that_keeps_the_original_contradicts_an_offered_patch(library: ModuleType) -> None:
    vars(library)["KEPT"] = (library.Video.forward,)
    with session(patches=offered(library)) as opened:
        program = export(library.Model())
        with pytest.raises(PatchNotProvenError, match="the original is still in"):
            opened.prove(program)


def test_an_offered_patch_that_was_not_undone_is_contradicted(library: ModuleType) -> None:
    with session(patches=offered(library)) as opened:
        program = export(library.Model())
        vars(library)["KEPT"] = (library.Video.forward,)
        with pytest.warns(RuntimeWarning, match="still in"):
            opened.__exit__(None, None, None)
    assert seen(opened, program).verdict == "contradicted"


@pytest.mark.parametrize("strict", [False, True])
def test_an_offered_patch_that_the_program_does_not_need_is_unused(
    library: ModuleType, strict: bool
) -> None:
    with session(patches=offered(library)) as opened:
        program = export(library.Model(), strict=strict)
        inside = opened.prove(program)
    after = opened.prove(program)
    for each in (inside, after):
        assert [it["verdict"] for it in each.as_json()["patches"]] == ["unused"]
        assert each.summary() == ""


@pytest.mark.parametrize("strict", [False, True])
def test_an_offered_patch_that_the_program_needs_is_proven(
    library: ModuleType, strict: bool
) -> None:
    with session(patches=offered(library)) as opened:
        program = export(library.Model(), with_video=True, strict=strict)
        opened.prove(program)
    assert seen(opened, program).verdict == "proven"


def test_only_the_program_that_needs_it_counts(library: ModuleType) -> None:
    patch = Patch(library, "sizes", sizes, required=False)
    with session(patches=patch) as opened:
        library.Model()(torch.ones(2, 3), with_video=True)
        with_video = export(library.Model(), with_video=True)
        without = export(library.Model())
        proofs = seen(opened, with_video), seen(opened, without)
    assert [(each.calls, each.verdict) for each in proofs] == [(2, "proven"), (2, "unused")]


def test_a_patch_that_the_user_names_must_be_used(library: ModuleType) -> None:
    with session(patches=[(library.Video, "forward", forward)]) as opened:
        program = export(library.Model())
        with pytest.raises(PatchNotProvenError, match="unproven: it was never called"):
            opened.prove(program)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_program_of_no_session_does_not_say_what_is_unused(
    library: ModuleType, when: str
) -> None:
    program = export(library.Model()) if when == "before" else None
    opened = session(patches=offered(library))
    with opened:
        export(library.Model())
    program = program or export(library.Model())
    with pytest.raises(PatchNotProvenError, match="does not show that it was exported in this"):
        opened.prove(program)


def test_a_program_that_is_only_loaded_in_a_session_does_not_say_what_is_unused(
    library: ModuleType,
) -> None:
    file = io.BytesIO()
    torch.export.save(export(library.Model()), file)
    file.seek(0)
    with session(patches=offered(library)) as opened:
        program = torch.export.load(file)
        with pytest.raises(PatchNotProvenError, match="does not show that it was exported in this"):
            opened.prove(program)


def test_decompositions_of_a_program_are_of_the_same_session(library: ModuleType) -> None:
    with session(patches=offered(library)) as opened:
        program = export(library.Model())
    opened.prove(program.run_decompositions({}))


def test_calls_that_cannot_be_counted_are_not_called_unused(library: ModuleType) -> None:
    class Sizes:
        def __call__(self, x: Any) -> int:
            return len(x)

    with session(patches=Patch(library, "sizes", Sizes(), required=False)) as opened:
        assert seen(opened, export(library.Model())).verdict == "unproven"
