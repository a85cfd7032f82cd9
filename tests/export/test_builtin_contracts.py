"""Built-in patches fit the installed libraries, as ``rocmlint export check`` reads them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.version import Version

from rocmlint.cli.export.patch_check import check_paths
from rocmlint.disk.disk import Disk, DiskView
from rocmlint.export import patches
from rocmlint.export.patches import MODULES, builtins
from rocmlint.export.patches.builtin import release
from rocmlint.models.patches.contracts import patches_of
from rocmlint.models.patches.library import Library
from rocmlint.source.decoding import text_of

FOLDER = Path(patches.__file__).parent


def declared(name: str) -> set[str]:
    """Return what a module says that it replaces, in the first version that it is for."""
    builtin = builtins()[MODULES.index(name)]
    plain = Library((), DiskView(Disk(text_of)))
    library = plain.variant({builtin.library: Version(builtin.since)})
    path = FOLDER / f"{name}.py"
    module = library.sources.parsed(path.stem, str(path), path.read_text())
    assert module is not None
    return {it.target for each in patches_of(module, library) for it in each.replacements}


@pytest.mark.parametrize("name", MODULES)
def test_each_module_says_what_it_replaces(name: str) -> None:
    assert declared(name)


def test_a_patch_is_not_checked_against_a_version_that_it_is_not_for() -> None:
    path = FOLDER / "rope_index.py"
    for version, is_read in (("5.13.1", False), ("5.14.0", True), ("6.0", False)):
        library = Library((), DiskView(Disk(text_of)), {"transformers": Version(version)})
        module = library.sources.parsed("rope_index", str(path), path.read_text())
        assert module is not None
        assert bool(list(patches_of(module, library))) is is_read


installed = pytest.mark.skipif(
    find_spec("transformers") is None or find_spec("torch") is None,
    reason="needs torch and transformers",
)


@installed
def test_the_patches_fit_the_installed_libraries() -> None:
    report = check_paths([str(FOLDER)], python=None, against=None, lock=False)
    assert [each.message for each in report.problems if each.gravity != "note"] == []
    assert report.errors == ()
    assert set(report.unread) <= {"torch.nn.functional.scaled_dot_product_attention"}
    versions = {each.package: release(each.version) for each in report.libraries}
    meant = [
        each for each in builtins()
        if release(each.since) <= versions[each.library] < release(each.before)
    ]  # fmt: skip
    assert report.files == len(meant)


@installed
@pytest.mark.parametrize(
    ("name", "before", "after", "kind"),
    [
        ("sliding_window", "query_length: Any)", "length: Any, more: Any)", "parameter-required"),
        ("position_grid", ", width: Any", "", "parameter-missing"),
        ("keyword_shapes", ", dynamic_shapes: Any", "", "parameter-missing"),
        ("image_lists", "LlavaModel.get_image_features", "LlavaModel.images", "method-missing"),
    ],
)
def test_a_patch_that_does_not_fit_is_found(
    name: str, before: str, after: str, kind: str, tmp_path: Path
) -> None:
    text = (FOLDER / f"{name}.py").read_text()
    assert text.count(before) == 1
    (tmp_path / f"{name}.py").write_text(text.replace(before, after))
    report = check_paths([str(tmp_path)], python=None, against=None, lock=False)
    assert kind in {each.kind for each in report.problems}


MODELS_OF = {
    "sliding_window": "gemma3_text",
    "dynamic_rope": "llama_dynrope",
    "position_grid": "vit_hw",
    "image_lists": "llava",
    "attention_batch": "idefics3",
    "image_grids": "qwen2_5_vl",
    "rope_index": "qwen3_vl",
    "window_attention": "longformer",
    "placeholder_check": "llava",
    "keyword_shapes": "llama",
}


@pytest.mark.slow
@installed
@pytest.mark.parametrize("name", MODULES)
def test_what_a_model_gets_is_what_is_checked(name: str) -> None:
    from benchmarks.export_models import MODELS  # noqa: PLC0415

    builtin = builtins()[MODULES.index(name)]
    model = MODELS[MODELS_OF[name]]().model
    if not builtin.holds:
        pytest.skip(f"{builtin.name} is for {builtin.library} {builtin.since} to {builtin.before}")
    found = {each.label for each in builtin.find(model)}
    assert found
    assert found <= declared(name)
