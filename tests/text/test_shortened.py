"""What is shortened in a message: code and prose, but no name that people search for."""

from __future__ import annotations

import pytest

from rocmlint.text.words import fitted, shortened

PATH = "configurations/of-all-our-experiments/requirements-for-training.txt"


@pytest.mark.parametrize(
    "name",
    [
        PATH,
        "check_whether_transformers_was_patched_correctly",
        "transformers[torch]>=4.51.3,!=4.52.0,!=4.53.1,<=5.5.0",
        "--break-system-packages",
    ],
)
def test_a_name_stays_whole(name: str) -> None:
    assert shortened(name, 20) == name
    assert (
        fitted("`{}` is not {what}", name, what="there " * 20) == f"`{name}` is not {'there ' * 20}"
    )


def test_no_name_in_code_is_cut() -> None:
    code = "torch.cuda.get_device_capability(device_of_the_model) >= (8, 9)"
    assert shortened(code, 45) == "torch.cuda.…) >= (8, 9)"


def test_what_has_no_end_is_cut() -> None:
    assert len(shortened("a" * 10_000, 40)) == 40
    assert len(fitted("`{}`", "a b " * 10_000)) <= 100
