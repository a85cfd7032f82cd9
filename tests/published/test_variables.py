"""The table of environment variables."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from rocmlint.published.variables import KNOWN, frozen_by, misunderstood


def test_the_table_only_points_at_rows_that_are_there() -> None:
    for row in KNOWN.values():
        assert not row.needs or row.needs in KNOWN
        assert row.source
        assert row.reader or not row.accepts


def test_a_variable_that_an_import_reads_names_the_packages_that_load_its_reader() -> None:
    assert {"huggingface_hub", "transformers", "datasets"} <= frozen_by("HF_HOME")
    assert frozen_by("HF_DATASETS_CACHE") == {"datasets", "evaluate", "trl"}
    assert frozen_by("HIP_VISIBLE_DEVICES") == frozen_by("HF_TOKEN") == frozenset()


@pytest.mark.slow
@pytest.mark.skipif(find_spec("transformers") is None, reason="needs transformers")
@pytest.mark.parametrize(
    ("statement", "is_read"),
    [("import transformers", True), ("import huggingface_hub", False)],
)
def test_the_import_of_transformers_reads_the_variables_of_the_hub(
    statement: str, is_read: bool
) -> None:
    code = f"{statement}, sys; print('huggingface_hub.constants' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(is_read)


@pytest.mark.parametrize(
    ("name", "value", "right"),
    [
        ("FLASH_ATTENTION_TRITON_AMD_ENABLE", "1", "TRUE"),
        ("FLASH_ATTENTION_TRITON_AMD_ENABLE", "0", ""),
        ("HSA_ENABLE_SDMA", "false", "0"),
        ("HSA_ENABLE_SDMA", "1", ""),
        ("VLLM_ROCM_USE_AITER", "yes", "1"),
        ("VLLM_ROCM_USE_AITER", "off", ""),
        ("HIP_VISIBLE_DEVICES", "true", ""),
        ("TORCH_BLAS_PREFER_HIPBLASLT", "2", ""),
    ],
)
def test_a_word_that_its_reader_takes_as_something_else_has_a_right_value(
    name: str, value: str, right: str
) -> None:
    assert misunderstood(name, value) == right
