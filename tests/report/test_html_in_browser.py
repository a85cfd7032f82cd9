"""The HTML report in a real browser: what its script shows, its keys, and that text never runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.findings import Edit, Finding, Fix
from rocmlint.report import Report, write_file
from tests.report.test_html import HOSTILE
from tests.support.reports import REPORT
from tests.support.tools import program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    chromium = program("chromium")
    with playwright.sync_playwright() as running:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []  # root has none
        started = running.chromium.launch(executable_path=chromium, args=arguments)
        yield started
        started.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Return what opens the page of a report; what goes wrong in it fails the test."""
    wrong: list[str] = []

    def open_page(report: Report = REPORT, **context: object) -> Any:
        path = tmp_path / "report.html"
        write_file("html", report, str(path))
        page = browser.new_page(**context)
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append(f"dialog {dialog.message}"))
        page.on("request", lambda asked: wrong.append(asked.url) if "file:" not in asked.url else 0)
        page.goto(path.as_uri())
        return page

    yield open_page
    assert wrong == []


def groups(page: Any) -> list[str]:
    shown = page.locator("details.group:visible > summary h3")
    return [" ".join(each.split()) for each in shown.all_text_contents()]


def cards(page: Any) -> list[str]:
    shown = page.locator("article:visible .place")
    return [" ".join(each.split()) for each in shown.all_text_contents()]


def current(page: Any) -> str | None:
    asked = "document.activeElement.querySelector?.('.place')?.textContent ?? null"
    found: str | None = page.evaluate(asked)
    return found


def test_findings_are_grouped_by_rule_file_and_severity(opened: Callable[..., Any]) -> None:
    page = opened()
    assert groups(page) == [
        "ROC501 sync-in-training-loop",
        "ROC900 unreadable-file",
        "ROC602 exif-transpose-no-effect",
    ]
    page.keyboard.press("g")
    page.keyboard.press("f")
    assert groups(page) == ["src/old.py", "src/train.py"]
    page.get_by_label("Severity").check()
    assert groups(page) == ["Errors", "Warnings"]


def test_the_search_filters_by_rule_path_text_and_code(opened: Callable[..., Any]) -> None:
    page = opened()
    for words, shown in {
        "roc501": ["src/train.py:5:5"],
        "src/old": ["src/old.py:1:1"],
        "EVERY step": ["src/train.py:5:5"],
        "pixels 6:13": ["src/train.py:6:13"],
        "nothing at all": [],
    }.items():
        page.keyboard.press("/")
        page.keyboard.type(words)
        assert cards(page) == shown
        page.keyboard.press("Escape")
    assert page.locator("#shown").text_content() == "3 shown"


def test_severities_are_switched_off_and_on(opened: Callable[..., Any]) -> None:
    page = opened()
    page.get_by_label("Errors").uncheck()
    assert cards(page) == ["src/train.py:6:13"]
    assert page.locator("#shown").text_content() == "1 of 3 shown"


def test_keys_step_through_the_findings(opened: Callable[..., Any]) -> None:
    page = opened()
    seen = []
    for key in ("j", "j", "ArrowDown", "k", "ArrowUp"):
        page.keyboard.press(key)
        seen.append(current(page))
    assert seen == [
        "src/train.py:5:5", "src/old.py:1:1", "src/train.py:6:13",
        "src/old.py:1:1", "src/train.py:5:5",
    ]  # fmt: skip
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()


def test_a_link_to_a_finding_opens_it(opened: Callable[..., Any], tmp_path: Path) -> None:
    page = opened()
    link = page.locator(".place").nth(1).get_attribute("href")
    page.goto("about:blank")
    page.goto((tmp_path / "report.html").as_uri() + link)
    assert current(page) == "src/old.py:1:1"


def test_notes_come_last_however_many_they_are(opened: Callable[..., Any]) -> None:
    notes = [
        Finding("a.py", line, 1, line, 2, "ROC303", "name", "is so", "note") for line in (1, 2, 3)
    ]
    page = opened(REPORT._replace(findings=[*notes, *REPORT.findings]))
    assert groups(page)[-1] == "ROC303 name"
    page.get_by_label("Severity").check()
    assert groups(page) == ["Errors", "Warnings", "Notes"]
    page.get_by_label("Notes").uncheck()
    assert groups(page) == ["Errors", "Warnings"]


def test_the_theme_follows_the_system_until_another_is_chosen(opened: Callable[..., Any]) -> None:
    page = opened(color_scheme="dark")
    color = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(color)
    page.get_by_text("Theme: system").click()
    assert page.evaluate(color) != dark
    page.reload()
    page.get_by_text("Theme: light").click()
    assert page.evaluate(color) == dark


def test_without_scripts_the_findings_are_listed(opened: Callable[..., Any]) -> None:
    page = opened(java_script_enabled=False)
    assert page.locator("noscript li").count() == 3
    place = page.locator("noscript strong").nth(1)
    assert place.text_content() == "5:5 error ROC501"
    assert place.bounding_box()["height"] > 0
    assert not page.locator("#search").is_visible()


def test_a_narrow_window_does_not_scroll_sideways(opened: Callable[..., Any]) -> None:
    found = Finding("a/" * 60 + "b.py", 1, 1, 1, 9, "ROC501", "name", "m" * 200)
    report = Report([found], 1, texts={found.path: "x" * 400})
    page = opened(report, viewport={"width": 360, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_hostile_text_is_shown_and_does_not_run(opened: Callable[..., Any]) -> None:
    found = Finding(
        HOSTILE, 1, 1, 1, 9, "ROC501", HOSTILE, HOSTILE, help=HOSTILE,
        fix=Fix(HOSTILE, (Edit(1, 1, 1, 9, HOSTILE),)),
    )  # fmt: skip
    page = opened(Report([found], 1, [HOSTILE], {HOSTILE: HOSTILE}))
    assert page.locator("script").count() == 2
    assert page.locator("img").count() == 0
    assert "<img src=x onerror=alert(1)>" in page.locator("article h4").text_content()
