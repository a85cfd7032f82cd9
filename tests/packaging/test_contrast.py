"""The colors of the docs can be read: their contrast, as WCAG 2 computes it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CSS = (ROOT / "docs" / "style.css").read_text()
AA = 4.5
WHITE, SLATE = "#ffffff", "#1e2129"
"""The pages of Material for MkDocs: ``default``, and ``slate`` with its hue of 225 degrees."""


def color(selector: str, name: str) -> str:
    block = re.search(rf"^\[{re.escape(selector)}\] {{(.+?)^}}", CSS, re.MULTILINE | re.DOTALL)
    assert block is not None, selector
    value = re.search(rf"--md-{name}: (#[0-9a-f]{{6}});", block[1])
    assert value is not None, name
    return value[1]


def luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("name", ["typeset-a-color", "accent-fg-color"])
@pytest.mark.parametrize(("scheme", "page"), [("default", WHITE), ("slate", SLATE)])
def test_links_can_be_read(scheme: str, page: str, name: str) -> None:
    assert contrast(color(f'data-md-color-scheme="{scheme}"', name), page) >= AA


def test_the_header_can_be_read() -> None:
    custom = 'data-md-color-primary="custom"'
    for text in ("primary-bg-color", "primary-bg-color--light"):
        assert contrast(color(custom, "primary-fg-color"), color(custom, text)) >= AA


def test_the_colors_are_those_of_the_site() -> None:
    settings = (ROOT / "mkdocs.yml").read_text()
    assert re.findall(r"primary: (.+?)(?: +#.*)?$", settings, re.MULTILINE) == ["custom"] * 2
    assert "extra_css: [style.css]" in settings


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#ff6e42", "#ffffff") == pytest.approx(2.78, abs=0.01)
