"""Classes are registered in torch's pytrees, and every registry is afterwards what it was."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.export import ExportError, Registration, session

if TYPE_CHECKING:
    from collections.abc import Iterator

torch = pytest.importorskip("torch")
pytree: Any = pytest.importorskip("torch.utils._pytree")
fx_pytree: Any = pytest.importorskip("torch.fx._pytree")

pytestmark = pytest.mark.slow


class Box:
    def __init__(self, left: Any, right: Any) -> None:
        self.left = left
        self.right = right


def flatten(box: Box) -> tuple[list[Any], None]:
    return [box.left, box.right], None


def unflatten(children: Any, _: None) -> Box:
    return Box(*children)


def flatten_with_keys(box: Box) -> tuple[list[tuple[Any, Any]], None]:
    return [(pytree.GetAttrKey(each), getattr(box, each)) for each in ("left", "right")], None


BOX = Registration(Box, flatten, unflatten, flatten_with_keys)


def registries() -> list[Any]:
    """Return copies of the registries that need no other package."""
    return [
        *(dict(pytree.SUPPORTED_NODES), dict(pytree.SUPPORTED_SERIALIZED_TYPES)),
        *(dict(pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE), set(pytree.CONSTANT_NODES)),
        *(dict(fx_pytree.SUPPORTED_NODES), dict(fx_pytree.SUPPORTED_NODES_EXACT_MATCH)),
        list(getattr(pytree, "_cxx_pytree_pending_imports", ())),
    ]


@pytest.fixture
def registered() -> Iterator[None]:
    """Register the class as a program would that knows no session."""
    pytree._private_register_pytree_node(
        Box, lambda box: ([box.right], box.left), None, serialized_type_name="their.Box"
    )
    yield
    pytree._deregister_pytree_node(Box)


def test_every_registry_is_afterwards_what_it_was_twice_in_a_row() -> None:
    before = registries()
    opened = session(register=[BOX])
    for _ in range(2):
        with opened:
            assert pytree.tree_leaves(Box(1, Box(2, 3))) == [1, 2, 3]
            assert registries() != before
        assert registries() == before
        (proof,) = opened.proof().registrations
        assert (proof.registered, proof.undone, proof.verdict) == (True, True, "proven")


def test_a_model_that_takes_and_returns_the_class_is_exported() -> None:
    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, box: Box) -> Box:
            return Box(box.left + box.right, box.left)

    example = Box(torch.ones(2, 3), torch.ones(2, 3))
    rows = {0: torch.export.Dim.DYNAMIC}
    with session(register=[BOX]):
        program = torch.export.export(Model(), (example,), dynamic_shapes=[[rows, rows]])
        result = program.module()(Box(torch.ones(5, 3), torch.ones(5, 3)))
    assert isinstance(result, Box)
    assert result.left.shape == (5, 3)


@pytest.mark.usefixtures("registered")
def test_a_registration_that_the_class_had_is_replaced_and_put_back() -> None:
    before = registries()
    with session(register=[BOX]):
        assert pytree.tree_leaves(Box(1, 2)) == [1, 2]
    assert pytree.tree_leaves(Box(1, 2)) == [2]
    assert registries() == before


@pytest.mark.usefixtures("registered")
def test_a_name_that_another_class_has_is_refused() -> None:
    before = registries()
    other = Registration(type("Other", (), {}), flatten, unflatten, name="their.Box")
    with pytest.raises(ExportError, match=r"'their.Box' is that of .*Box: pass another name="):
        session(register=[other]).__enter__()
    assert registries() == before


def test_an_exception_while_entering_undoes_the_registration() -> None:
    before = registries()
    with pytest.raises(ExportError):
        session(register=[BOX], patches=[(int, "bit_length", len)]).__enter__()
    assert registries() == before


def test_what_others_register_meanwhile_is_theirs() -> None:
    theirs = type("Theirs", (), {})
    with session(register=[BOX]):
        pytree._private_register_pytree_node(theirs, lambda _: ([], None), None)
    try:
        assert theirs in pytree.SUPPORTED_NODES
        assert Box not in pytree.SUPPORTED_NODES
    finally:
        pytree._deregister_pytree_node(theirs)


def test_a_registration_that_something_else_removed_is_not_proven() -> None:
    with session(register=[BOX]) as opened:
        del pytree.SUPPORTED_NODES[Box]
    (proof,) = opened.proof().registrations
    assert (proof.registered, proof.verdict) == (False, "contradicted")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([Box], "not a valid registration"),
        ([BOX, BOX], "Box is registered twice"),
        ([Registration(Box, flatten, unflatten, to_dumpable=str)], "must be None or registered"),
    ],
)
def test_what_cannot_be_registered_is_refused_with_the_reason(given: Any, said: str) -> None:
    before = registries()
    with pytest.raises(ExportError, match=said):
        session(register=given).__enter__()
    assert registries() == before


CPP = """
import sys
import torch, optree
from rocmlint.export import Registration, session

class Box:
    pass

def known():
    return ("torch", Box) in optree.registry._NODETYPE_REGISTRY

opened = session(register=[Registration(Box, lambda box: ([], None), lambda *_: Box())])
if "before" in sys.argv:
    import torch.utils._cxx_pytree
for _ in range(2):
    with opened:
        import torch.utils._cxx_pytree
        assert known()
        assert optree.tree_leaves(Box(), namespace="torch") == []
    assert not known()
    box = Box()
    assert optree.tree_leaves(box, namespace="torch") == [box]
    assert opened.proof().registrations[0].undone
"""


@pytest.mark.parametrize("imported", ["before", "meanwhile"])
def test_the_registry_in_cpp_is_afterwards_what_it_was(imported: str) -> None:
    pytest.importorskip("optree")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CPP, imported],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
