"""What the rules on vision models advise is what the declared transformers has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.api import lint_paths

if TYPE_CHECKING:
    from tests.support.repositories import Repository

CAPTIONER = """\
from transformers import GenerationMixin, PreTrainedModel


class Captioner(PreTrainedModel, GenerationMixin):
    def forward(self, input_ids, pixel_values=None, past_key_values=None):
        return self.decoder(input_ids, self.vision_tower(pixel_values))

    def prepare_inputs_for_generation(self, input_ids, pixel_values=None, **kwargs):
        return {"input_ids": input_ids, "pixel_values": pixel_values}
"""
POSITIONS = """\
import torch


def get_rope_index_25(input_ids, image_grid_thw):
    image_token_id = 151655
    positions = []
    for grid in image_grid_thw:
        positions.append(torch.arange(grid[1]))
    return positions
"""


def helps(repository: Repository, requirement: str, code: str, text: str) -> list[str]:
    """Return what one rule advises where the project requires this."""
    repository.write("requirements.txt", requirement)
    path = repository.write("model.py", text)
    return [each.help for each in lint_paths([str(path)], options={"select": [code]})]


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ("transformers==4.44.2", "only if `past_key_values` holds no tokens."),
        ("transformers==4.57.6", "only if `cache_position[0] == 0`."),
        ("transformers==5.0.0", "only if its argument `is_first_iteration` is true."),
        ("transformers", "only if its argument `is_first_iteration` is true."),
    ],
)
def test_the_gate_of_the_first_step_is_one_that_the_version_has(
    requirement: str, expected: str, repository: Repository
) -> None:
    (help,) = helps(repository, requirement, "ROC603", CAPTIONER)
    assert help.endswith(f"Set `pixel_values` (line 9) {expected}")


@pytest.mark.parametrize(
    ("requirement", "owner"),
    [
        ("transformers==4.51.3", "Qwen2_5_VLForConditionalGeneration"),
        ("transformers==4.57.6", "Qwen2_5_VLModel"),
    ],
)
def test_the_official_positions_are_bound_from_the_class_that_has_them(
    requirement: str, owner: str, repository: Repository
) -> None:
    (help,) = helps(repository, requirement, "ROC606", POSITIONS)
    assert f" Call `{owner}(config).get_rope_index`, on a model built below" in help


def test_no_class_is_named_that_the_version_does_not_have(repository: Repository) -> None:
    (help,) = helps(repository, "transformers==4.46.3", "ROC606", POSITIONS)
    assert help.startswith("Call the `get_rope_index` of the installed transformers, on a model")
