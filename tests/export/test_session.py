"""What a session changes in classes and modules, and that afterwards nothing is changed."""

from __future__ import annotations

import abc
import enum
import pickle
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.export import ExportError, session

if TYPE_CHECKING:
    from tests.export.conftest import Modules

pytestmark = pytest.mark.usefixtures("own_heap")


class Base:
    def inherited(self) -> str:
        return "base"


class Layer(Base):
    kind = "original"

    def method(self) -> str:
        return "original"

    @staticmethod
    def static(value: int) -> tuple[str, int]:
        return "original", value

    @classmethod
    def of_class(cls) -> tuple[str, str]:
        return "original", cls.__name__

    @property
    def prop(self) -> str:
        return "original"

    @cached_property
    def cached(self) -> str:
        return "original"


class Sub(Layer):
    pass


def patched(*_: object) -> str:
    return "patched"


def inner(_: object) -> str:
    return "inner"


class PatchedLayer:
    _PATCHED_CLASS_ = Layer
    _PATCHES_ = ("method", "static", "of_class", "prop", "cached", "inherited")

    def method(self) -> str:
        return "patched"

    @staticmethod
    def static(value: int) -> tuple[str, int]:
        return "patched", value

    @classmethod
    def of_class(cls) -> tuple[str, str]:
        return "patched", cls.__name__

    @property
    def prop(self) -> str:
        return "patched"

    @cached_property
    def cached(self) -> str:
        return "patched"

    def inherited(self) -> str:
        return "patched"


def test_a_static_method_stays_one_with_a_patch_and_after_it() -> None:
    with session(patches=PatchedLayer):
        assert Layer().static(1) == Layer.static(1) == ("patched", 1)
    assert Layer().static(1) == Layer.static(1) == ("original", 1)


def test_a_class_method_gets_the_class_it_is_called_on_with_a_patch_and_after_it() -> None:
    with session(patches=PatchedLayer):
        assert Layer.of_class() == ("patched", "Layer")
        assert Sub().of_class() == ("patched", "Sub")
    assert Sub.of_class() == ("original", "Sub")


def test_properties_are_patched_and_undone() -> None:
    with session(patches=PatchedLayer):
        layer = Layer()
        assert (layer.prop, layer.cached) == ("patched", "patched")
    assert (Layer().prop, Layer().cached) == ("original", "original")


def test_a_function_in_the_short_form_becomes_the_kind_of_method_that_it_replaces() -> None:
    patches: list[Any] = [
        (Layer, "static", lambda value: ("short", value)),
        (Layer, "of_class", lambda cls: ("short", cls.__name__)),
        (Layer, "prop", lambda _: "short"),
        (Layer, "cached", lambda _: "short"),
    ]
    with session(patches=patches):
        assert Layer().static(1) == ("short", 1)
        assert Sub.of_class() == ("short", "Sub")
        assert (Layer().prop, Layer().cached) == ("short", "short")


def test_an_inherited_name_is_removed_again_so_that_the_base_class_counts() -> None:
    with session(patches=PatchedLayer):
        assert Layer().inherited() == "patched"
        assert Base().inherited() == "base"
    assert "inherited" not in vars(Layer)


def test_every_attribute_is_the_very_object_that_it_was_twice_in_a_row() -> None:
    before = dict(vars(Layer))
    opened = session(patches=PatchedLayer)
    for _ in range(2):
        with opened:
            assert Layer().method() == "patched"
        assert dict(vars(Layer)) == before


def test_an_exception_in_the_body_undoes_everything() -> None:
    before = dict(vars(Layer))
    with pytest.raises(KeyboardInterrupt), session(patches=PatchedLayer):
        raise KeyboardInterrupt
    assert dict(vars(Layer)) == before


def test_an_exception_while_entering_undoes_what_was_applied() -> None:
    before = dict(vars(Layer))
    patches = [PatchedLayer, (int, "bit_length", lambda _: 3)]
    with pytest.raises(ExportError, match=r"int.bit_length cannot be patched"):
        session(patches=patches).__enter__()
    assert dict(vars(Layer)) == before
    with session(patches=PatchedLayer):  # and no session is open
        assert Layer().method() == "patched"


