"""The rules take time in proportion to the size of a file, also of one made of their own words."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from rocmlint.config.configuration import Configuration
from rocmlint.lint.linter import Linter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.slow

ROCM = "pip install torch --index-url https://download.pytorch.org/whl/rocm6.2\n"
PHOTO = "def f{0}(p):\n    i = Image.open(p)\n    ImageOps.exif_transpose(i)\n    return i\n\n\n"


def photos(n: int) -> str:
    return "".join(map(PHOTO.format, range(n)))


INPUTS: dict[str, tuple[str, int, Callable[[int], str]]] = {
    "comment marks": (
        "a.py",
        2_000,
        lambda n: '# attn_implementation="flash_attention_2"\nimport torch\n' + "# x() " * n,
    ),
    "comments for noqa": ("a.py", 2_000, lambda n: "x = 1  # ROC301" + "# noqa: x " * n),
    "findings of ROC602": (
        "a.py",
        400,
        lambda n: f"from PIL import Image, ImageOps\n{photos(n)}",
    ),
    "findings of ROC602 in a long file": (  # which each must not search anew
        "a.py",
        300,
        lambda n: f"from PIL import Image, ImageOps\n{photos(n)}" + f"# {'x' * 70}\n" * 10 * n,
    ),
    "unquoted specifiers": ("a.sh", 200, lambda n: "pip install " + "torch>=2 " * n),
    "commands with them": ("a.sh", 100, lambda n: "pip install torch>=2\n" * n),
    "an index of digits": ("a.sh", 10_000, lambda n: "pip install torch --index-url " + "1" * n),
    "installs after torch": ("a.sh", 400, lambda n: ROCM + "pip install a\n" * n),
    "specifiers in a list": ("requirements.txt", 400, lambda n: "torch>=2\n" * n),
}
_FACTOR = 8
"""How much longer four times as much may take: 4 if time grows with size, 16 with its square."""
_UNNOTICED = 0.5
_TRIES = 3


def seconds(folder: Path, name: str, text: str) -> float:
    """Return the CPU time of linting a text once."""
    settings = Configuration({"preview": True}, isolated=True).settings_for(str(folder))
    start = time.process_time()
    Linter(settings).lint_text(str(folder / name), text)
    return time.process_time() - start


@pytest.mark.parametrize(("name", "n", "made"), INPUTS.values(), ids=INPUTS)
def test_four_times_the_text_takes_about_four_times_as_long(
    name: str, n: int, made: Callable[[int], str], tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    seconds(tmp_path, name, made(1))  # loads the rules
    grown = 0.0, 0.0
    for _ in range(_TRIES):
        grown = seconds(tmp_path, name, made(n)), seconds(tmp_path, name, made(4 * n))
        if grown[1] <= _FACTOR * grown[0] + _UNNOTICED:
            return
    pytest.fail(f"{grown[0]:.2f} s, and {grown[1]:.2f} s for four times as much")
