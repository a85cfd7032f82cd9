"""Functions are rewritten from their own source, and keep all that they have."""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from rocmlint.export import ExportError, Rewrite, session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.slow

LIBRARY = '''
from __future__ import annotations

import functools

import torch

BIAS = 1


class Base:
    def name(self):
        return "base"


def logged(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        log.append(function.__name__)
        return function(*args, **kwargs)
    return call


def cached(function):
    return functools.lru_cache(function)


log = []


def clamp(x: torch.Tensor, *, limit=10):
    """Clamp it."""
    x = x.contiguous()
    if x.sum() > limit:
        x = x - limit
    return x + BIAS


class Layer(Base):
    def forward(self, hidden_states: torch.Tensor, scale=2):
        hidden_states = +hidden_states  # the comment stays
        if hidden_states.sum() > 10:
            hidden_states = hidden_states * scale
        return super().name(), hidden_states + BIAS

    @logged
    def decorated(self, hidden_states: torch.Tensor):
        hidden_states = hidden_states.contiguous()
        if hidden_states.sum() > 10:
            hidden_states = hidden_states * 2
        return hidden_states

    @cached
    def hidden(self, hidden_states: torch.Tensor):
        hidden_states = hidden_states.contiguous()
        if hidden_states.sum() > 10:
            hidden_states = hidden_states * 2
        return hidden_states

    @staticmethod
    def static(hidden_states: torch.Tensor):
        hidden_states = hidden_states.contiguous()
        if hidden_states.sum() > 10:
            hidden_states = hidden_states * 2
        return hidden_states

    def plain(self, flag):
        if flag:
            return 1
        return 2

    def early(self, hidden_states: torch.Tensor):
        if hidden_states.sum() > 10:
            return None
        return hidden_states


def make(limit):
    class Inner:
        def forward(self, hidden_states: torch.Tensor):
            hidden_states = hidden_states.contiguous()
            if hidden_states.sum() > limit:
                hidden_states = hidden_states * 2
            return hidden_states
    return Inner
'''


class Library(Protocol):
    """Imports a file with the given text."""

    def __call__(self, text: str = LIBRARY) -> ModuleType: ...


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def load(text: str = LIBRARY) -> ModuleType:
        (tmp_path / "rewritten_library.py").write_text(text)
        return importlib.import_module("rewritten_library")

    yield load
    sys.modules.pop("rewritten_library", None)


def value(number: float) -> Any:
    return torch.tensor(number)


def names(function: Any) -> set[str]:
    """Return the names that the code of the replacement uses."""
    return set(inspect.unwrap(function).__code__.co_names)


def test_a_method_is_rewritten_and_sees_what_the_original_sees(library: Library) -> None:
    layer = library().Layer
    before = dict(vars(layer))
    with session(rewrite=[layer.forward]) as opened:
        assert "cond" in names(layer.forward)
        assert layer().forward(value(20)) == ("base", 41)
        assert layer().forward(value(5), scale=3) == ("base", 6)
        sys.modules["rewritten_library"].BIAS = 2  # type: ignore[attr-defined]
        assert layer().forward(value(5)) == ("base", 7)
        assert opened.proof().patches[0].calls == 3
    assert dict(vars(layer)) == before
    assert layer().forward(value(20)) == ("base", 42)


def test_nothing_leaks_into_the_module(library: Library) -> None:
    module = library()
    before = set(vars(module))
    with session(rewrite=[module.Layer.forward, module.clamp]):
        module.Layer().forward(value(20))
        assert set(vars(module)) == before


def test_a_function_keeps_its_defaults_its_name_and_its_documentation(library: Library) -> None:
    module = library()
    with session(rewrite=[module.clamp]):
        assert (module.clamp(value(20)), module.clamp(value(20), limit=15)) == (11, 6)
        assert module.clamp.__doc__ == "Clamp it."
        assert module.clamp.__qualname__ == "clamp"
        assert str(inspect.signature(module.clamp)) == "(x: 'torch.Tensor', *, limit=10)"


def test_a_decorated_method_is_rewritten_inside_of_its_decorator(library: Library) -> None:
    module = library()
    outer = module.Layer.decorated
    for _ in range(2):
        with session(rewrite=[(module.Layer, "decorated")]) as opened:
            assert module.Layer.decorated is outer
            assert module.Layer().decorated(value(20)) == 40
            assert opened.proof().patches[0].calls == 1
    assert module.log == ["decorated", "decorated"]
    assert "cond" not in names(outer)


def test_a_decorator_that_hides_the_function_is_refused(library: Library) -> None:
    module = library()
    with pytest.raises(ExportError, match=r"Layer\.hidden cannot be rewritten: its decorator"):
        session(rewrite=[(module.Layer, "hidden")]).__enter__()


def test_a_static_method_stays_one(library: Library) -> None:
    module = library()
    with session(rewrite=[(module.Layer, "static")]):
        assert module.Layer().static(value(20)) == module.Layer.static(value(20)) == 40
    assert isinstance(vars(module.Layer)["static"], staticmethod)


