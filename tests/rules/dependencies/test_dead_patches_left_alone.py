"""Dead patches of which nobody misses anything are left alone."""

from __future__ import annotations

import pytest

from tests.support.repositories import lint, write

CHECK = "check_support_param_buffer_assignment"
OWNER = "from transformers import modeling_utils\n"


@pytest.fixture(autouse=True)
def _project(in_repository: object) -> None:
    del in_repository
    write("requirements.txt", "transformers==5.20.2\n")


def codes(text: str) -> list[str]:
    return [each.code for each in lint(text)]


def patch(body: str) -> str:
    return f"{OWNER}\ndef {CHECK}(*args):\n    {body}\n\nmodeling_utils.{CHECK} = {CHECK}\n"


@pytest.mark.parametrize("body", ["return False", "pass", '"""Say no."""\n    return None'])
def test_a_function_of_a_module_that_answers_the_same_each_time_is_left_alone(body: str) -> None:
    assert codes(patch(body)) == []


@pytest.mark.parametrize("body", ["return len(args) > 1", "print(args)\n    return False"])
def test_a_function_that_does_something_is_judged(body: str) -> None:
    assert codes(patch(body)) == ["ROC207"]


def test_a_method_that_answers_the_same_each_time_is_judged() -> None:
    text = "from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLModel\n\n"
    text += "def mask(self, *rest):\n    return None\n\nQwen2VLModel._update_causal_mask = mask\n"
    assert codes(text) == ["ROC207"]
