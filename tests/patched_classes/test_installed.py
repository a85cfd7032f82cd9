"""Patches of the installed transformers: what its maintainers would want to be told."""

from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from rocmlint.cli.export.patch_check import check_paths
from tests.support.patches import patch_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("transformers") is None, reason="needs transformers"),
]
SDPA = '''
import transformers

def patched_sdpa_attention_forward(
    module, query, key, value, attention_mask, dropout=0.0, scaling=None, is_causal=None, **kwargs
):
    """[patch:transformers.integrations.sdpa_attention.sdpa_attention_forward]"""
    transformers.integrations.sdpa_attention.use_gqa_in_sdpa(attention_mask, key, value, 1)
    return query, None
'''


def kinds(path: Path) -> list[tuple[str, str]]:
    report = check_paths([str(path)], python=None, against=None, lock=False)
    return [(each.kind, each.about) for each in report.problems if each.gravity != "note"]


def test_a_parameter_that_the_library_added_is_swallowed(tmp_path: Path) -> None:
    (tmp_path / "patches.py").write_text(SDPA)
    found = kinds(tmp_path / "patches.py")
    assert ("call-mismatch", "transformers.integrations.sdpa_attention.use_gqa_in_sdpa") in found


def test_a_class_that_the_library_dropped_is_missing(tmp_path: Path) -> None:
    target = "transformers.models.llama.modeling_llama.LlamaFlashAttention2"
    text = patch_of("def f(self): ...", target=target).replace("import lib", "import transformers")
    (tmp_path / "patches.py").write_text(text)
    assert kinds(tmp_path / "patches.py") == [("class-missing", target)]


def test_the_patches_of_transformers_itself_fit_it() -> None:
    spec = find_spec("transformers.exporters")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"transformers {version('transformers')} has no exporters")
    folder = Path(spec.submodule_search_locations[0])
    found = {about for kind, about in kinds(folder) if kind != "default-changed"}
    assert found <= {"mask", "correction", "dtype"}  # torch.masked, of which it takes a part
