"""Options that users set for a rule: they reach it, and change what it looks at."""

from __future__ import annotations

import pytest

from rocmlint.config.settings import Settings
from rocmlint.lint.check import check
from rocmlint.lint.scan import Scanner
from rocmlint.lint.selection import enabled_rules
from rocmlint.source.python import Source

UPRIGHT = """\
from PIL import Image, ImageOps

image = ImageOps.exif_transpose(Image.open("page.jpg"))
"""
COMMENTED = """\
kernels = load_kernels()
# kernels.switch_to_wide_tiles(True)
model = build(
    kernels,
    # wide_tiles=True,
)
# model.gradient_checkpointing_enable()
model.attach()
"""


def lint(text: str, rule: str, **options: object) -> list[int]:
    """Return the lines of ``app/load.py`` that one rule finds with these options."""
    values = {name.replace("_", "-"): value for name, value in options.items()}
    rules = enabled_rules(Settings(rule_options={rule: values}))
    source = Source("app/load.py", text, place="app/load.py")
    found = check(source, Scanner(rules).scan_python(text.encode()).rules)
    return [each.line for each in found if each.name == rule]


@pytest.mark.parametrize("pattern", ["app/", "load.py", "app/*.py"])
def test_exif_transpose_is_silent_in_allowed_paths(pattern: str) -> None:
    assert lint(UPRIGHT, "exif-transpose", always=True, allowed_paths=[pattern]) == []


def test_exif_transpose_is_found_outside_allowed_paths() -> None:
    assert lint(UPRIGHT, "exif-transpose", always=True, allowed_paths=["app/viewer/"]) == [3]


def test_exif_transpose_without_labels_is_found_where_the_project_allows_none() -> None:
    assert lint(UPRIGHT, "exif-transpose") == []
    assert lint(UPRIGHT, "exif-transpose", always=True) == [3]


def test_names_of_the_user_are_toggles_too() -> None:
    toggles = ["switch_to_wide_tiles", "wide_tiles"]
    assert lint(COMMENTED, "disabled-feature-toggle", toggles=toggles) == [2, 5, 7]


def test_other_names_are_no_toggles() -> None:
    assert lint(COMMENTED, "disabled-feature-toggle", toggles=["tiles"]) == [7]
