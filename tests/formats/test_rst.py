"""The commands in the code blocks of reStructuredText."""

from __future__ import annotations

import pytest

from rocmlint.formats import headings_above
from rocmlint.formats.documents import rst


def run(text: str) -> list[str]:
    return [" ".join(word.text for word in each.words) for each in rst.parse(text).commands]


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        pytest.param(
            ".. code-block:: bash\n\n   pip list\n\npip x\n", ["pip list"], id="directive"
        ),
        pytest.param(".. code:: sh\n   :name: a\n\n   pip list\n", ["pip list"], id="options"),
        pytest.param(".. prompt:: bash $\n\n   pip list\n", ["pip list"], id="prompt"),
        pytest.param("a::\n\n  pip list\n\n  ls\n\nb\n", ["pip list", "ls"], id="literal"),
        pytest.param("::\n\n  $ pip list\n  torch\n", ["pip list"], id="prompts"),
        pytest.param("* a::\n\n    pip list\n\n  pip x\n", ["pip list"], id="in a list"),
        pytest.param(
            ".. code-block:: bash\n\n  pip install \\\n    x\n", ["pip install x"], id="on"
        ),
        pytest.param(".. code-block:: python\n\n   pip list\n", [], id="another language"),
        pytest.param("a::\n\n  def f(): pass\n", [], id="code"),
        pytest.param(".. note::\n\n  pip list\n", [], id="no code"),
        pytest.param("::\n\n  pip list", ["pip list"], id="at the end"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_blocks_for_a_shell_are_read(text: str, commands: list[str]) -> None:
    assert run(text) == commands


def test_what_a_block_sets_holds_for_itself() -> None:
    (setting,) = rst.parse(".. code:: sh\n\n   export A=1\n   ls\n\n::\n\n   pip x\n").settings
    assert (setting.name, setting.span.line) == ("A", 3)
    assert setting.holder is not None
    assert (setting.holder.line, setting.holder.end_line) == (3, 4)


def test_headings_are_known_by_what_underlines_them() -> None:
    text = "Top\n===\n\nOne\n---\n\nCUDA\n~~~~\n\nTwo\n---\n\nROCm\n~~~~\n\n::\n"
    assert headings_above("a.rst", text, 16) == ["ROCm", "Two", "Top"]
    assert headings_above("a.rst", text, 9) == ["CUDA", "One", "Top"]
    assert headings_above("a.sh", text, 9) == []
