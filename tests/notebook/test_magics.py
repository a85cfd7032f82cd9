"""What IPython makes of a cell: Python, and the commands that it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.notebook.magics import code_of
from rocmlint.notebook.read import read
from tests.support.notebooks import dumped, notebook

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.mark.parametrize(
    ("code", "python", "commands"),
    [
        pytest.param("!pip install a b", "0", ["pip install a b"], id="shell"),
        pytest.param("!!ls -l", "0", ["ls -l"], id="captured shell"),
        pytest.param("x = !cat a  # c", "x = 0", ["cat a"], id="assigned shell"),
        pytest.param("a, b = !cat c", "a, b = 0", ["cat c"], id="two targets"),
        pytest.param("if x:\n    !pip install a", "if x:\n    0", ["pip install a"], id="block"),
        pytest.param("!pip install \\\n  a\ny", "0\n\ny", ["pip install a"], id="continued"),
        pytest.param("!echo it's\ny", "0\ny", None, id="a quote without its partner"),
        pytest.param("%matplotlib inline", "0", [], id="magic"),
        pytest.param("%pip install -q a", "0", ["pip install -q a"], id="pip"),
        pytest.param("%conda install a", "0", ["conda install a"], id="conda"),
        pytest.param("%sx ls", "0", ["ls"], id="sx"),
        pytest.param("pip install a", "0", ["pip install a"], id="automatic magic"),
        pytest.param("pip -q install a", "0", ["pip -q install a"], id="options before the verb"),
        pytest.param("pip = install", "pip = install", [], id="no automatic magic"),
        pytest.param("ls -l", "ls -l", [], id="Python that looks like a command"),
        pytest.param("cd ..", "0", [], id="cd"),
        pytest.param("p = %env HOME", "p = 0", [], id="assigned magic"),
        pytest.param("%time x = f(1)", "0    ;x = f(1)", [], id="timed"),
        pytest.param("%timeit -n 10 f(1)", "0            ;f(1)", [], id="timed with options"),
        pytest.param("%time", "0", [], id="timed nothing"),
        pytest.param("?f\nf?\nf.g??\n%time?", "0\n0\n0\n0", [], id="help"),
        pytest.param("x = (a\n% b)", "x = (a\n% b)", [], id="modulo in brackets"),
        pytest.param("x = a \\\n% b", "x = a \\\n% b", [], id="modulo behind a backslash"),
        pytest.param("'''\n!ls\n%pip\n'''", "'''\n!ls\n%pip\n'''", [], id="in a string"),
        pytest.param("%%bash\npip install a\nls", "\n\n", ["pip install a", "ls"], id="bash cell"),
        pytest.param("%%script bash -e\nls", "\n", ["ls"], id="script of bash"),
        pytest.param("%%script perl\nls", "\n", [], id="script of perl"),
        pytest.param("%%html\n<b>it's", "\n", [], id="html cell"),
        pytest.param("\n%%time\nx = 1\n!ls", "\n\nx = 1\n0", ["ls"], id="timed cell"),
        pytest.param("%sql\nSELECT '", "\n", [], id="cell of Databricks"),
        pytest.param("%sh\npip install a", "\n", ["pip install a"], id="shell of Databricks"),
        pytest.param("#@title A\n%%bash\nls", "#@title A\n\n", ["ls"], id="below a title"),
        pytest.param("#@title A\n%%capture\nx", "#@title A\n\nx", [], id="Python below a title"),
        pytest.param("await f()", "await f()", [], id="await"),
        pytest.param("%env A=b\n!echo $A {x}", "0\n0", ["echo b {x}"], id="environment"),
    ],
)
def test_what_is_no_python_is_left_out_and_its_commands_are_known(
    code: str, python: str, commands: Sequence[str] | None
) -> None:
    read_as = code_of(f"{code}\n")
    lines = [line.rstrip() for line in read_as.text.python.text.split("\n")[:-1]]
    assert "\n".join(lines) == python
    assert len(read_as.text.python.text) == len(code) + 1
    assert read_as.unparsable == ()
    ran = [" ".join(word.text for word in each.words) for each in read_as.parts.commands]
    assert commands is None or ran == commands


def test_commands_know_their_exact_place() -> None:
    text = "x\n\f\f\f\n  !pip install é  vllm>=1\n"
    (command,) = code_of(text).parts.commands
    assert [word.span[:2] for word in command.words] == [(3, 4), (3, 8), (3, 16), (3, 19)]
    assert command.redirects[0].span == (3, 23, 3, 26)


@given(st.lists(st.text(alphabet="ab%!?=()[]'\"\\ \n#{}:,\f\r", max_size=30), max_size=4))
def test_any_code_keeps_its_places(cells: list[str]) -> None:
    joined = read(dumped(notebook(*cells)).encode()).text
    code = code_of(joined)
    assert code.text.text == joined
    written = code.text.python.written
    assert [len(line) for line in written.split("\n")] == [len(line) for line in joined.split("\n")]
    for part in (code.text.python.text, code.text.code):
        assert len(part) == len(joined)
        # A form feed in front of a statement may become a line end: see text/blanks.py.
        assert any("\f" in cell for cell in cells) or [len(line) for line in part.split("\n")] == [
            len(line) for line in joined.split("\n")
        ]
