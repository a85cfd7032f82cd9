"""The table of formats: what is listed elsewhere follows from it, and no other code names one."""

from __future__ import annotations

import ast
import json
import re
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.formats import FORMATS, Format, Role, format_of, has_role
from tools.list_formats import ROOT, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLES: list[str] = json.loads((ROOT / "editors/vscode/test/samples.json").read_text())
PAGE = (ROOT / "docs/formats.md").read_text()
NAMES = {each.name for each in FORMATS}


@pytest.mark.parametrize(("path", "text"), listed().items(), ids=list(listed()))
def test_a_list_of_names_is_what_the_table_makes_of_it(path: str, text: str) -> None:
    assert (ROOT / path).read_text() == text, "run: python tools/list_formats.py"


@pytest.mark.parametrize("each", FORMATS, ids=lambda each: each.name)
def test_a_format_is_imported_where_its_row_says(each: Format) -> None:
    assert callable(getattr(each.imported(), each.function))


@pytest.mark.parametrize("each", FORMATS, ids=lambda each: each.name)
def test_the_page_about_formats_names_files_of_each(each: Format) -> None:
    rows = (line.split("|")[2] for line in PAGE.splitlines() if line.startswith("| "))
    shown = [glob.lstrip("/") for row in rows for glob in re.findall(r"`([^`]+)`", row)]
    own = [path for path in SAMPLES if format_of(path) == each]
    assert own
    assert [path for path in own if any(fnmatch(path, f"*{glob}") for glob in shown)]


def test_the_parser_that_the_page_shows_works() -> None:
    page = (ROOT / "docs/writing-formats.md").read_text()
    code = re.search(r"^```python title=[^\n]+\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert code is not None
    module: dict[str, Any] = {}
    exec(code[1], module)  # noqa: S102 - it is ours
    (command,) = module["parse"]("web: pip install torch\n# a comment\n").commands
    assert [(word.text, word.span.column) for word in command.words][1:] == [
        ("install", 10),
        ("torch", 18),
    ]


def test_every_role_is_that_of_a_format() -> None:
    assert [role for role in Role if not any(role in each.roles for each in FORMATS)] == []


def test_a_role_may_be_that_of_the_first_line() -> None:
    assert not has_role("bin/install", Role.SCRIPT)
    assert has_role("bin/install", Role.SCRIPT, "#!/bin/sh\n")
    assert not has_role("train.py", Role.SCRIPT, "#!/bin/sh\n")


def test_no_other_code_asks_for_a_format_by_its_name() -> None:
    asked = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for top in (ROOT / "src", ROOT / "rules")
        for path in top.rglob("*.py")
        if path.parent.name != "formats" and "format_of(" in (code := path.read_text())
        for node in _constants(ast.parse(code))
        if node.value in NAMES
    ]
    assert asked == []


def _constants(node: ast.AST) -> Iterator[ast.Constant]:
    """Yield the constants that may be compared with ``.name``, not those of ``.tool`` or others."""
    if isinstance(node, ast.Compare) and getattr(node.left, "attr", "name") != "name":
        return
    if isinstance(node, ast.Constant):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _constants(child)
