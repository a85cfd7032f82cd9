"""Where else a patched function is: changed with its target, or else reported."""

from __future__ import annotations

import gc
import sys
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.export import session

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from tests.export.conftest import Modules

pytestmark = pytest.mark.usefixtures("own_heap")

LIBRARY = """
def act(x):
    return "original"

class Layer:
    def forward(self):
        return act(0)

    def saved(self):
        return "original"

    @staticmethod
    def static():
        return "original"
"""


@pytest.fixture
def library(module: Modules) -> ModuleType:
    return module("library", LIBRARY)


class Holder:
    act: Any


class Slotted:
    __slots__ = ("act",)
    act: Any


def patched(*_: object) -> str:
    return "patched"


def closure(function: Any) -> Callable[[], str]:
    return lambda: function(0)


def defaults(function: Any) -> Callable[[], str]:
    def call(x: int = 0, act: Any = function) -> str:
        return str(act(x))

    return call


def keyword_defaults(function: Any) -> Callable[[], str]:
    def call(*, act: Any = function) -> str:
        return str(act(0))

    return call


def in_partial(function: Any) -> Callable[[], str]:
    return partial(function, 0)


def in_list(function: Any) -> Callable[[], str]:
    functions = [len, function]
    return lambda: functions[1](0)


def in_table(function: Any) -> Callable[[], str]:
    tables = {"activations": {"act": function}}
    return lambda: tables["activations"]["act"](0)


def in_dict(function: Any) -> Callable[[], str]:
    holder = Holder()
    vars(holder)["act"] = function
    return lambda: str(vars(holder)["act"](0))


def in_attribute(function: Any) -> Callable[[], str]:
    holder = Holder()
    holder.act = function
    return lambda: str(holder.act(0))


def in_slot(function: Any) -> Callable[[], str]:
    holder = Slotted()
    holder.act = function
    return lambda: str(holder.act(0))


def in_another_class(function: Any) -> Callable[[], str]:
    other = type("Other", (), {"call": function})
    return lambda: str(other().call())


def as_static_method(function: Any) -> Callable[[], str]:
    other = type("Other", (), {"call": staticmethod(function)})
    return lambda: str(other().call(0))


USES = [
    closure,
    defaults,
    in_partial,
    in_list,
    in_table,
    in_dict,
    in_attribute,
    in_slot,
    in_another_class,
]


@pytest.mark.parametrize("use", [*USES, keyword_defaults, as_static_method])
def test_a_reference_is_changed_with_the_target_and_back(
    library: ModuleType, use: Callable[[Any], Callable[[], str]]
) -> None:
    call = use(library.act)
    for _ in range(2):
        with session(patches=[("library.act", patched)]) as opened:
            assert call() == "patched"
        assert call() == "original"
    (proof,) = opened.proof().patches
    assert (len(proof.rebound), proof.stale, proof.hidden, proof.left) == (1, (), 0, ())


@pytest.mark.parametrize("use", USES)
def test_without_rebinding_a_reference_is_only_reported(
    library: ModuleType, use: Callable[[Any], Callable[[], str]]
) -> None:
    call = use(library.act)
    with session(patches=[("library.act", patched)], rebind=False) as opened:
        assert library.act(0) == "patched"
        assert call() == "original"
        (proof,) = opened.proof().patches
    assert len(proof.stale) == 1
    assert proof.verdict == "contradicted"


def test_an_import_by_name_is_changed_under_its_own_name(
    library: ModuleType, module: Modules
) -> None:
    user = module("user", "from library import act as activation\n")
    with session(patches=[(library, "act", patched)]) as opened:
        assert user.activation(0) == "patched"
        assert opened.proof().patches[0].rebound == ("user.activation",)
    assert user.activation(0) == "original"


def test_a_module_that_the_collector_does_not_look_at_is_found(
    library: ModuleType, module: Modules, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = module("user", "from library import act\n")
    monkeypatch.undo()
    gc.freeze()
    with session(patches=[(library, "act", patched)]):
        assert user.act(0) == "patched"
    assert user.act(0) == "original"


def test_a_bound_method_that_was_saved_is_changed_too(library: ModuleType) -> None:
    layer = library.Layer()
    layer.old = layer.saved
    with session(patches=[(library.Layer, "saved", patched)]):
        assert layer.old() == "patched"
        assert layer.old.__self__ is layer
    assert layer.old() == "original"


def test_the_function_of_a_static_method_is_changed_too(
    library: ModuleType, module: Modules
) -> None:
    user = module("user", "from library import Layer\nstatic = Layer.static\n")
    with session(patches=[(library.Layer, "static", patched)]):
        assert user.static() == "patched"
    assert user.static() == "original"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("from library import act\npair = (act, 1)\ndel act", "a tuple in user.pair"),
        (
            "from functools import lru_cache\nimport library\ncached = lru_cache(library.act)",
            "a _lru_cache_wrapper in user.cached",
        ),
        ("import library\nkinds = frozenset({library.act})", ""),
    ],
)
def test_what_cannot_be_changed_is_reported(
    library: ModuleType, module: Modules, code: str, said: str
) -> None:
    module("user", code)
    with session(patches=[(library, "act", patched)]) as opened:
        (proof,) = opened.proof().patches
    assert proof.stale == ((said,) if said else ())
    if not said:
        assert proof.notes == ("the original is a key in a frozenset in user.kinds",)


def test_a_generator_of_the_original_that_is_still_running_is_noted(module: Modules) -> None:
    library = module("library", "def rows():\n    yield 1\n    yield 2\n")
    running = library.rows()
    assert next(running) == 1
    with session(patches=[(library, "rows", lambda: iter("ab"))]) as opened:
        assert [*library.rows()] == ["a", "b"]
        assert [*running] == [2]
        (proof,) = opened.proof().patches
    assert proof.stale == ()
    if sys.version_info >= (3, 11):  # before, what runs refers to its code only
        assert proof.notes == ("the original is a variable of rows, which is running",)