def test_a_local_class_is_rewritten_with_its_closure(library: Library) -> None:
    inner = library().make(7)
    with session(rewrite=[(inner, "forward")]):
        assert "cond" in names(inner.forward)
        assert (inner().forward(value(8)), inner().forward(value(6))) == (16, 6)


def test_of_a_class_that_changes_which_needs_it(library: Library) -> None:
    module = library(LIBRARY.replace("@cached", "@logged"))
    with session(rewrite=module.Layer) as opened:
        targets = {each.target.rpartition(".")[2] for each in opened.proof().patches}
    assert targets >= {"forward"}
    assert not targets & {"plain", "early"}


def test_a_patch_of_a_function_that_is_also_rewritten_is_refused(library: Library) -> None:
    layer = library().Layer
    with pytest.raises(ExportError, match="is patched twice"):
        session(patches=[(layer, "forward", len)], rewrite=[layer.forward]).__enter__()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("plain", "has no control flow that depends on tensors to rewrite"),
        ("early", r"cannot be rewritten: line \d+: "),
        ("missing", "has no attribute 'missing' to rewrite"),
        ("kind", "is not a Python function to rewrite"),
    ],
)
def test_what_cannot_be_rewritten_is_refused_with_the_reason(
    library: Library, name: str, said: str
) -> None:
    layer = library().Layer
    layer.kind = 3
    with pytest.raises(ExportError, match=said):
        session(rewrite=[(layer, name)]).__enter__()


@pytest.mark.parametrize("given", [3, ["forward"], [len]])
def test_what_is_not_a_function_is_refused(given: object) -> None:
    with pytest.raises(ExportError, match="cannot be rewritten"):
        session(rewrite=given).__enter__()


def test_rewriting_the_model_needs_the_model() -> None:
    with pytest.raises(ExportError, match="rewrite=True needs the model"):
        session(rewrite=True).__enter__()


def test_a_file_that_changed_since_it_was_imported_is_refused(
    library: Library, tmp_path: Path
) -> None:
    layer = library().Layer
    (tmp_path / "rewritten_library.py").write_text(LIBRARY.replace("> 10", "> 11"))
    with pytest.raises(ExportError, match=r"is not what Layer\.forward was imported from"):
        session(rewrite=[layer.forward]).__enter__()


def test_code_without_a_file_is_refused() -> None:
    names: dict[str, Any] = {"__name__": "nowhere"}
    exec(compile("class A:\n    def forward(self, x): pass\n", "<nowhere>", "exec"), names)  # noqa: S102
    with pytest.raises(ExportError, match="<nowhere> cannot be read to rewrite it"):
        session(rewrite=[(names["A"], "forward")]).__enter__()


def test_a_rewritten_function_is_applied_and_its_results_are_not_proven(library: Library) -> None:
    module = library(LIBRARY.replace("class Base:", "class Base(torch.nn.Module):"))
    rows = torch.ones(2, 3)

    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return module.clamp(x)

    with session(rewrite=[module.clamp]) as opened:
        program = torch.export.export(Model(), (rows,))
        proof = opened.prove(program)
    assert [each.verdict for each in proof.patches] == ["applied"]
    assert (proof.holds, proof.proven, proof.as_json()["proven"]) == (True, False, False)
    assert "applied: rewritten; its results were not compared" in proof.summary()
    assert opened.prove(program).patches[0].undone


def test_what_was_rewritten_and_refused_is_written_to_a_directory(
    library: Library, tmp_path: Path
) -> None:
    layer = library().Layer
    with session(rewrite=layer.forward, dump=tmp_path / "dump"):
        pass
    files = {each.suffix: each for each in (tmp_path / "dump").iterdir()}
    assert set(files) == {".py", ".diff", ".json"}
    assert "# the comment stays" in files[".py"].read_text()
    assert "-        if hidden_states.sum() > 10:" in files[".diff"].read_text()
    (statement,) = json.loads(files[".json"].read_text())["statements"]
    assert (statement["function"], statement["rewritten"]) == ("Layer.forward", True)


def test_a_directory_that_cannot_be_written_is_one_line(library: Library, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match="cannot write to dump="):
        session(rewrite=library().Layer.forward, dump=tmp_path / "file").__enter__()


def test_the_rewriting_can_be_filtered_and_changed_before_and_after(library: Library) -> None:
    layer = library().Layer
    wanted = Rewrite(
        [layer.forward],
        pre_rewriter=lambda text: text.replace("* scale", "* scale * 10"),
        post_rewriter=lambda text: text.replace("super().name()", '"changed"'),
    )
    with session(rewrite=wanted):
        assert layer().forward(value(20)) == ("changed", 401)
    with pytest.raises(ExportError, match="cannot be rewritten"):
        session(rewrite=Rewrite([layer.forward], filter_node=lambda _: False)).__enter__()
