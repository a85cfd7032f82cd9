"""The forms of a patch, and the one patch for each name that they become."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType
from typing import Any, ClassVar

import pytest

from rocmlint.export.errors import ExportError
from rocmlint.export.patch import Patch, patches_of


class Layer:
    def forward(self, value: int) -> int:
        return value

    @staticmethod
    def scale() -> int:
        return 1


def replacement(self: Layer, value: int) -> int:
    del self
    return value + 1


class PatchedLayer:
    _PATCHES_: ClassVar[list[str | None]] = ["forward", None, "scale"]
    _PATCHED_CLASS_: ClassVar[Any] = Layer

    def forward(self, value: int) -> int:
        return value + 1

    @staticmethod
    def scale() -> int:
        return 2


def test_a_patched_class_is_one_patch_for_each_name_and_keeps_the_kind_of_its_methods() -> None:
    forward, scale = patches_of(PatchedLayer)
    assert (forward.owner, forward.name) == (Layer, "forward")
    assert forward.replacement is PatchedLayer.forward
    assert isinstance(scale.replacement, staticmethod)
    assert scale.label.endswith("Layer.scale")


def test_a_class_that_the_installed_version_lacks_is_no_patch() -> None:
    class Absent(PatchedLayer):
        _PATCHED_CLASS_ = None

    assert patches_of([Absent]) == []


def test_the_target_class_may_be_a_dotted_path() -> None:
    class Encoder(PatchedLayer):
        _PATCHED_CLASS_ = "json.JSONEncoder"
        _PATCHES_: ClassVar[list[str | None]] = ["default"]

        def default(self) -> None: ...

    assert [each.label for each in patches_of(Encoder)] == ["json.encoder.JSONEncoder.default"]


@pytest.mark.parametrize(
    "given",
    [
        (Layer, "forward", replacement),
        [(Layer, "forward", replacement)],
        Patch(Layer, "forward", replacement),
    ],
)
def test_the_short_forms_are_the_same_patch(given: object) -> None:
    (patch,) = patches_of(given)
    assert (patch.owner, patch.name, patch.replacement) == (Layer, "forward", replacement)


def test_a_dotted_path_is_found_through_modules_and_classes() -> None:
    (patch,) = patches_of(("json.encoder.JSONEncoder.default", replacement))
    assert patch.label == "json.encoder.JSONEncoder.default"


def test_a_module_gives_its_own_patched_classes_and_what_it_lists() -> None:
    module = ModuleType("my_patches")
    own = type("Own", (PatchedLayer,), {"__module__": "my_patches", "_PATCHED_CLASS_": Layer})
    vars(module).update(Own=own, Imported=PatchedLayer, PATCHES=(("json.dumps", replacement),))
    labels = [each.label.rpartition(".")[2] for each in patches_of(module)]
    assert labels == ["forward", "scale", "dumps"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Layer, "needs _PATCHED_CLASS_ and _PATCHES_"),
        (3, "not a valid patch: 3"),
        (("forward", replacement), "it must name a module too"),
        (("json.nothing.at", replacement), "has no attribute 'nothing'"),
        (("no_such_module.f", replacement), "there is no module 'no_such_module'"),
        ([PatchedLayer, (Layer, "forward", replacement)], "is patched twice"),
        (type("Bad", (), {"_PATCHED_CLASS_": Layer, "_PATCHES_": ["gone"]}), "does not define it"),
        (type("Bad", (), {"_PATCHED_CLASS_": 3, "_PATCHES_": []}), "is not a class: 3"),
    ],
)
def test_what_is_not_a_patch_is_refused_with_the_reason(given: object, said: str) -> None:
    with pytest.raises(ExportError, match=said.replace("(", r"\(")):
        patches_of(given)


def test_a_module_that_fails_to_import_is_not_taken_for_a_missing_one(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "breaks_on_import.py").write_text("import a_missing_dependency\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="a_missing_dependency"):
        patches_of(("breaks_on_import.f", replacement))


def test_importing_the_package_imports_no_torch() -> None:
    code = "import sys, rocmlint.export; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
