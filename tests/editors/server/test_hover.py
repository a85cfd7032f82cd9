"""What a place says that names a rule: the rule's page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.editor import marked

if TYPE_CHECKING:
    from tests.support.editor import Editor

pytest.importorskip("pygls")


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.py", "x = 1  # noqa: E501,|ROC602", "exif-transpose-no-effect (ROC602)"),
        ("b.py", "x = 1  # rocmlint: ignore[ROC602|] why", "exif-transpose-no-effect (ROC602)"),
        (
            "c.py",
            "# rocmlint: ignore-file[exif-|transpose-no-effect]",
            "exif-transpose-no-effect (ROC602)",
        ),
        ("d.py", "x = '🤗'  # noqa: ROC|6", "ROC6"),
        ("rocmlint.toml", 'select = ["RO|C602"]', "exif-transpose-no-effect (ROC602)"),
        ("rocmlint.toml", 'select = ["AC|ME001"]', "no-vllm (ACME001)"),
        (
            "pyproject.toml",
            '[tool.rocmlint]\nignore = ["|ROC602"]',
            "exif-transpose-no-effect (ROC602)",
        ),
    ],
)
def test_the_page_is_shown(editor: Editor, name: str, text: str, title: str) -> None:
    before, _, after = text.partition("|")
    editor.open(f"hover/{name}", before + after)
    line, column = before.count("\n"), len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
    found = editor.hover(f"hover/{name}", line, column)
    assert found is not None
    assert found["contents"]["kind"] == "markdown"
    assert found["contents"]["value"].partition("\n")[0] == f"# {title}"
    assert marked(before + after, found["range"]) in {
        title.rpartition("(")[2].strip(")"),
        "exif-transpose-no-effect",
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "x = 'ROC602|'"),
        ("b.py", "# as ROC6|02 says"),
        ("c.py", "x = 1  # noqa: E5|01"),
        ("d.py", "x = 1  # rocmlint: ignore[ROC602] RO|C602"),
        ("pyproject.toml", '[tool.ruff]\nignore = ["|ROC602"]'),
        ("other.toml", 'ignore = ["|ROC602"]'),
    ],
)
def test_elsewhere_nothing_is_shown(editor: Editor, name: str, text: str) -> None:
    before, _, after = text.partition("|")
    editor.open(f"silent/{name}", before + after)
    assert (
        editor.hover(f"silent/{name}", before.count("\n"), len(before.rpartition("\n")[2])) is None
    )
