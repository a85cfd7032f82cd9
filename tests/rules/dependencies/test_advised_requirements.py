"""A release that is advised can be installed with the rest, or it is said what has to move."""

from __future__ import annotations

import pytest

from tests.support.repositories import lint, write

pytestmark = pytest.mark.usefixtures("in_repository")

LATE = "from transformers import Qwen3VLForConditionalGeneration\n"  # since 4.57
LATER = "from transformers.models import qwen3_5\n"  # since 5.2


def help_of(text: str, **lists: str) -> str:
    for name, listed in lists.items():
        write(f"{name}.txt", listed)
    (finding,) = lint(text)
    return finding.help


def test_a_release_that_was_taken_back_is_no_floor() -> None:
    told = help_of(LATE, requirements="transformers>=4.54,<=4.57.0\n")
    assert told.endswith("Require `transformers>=4.57.1`.")


def test_what_another_requirement_excludes_has_to_move_with_it() -> None:
    told = help_of(
        "from transformers.image_utils import make_flat_list_of_images\n",  # since 4.49
        requirements="transformers==4.46.3\ntokenizers>=0.19,<0.20.4\naccelerate>=1\n",
    )
    assert told.endswith(
        "Require `transformers>=4.49`, and move `tokenizers<0.20.4,>=0.19`, which excludes it."
    )


def test_what_a_pinned_package_asks_at_most_has_to_move_with_it() -> None:
    told = help_of(LATER, requirements="transformers>=4.54,<=4.57.1\nvllm==0.19.0\n")
    assert told.endswith("Require `transformers>=5.2`, and move `vllm==0.19.0`, which excludes it.")


def test_a_python_that_a_release_does_not_run_on_is_told() -> None:
    write(".python-version", "3.9\n")
    told = help_of(LATER, requirements="transformers==4.57.1\n")
    assert told.endswith("Require `transformers>=5.2`, which does not run on Python 3.9.")


def test_no_older_release_is_advised_beside_a_rename_if_something_excludes_it() -> None:
    told = help_of(
        "from transformers.modeling_utils import no_init_weights\n",  # until 5.0
        requirements="transformers>=5.1\nhuggingface-hub>=1.1\n",
    )
    assert told.endswith("Use `transformers.initialization.no_init_weights`.")