def test_a_variable_of_a_running_function_is_not_taken_for_compiled_code(
    library: ModuleType,
) -> None:
    original = library.act
    with session(patches=[(library, "act", patched)]) as opened:
        assert original(0) == "original"
        assert opened.proof().patches[0].hidden == 0


def test_weak_references_are_noted_and_lead_to_the_original_again(library: ModuleType) -> None:
    import weakref  # noqa: PLC0415

    weak = weakref.ref(library.act)
    with session(patches=[(library, "act", patched)]) as opened:
        assert opened.proof().patches[0].notes == ("there are 1 weak references to the original",)
    assert weak() is library.act


def test_a_replacement_can_call_the_original_that_its_module_saved(
    library: ModuleType, module: Modules
) -> None:
    code = """
import library
from library import act as saved

class Saved:
    act = staticmethod(library.act)

def helper(x):
    return saved(x)

def through_helper(x):
    return "patched " + helper(x)

def through_class(x):
    return "patched " + Saved.act(x)
"""
    patches = module("patches", code)
    for name in ("through_helper", "through_class"):
        with session(patches=[(library, "act", getattr(patches, name))]) as opened:
            assert library.act(0) == "patched original"
            assert opened.proof().patches[0].stale == ()


def test_a_replacement_can_close_over_the_original(library: ModuleType) -> None:
    def around(original: Any) -> Any:
        def act(x: int) -> str:
            return f"patched {original(x)}"

        return act

    with session(patches=[(library, "act", around(library.act))]):
        assert library.act(0) == "patched original"


def test_a_name_that_the_replacement_and_a_model_share_is_reported(
    library: ModuleType, module: Modules
) -> None:
    code = """
from library import act

class Model:
    def forward(self):
        return act(0)

def replacement(x):
    return "patched " + act(x)
"""
    patches = module("patches", code)
    with session(patches=[(library, "act", patches.replacement)]) as opened:
        assert patches.Model().forward() == "original"
        (proof,) = opened.proof().patches
    assert proof.stale == ("patches.act, which patches.Model.forward uses",)


def test_a_module_that_is_imported_meanwhile_gets_the_original_back(
    library: ModuleType, module: Modules
) -> None:
    with session(patches=[(library, "act", patched)]) as opened:
        late = module("late", "from library import act\ntable = {'act': act}\n")
        assert late.table["act"](0) == "patched"
    assert (late.act(0), late.table["act"](0)) == ("original", "original")
    assert opened.proof().patches[0].left == ()


def test_what_keeps_a_patch_after_the_session_is_warned_about(
    library: ModuleType, module: Modules
) -> None:
    opened = session(patches=[(library, "act", patched)]).__enter__()
    module("late", "from library import act\nkept = (act,)\n")
    with pytest.warns(RuntimeWarning, match=r"patch of library\.act is still in a tuple in late"):
        opened.__exit__(None, None, None)
    (proof,) = opened.proof().patches
    assert proof.left == ("a tuple in late.kept",)
    assert proof.verdict == "contradicted"


def test_the_other_users_of_an_inherited_method_keep_it(module: Modules) -> None:
    code = """
class Base:
    def forward(self): return "original"
class One(Base): pass
class Other(Base): pass
"""
    library = module("library", code)
    with session(patches=[(library.One, "forward", patched)]) as opened:
        assert (library.One().forward(), library.Other().forward()) == ("patched", "original")
        assert opened.proof().patches[0].rebound == ()


def test_a_class_that_is_replaced_is_replaced_where_it_is_imported(
    library: ModuleType, module: Modules
) -> None:
    user = module("user", "from library import Layer\n")
    kept = library.Layer()
    replacement = type("Layer", (library.Layer,), {"forward": patched})
    with session(patches=[(library, "Layer", replacement)]) as opened:
        assert user.Layer().forward() == "patched"
        assert kept.forward() == "original"
        assert opened.proof().patches[0].stale == ()
    assert user.Layer is library.Layer is type(kept)


def test_a_cache_around_the_original_does_not_get_lost() -> None:
    @lru_cache
    def act(x: int) -> int:
        return x

    holder = type("Holder", (), {"act": staticmethod(act)})
    with session(patches=[(holder, "act", lambda x: -x)]):
        assert holder.act(1) == -1  # type: ignore[attr-defined]
    assert holder.act(1) == 1  # type: ignore[attr-defined]
    assert act.cache_info().misses == 1


class Interrupted(list[Any]):
    """A list whose change is interrupted once, as Ctrl-C would."""

    armed = False

    def __setitem__(self, index: Any, value: Any) -> None:
        if self.armed:
            self.armed = False
            raise KeyboardInterrupt
        super().__setitem__(index, value)


def test_an_interrupt_while_leaving_does_not_leave_half_of_it(library: ModuleType) -> None:
    table = Interrupted([library.act])
    original = library.act
    opened = session(patches=[(library, "act", patched), (library.Layer, "saved", patched)])
    opened.__enter__()
    table.armed = True
    with pytest.raises(KeyboardInterrupt):
        opened.__exit__(None, None, None)
    assert table == [original]
    assert library.act is original
    assert library.Layer().saved() == "original"
    with session(patches=[(library, "act", patched)]):
        assert library.act(0) == "patched"


def test_an_interrupt_while_entering_leaves_no_alias(library: ModuleType) -> None:
    table = Interrupted([library.act])
    table.armed = True
    with pytest.raises(KeyboardInterrupt):
        session(patches=[(library, "act", patched)]).__enter__()
    assert table == [library.act]
    assert library.act(0) == "original"