def test_an_interrupt_while_entering_undoes_what_was_applied(module: Modules) -> None:
    before = dict(vars(Layer))

    interrupting = module("interrupting", "def __getattr__(name): raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        session(patches=[PatchedLayer, (interrupting, "f", print)]).__enter__()
    assert dict(vars(Layer)) == before


def test_sessions_are_stacked_and_the_inner_one_is_undone_first() -> None:
    with session(patches=PatchedLayer):
        with session(patches=[(Layer, "method", inner)]):
            assert Layer().method() == "inner"
        assert Layer().method() == "patched"
    assert Layer().method() == "original"


def test_a_session_that_is_left_too_early_undoes_the_inner_ones_and_says_so() -> None:
    outer = session(patches=PatchedLayer).__enter__()
    within = session(patches=[(Layer, "method", inner)]).__enter__()
    with pytest.raises(ExportError, match="opened inside of it was still open"):
        outer.__exit__(None, None, None)
    assert Layer().method() == "original"
    within.__exit__(None, None, None)
    assert Layer().method() == "original"


def test_a_session_cannot_be_opened_inside_itself() -> None:
    opened = session(patches=PatchedLayer)
    with opened, pytest.raises(ExportError, match="already open"), opened:
        pass
    assert Layer().method() == "original"


def test_a_second_thread_cannot_open_a_session_meanwhile() -> None:
    said: list[str] = []

    def other() -> None:
        try:
            with session(patches=PatchedLayer):
                said.append("opened")
        except ExportError as error:
            said.append(str(error))

    for _ in range(2):
        with session(patches=PatchedLayer):
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
        assert "another thread has a session open" in said.pop()
    other()
    assert said == ["opened"]


def test_other_threads_run_the_patched_code_and_are_counted() -> None:
    with session(patches=[(Layer, "method", patched)]) as opened:
        threads = [
            threading.Thread(target=lambda: [Layer().method() for _ in range(500)])
            for _ in range(8)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert opened.proof().patches[0].calls == 4000


@pytest.fixture
def layer() -> Any:
    """Return a class that a test may leave changed."""
    return type("Layer", (), dict(vars(Layer)))


def foreign(_: object) -> str:
    return "foreign"


def test_what_something_else_replaced_meanwhile_is_left_alone_and_reported(layer: Any) -> None:
    opened = session(patches=[(layer, "method", patched), (layer, "static", patched)]).__enter__()
    layer.method = foreign
    with pytest.raises(ExportError, match=r"Layer\.method was replaced by something else"):
        opened.__exit__(None, None, None)
    assert layer().method() == "foreign"
    assert layer().static(1) == ("original", 1)
    method = opened.proof().patches[0]
    assert (method.installed, method.undone, method.verdict) == (False, False, "contradicted")


def test_a_foreign_change_does_not_hide_the_exception_of_the_body(layer: Any) -> None:
    opened = session(patches=[(layer, "method", patched)]).__enter__()
    layer.method = foreign
    error = ZeroDivisionError()
    with pytest.warns(RuntimeWarning, match="replaced by something else"):
        opened.__exit__(ZeroDivisionError, error, None)


def test_a_class_with_slots_and_its_objects_can_be_patched() -> None:
    class Slotted:
        __slots__ = ("act",)

        def method(self) -> str:
            return "original"

    one = Slotted()
    one.act = len  # type: ignore[attr-defined]
    with session(patches=[(Slotted, "method", patched), (one, "act", sum)]):
        assert (one.method(), one.act) == ("patched", sum)  # type: ignore[attr-defined]
    assert (one.method(), one.act) == ("original", len)  # type: ignore[attr-defined]


def test_what_an_object_only_uses_is_not_patched_elsewhere() -> None:
    one = Layer()
    vars(one)["act"] = len
    user = type("User", (), {"act": len})
    with session(patches=[(one, "act", sum), (user, "act", sum)]) as opened:
        assert len([2, 3]) == 2
        assert "only this name is patched" in opened.proof().patches[1].notes[0]
    assert vars(one)["act"] is len
    assert sum([2, 3]) == 5


def test_an_object_and_a_dictionary_can_be_patched_alone() -> None:
    one, other = Layer(), Layer()
    table = {"kind": Base.inherited}
    patches = [(one, "method", patched), (table, "kind", patched)]
    with session(patches=patches):
        assert (one.method(), other.method()) == ("patched", "original")
        assert table["kind"](Base()) == "patched"
        assert Base().inherited() == "base"
    assert "method" not in vars(one)
    assert table == {"kind": Base.inherited}


def test_a_metaclass_does_not_notice_and_does_not_get_in_the_way() -> None:
    class Color(enum.Enum):
        RED = 1

        def method(self) -> str:
            return "original"

    with session(patches=[(Color, "method", patched)]):
        assert Color.RED.method() == "patched"
    assert Color.RED.method() == "original"


class Meta(abc.ABCMeta):
    @property
    def of_metaclass(cls) -> str:
        return cls.__name__


class WithMeta(metaclass=Meta):
    pass


class Shadowed(metaclass=Meta):
    locals()["of_metaclass"] = "own"


@pytest.mark.parametrize(
    ("owner", "name", "said"),
    [
        (Layer, "missing", "Layer.missing does not exist"),
        (WithMeta, "of_metaclass", "is an attribute of its metaclass, Meta; patch that"),
        (Shadowed, "of_metaclass", "cannot be patched"),
        (list, "append", "list.append cannot be patched: cannot set 'append'"),
        (1.5, "real", "cannot be patched"),
        ({}, "key", "does not exist"),
        (Layer, "kind", "is replaced with itself"),
    ],
)
def test_what_cannot_be_patched_is_refused_with_the_reason(
    owner: object, name: str, said: str
) -> None:
    replacement = "original" if name == "kind" else lambda *_: None
    with pytest.raises(ExportError, match=said):
        session(patches=[(owner, name, replacement)]).__enter__()


def test_a_metaclass_can_be_patched_itself() -> None:
    with session(patches=[(Meta, "of_metaclass", patched)]):
        assert WithMeta.of_metaclass == "patched"
    assert WithMeta.of_metaclass == "WithMeta"


def test_a_lazy_module_has_its_names_afterwards_too(module: Modules) -> None:
    lazy = module("lazy", "def __getattr__(name):\n    return len if name == 'size' else 1 / 0\n")
    with session(patches=[(lazy, "size", sum)]):
        assert lazy.size([2, 3]) == 5
    assert lazy.size([2, 3]) == 2
    assert "size" not in vars(lazy)


def test_a_value_that_is_not_a_function_can_be_patched() -> None:
    with session(patches=[(Layer, "kind", "patched")]) as opened:
        assert Layer.kind == "patched"
        assert opened.proof().patches[0].calls is None
    assert Layer.kind == "original"


def test_a_patched_function_is_found_under_the_name_of_the_original(module: Modules) -> None:
    library = module("library_to_pickle", "def act(x): return x\n")
    with session(patches=[(library, "act", lambda x: -x)]):
        assert pickle.loads(pickle.dumps(library.act))(2) == -2  # noqa: S301
        assert library.act.__name__ == "act"
