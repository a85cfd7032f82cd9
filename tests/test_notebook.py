"""Notebooks: what is found in their cells, how it is shown, and what fixes leave as it was."""

from __future__ import annotations

import ast
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocmlint.config import Settings
from rocmlint.errors import RewriteError
from rocmlint.lint.analyse import Linter
from rocmlint.lint.magics import code_of
from rocmlint.lint.notebook import NotebookError, read, with_lines
from rocmlint.lint.put_back import put_back

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conftest import Project

    from rocmlint.findings import Finding

FIXTURES = Path(__file__).parent.parent / "fixtures"
LINTER = Linter(Settings(preview=True))
WAIT = "for batch in loader:\n    model(batch).backward()\n    torch.cuda.synchronize()"
"""ROC501 in its last line, with a fix."""
TRAINING = ["import torch\n", "for batch in loader:\n", "    model(batch).backward()\n"]
SYNC = "    torch.cuda.synchronize()"


def cell(source: object, kind: str = "code", **more: object) -> dict[str, object]:
    """Make a cell as notebooks have it."""
    made: dict[str, object] = {"cell_type": kind, "metadata": {}, "source": source, **more}
    return made | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def notebook(*cells: object, metadata: object = None) -> dict[str, object]:
    """Make a notebook; text stands for a cell with this code."""
    made = [cell(each) if isinstance(each, str) else each for each in cells]
    about = {} if metadata is None else metadata
    return {"cells": made, "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def dumped(content: object, **style: Any) -> str:
    """Write JSON as Jupyter does."""
    return json.dumps(content, **{"indent": 1, "ensure_ascii": False, **style}) + "\n"


def lint(data: str | bytes, path: str = "train.ipynb") -> list[Finding]:
    """Lint as the command does."""
    data = data.encode() if isinstance(data, str) else data
    return list(LINTER.analyse(path, data).findings) if LINTER.has_work(path, data) else []


def found(data: str | bytes, path: str = "train.ipynb") -> list[tuple[str, str]]:
    return [(each.code, str(each.shown)) for each in lint(data, path)]


# What is found


def fixtures() -> list[str]:
    """Give the code of all fixtures with something to find."""
    texts = [path.read_text() for path in sorted(FIXTURES.glob("*/*/bad*.py"))]
    found_in = [(text, [each.code for each in lint(text, "train.py")]) for text in texts]
    return [text for text, codes in found_in if codes and "ROC900" not in codes]


CODE = fixtures()


def starts(text: str) -> list[int]:
    """Give the lines, from 1, at which a cell may begin: those of top-level statements."""
    body = ast.parse(text).body
    decorated = [getattr(node, "decorator_list", None) or [node] for node in body]
    lines = [min(each.lineno for each in nodes) for nodes in decorated]
    return [
        line
        for before, line in zip([0, *(node.end_lineno or 0 for node in body)], lines, strict=False)
        if line > max(1, before)
    ]


slow = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@slow
@given(data=st.data())
def test_what_is_found_in_a_file_is_found_in_a_notebook_with_its_code(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(CODE))
    cuts = sorted(data.draw(st.sets(st.sampled_from(starts(text)), max_size=4)))
    lines = text.split("\n")
    bounds = [1, *cuts, len(lines) + 1]
    cells: list[dict[str, object]] = []
    first: dict[int | None, int] = {None: 0}
    for start, end in pairwise(bounds):
        source = "\n".join(lines[start - 1 : end - 1])
        cells += [cell("# T", "markdown")] * data.draw(st.integers(0, 2))
        as_list = data.draw(st.booleans())
        cells.append(cell(source.splitlines(keepends=True) if as_list else source))
        first[len(cells)] = start
    style = {
        "ensure_ascii": data.draw(st.booleans()),
        "indent": data.draw(st.none() | st.just(2)),
    }
    in_cells = [
        (each.code, *_in_file(each, first), NAMED.sub(lambda m: _line(m, first), each.message))
        for each in lint(dumped(notebook(*cells), **style))
    ]
    in_file = [(each.code, *each.shown[1:], each.message) for each in lint(text, "train.py")]
    assert sorted(in_cells) == sorted(in_file)


NAMED = re.compile(r"ine (\d+) of cell (\d+)")


def _line(named: re.Match[str], first: dict[int | None, int]) -> str:
    return f"ine {int(named[1]) + first[int(named[2])] - 1}"


def _in_file(finding: Finding, first: dict[int | None, int]) -> tuple[int, int, int, int]:
    """Give the place in the file that the cells were cut from."""
    above = first[finding.shown.cell] - 1
    _, line, column, end_line, end_column = finding.shown
    return line + above, column, end_line + above, end_column


RULE = '''
"""ACME001."""
from rocmlint import Rule
from rocmlint.triggers import strings

class Quoted(Rule):
    """A string that JSON writes in another way."""
    code = "ACME001"
    name = "quoted"
    since = "0.1.0"
    on = strings({where!r}, words=({word!r},))

    def check(self, node, source):
        yield self.finding(node, source, "found")
'''


@pytest.mark.parametrize("escape", [json.dumps, lambda text: f'"{_escaped(text)}"'])
@pytest.mark.parametrize("word", ['a"b', "\\\\", "é", "a/b", "plain", "\U0001f600", "<b>"])
def test_the_gate_lets_words_through_however_json_writes_them(
    word: str, escape: Callable[[str], str], tmp_path: Path
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "quoted.py").write_text(RULE.format(where=re.escape(word), word=word))
    linter = Linter(Settings(select=("ACME001",), rules=(str(tmp_path / "own"),)))
    source = escape(f"'{word}'")
    written = dumped(notebook("SOURCE")).replace('"SOURCE"', source)
    assert json.loads(written)["cells"][0]["source"] == f"'{word}'"
    assert linter.has_work("a.ipynb", written.encode())
    assert len(linter.analyse("a.ipynb", written.encode()).findings) == 1


def _escaped(text: str) -> str:
    return "".join(f"\\u{ord(each):04x}" if ord(each) < 0xFFFF else each for each in text)


def test_a_notebook_without_any_word_of_a_rule_is_not_read() -> None:
    assert not LINTER.has_work("a.ipynb", dumped(notebook("print(1)")).encode())


def test_cells_are_counted_as_editors_do_with_those_that_hold_no_code() -> None:
    cells = [cell("# Title", "markdown"), "import torch", cell("x", "raw"), WAIT]
    assert found(dumped(notebook(*cells))) == [("ROC501", "cell 4:3:5")]


def test_a_name_is_known_in_later_cells() -> None:
    first = "from torch.cuda import synchronize as wait"
    assert found(dumped(notebook(first, WAIT.replace("torch.cuda.synchronize", "wait")))) == [
        ("ROC501", "cell 2:3:5")
    ]


def test_a_message_names_lines_by_their_cell() -> None:
    (finding,) = lint(dumped(notebook("import torch\n\n", WAIT)))
    assert "the training loop in line 1 of cell 2" in finding.message


@pytest.mark.parametrize(
    ("install", "codes"),
    [
        pytest.param("!pip install transformers==4.56.2", [], id="a version that has the name"),
        pytest.param("%pip install -q 'transformers>=5'", ["ROC204"], id="one that has it not"),
        pytest.param(
            "!pip install git+https://github.com/huggingface/transformers", [], id="not a release"
        ),
    ],
)
def test_what_a_notebook_installs_itself_is_what_it_runs_with(
    install: str, codes: Sequence[str]
) -> None:
    code = "from transformers import AutoModelForVision2Seq"
    assert [each for each, _ in found(dumped(notebook(install, code)))] == codes


# What IPython makes of a cell


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
    assert read_as.problems == ()
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
    for part in (code.text.python.text, code.text.code):
        assert [len(line) for line in part.split("\n")] == [
            len(line) for line in joined.split("\n")
        ]


# Bad input


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b'{"cells"', "is no JSON: Expecting ':' delimiter", id="cut off"),
        pytest.param(b"<html>torch.cuda.synchronize", "is no JSON", id="a web page"),
        pytest.param(b'["synchronize"]', "is JSON, but no notebook", id="an array"),
        pytest.param(b'{"synchronize": 1}', "it has no cells", id="another object"),
        pytest.param(b'{"cells": {"synchronize": 1}}', "it has no cells", id="cells are no array"),
        pytest.param(
            b'{"worksheets": [{"cells": ["synchronize"]}], "nbformat": 3}',
            "is a notebook of format 3, older than 4: `jupyter nbconvert",
            id="old format",
        ),
        pytest.param(b'{"cells": [], "synchronize": "\xff"}', "cannot be decoded", id="no UTF-8"),
        pytest.param(b'{"cells": []} synchronize}', "is no JSON: Extra data", id="more behind it"),
        pytest.param(
            b'{"cells": [], "synchronize": ' + b"[" * 100_000 + b"}",
            "cannot be read as JSON: maximum recursion",
            id="too deep",
        ),
        pytest.param(
            b'{"cells": [\n<<<<<<< ours\n', "is no JSON: Expecting value", id="merge conflict"
        ),
    ],
)
def test_what_is_no_notebook_is_told_in_one_line(data: bytes, message: str) -> None:
    (finding,) = lint(data)
    assert finding.code == "ROC900"
    assert message in finding.message
    assert finding.cell is None


@pytest.mark.parametrize(
    "metadata",
    [
        {"kernelspec": {"language": "R", "name": "ir"}},
        {"language_info": {"name": "julia"}},
        {"kernelspec": {"name": "julia-1.9"}},
    ],
)
def test_notebooks_of_other_languages_are_left_alone(metadata: object) -> None:
    assert found(dumped(notebook(WAIT, "x <- 1", metadata=metadata))) == []


def test_cells_of_another_language_are_left_alone() -> None:
    other = cell("echo )", metadata={"vscode": {"languageId": "shellscript"}})
    assert found(dumped(notebook(other, WAIT))) == [("ROC501", "cell 2:3:5")]


@pytest.mark.parametrize("data", ["", "\n", dumped(notebook())])
def test_an_empty_notebook_is_clean(data: str) -> None:
    linter = Linter(Settings(check_syntax=True))
    assert linter.analyse("a.ipynb", data.encode()).findings == []


@pytest.mark.parametrize("bad", ["if x:", "x = (", "'''", "\ud800 = 1", "a\0b", "!ls\nclass"])
def test_a_cell_that_cannot_be_parsed_hides_nothing_in_the_others(bad: str) -> None:
    data = dumped(notebook("import torch", bad, WAIT), ensure_ascii=True)
    codes = [(code, place.partition(":")[0]) for code, place in found(data)]
    assert codes == [("ROC900", "cell 2"), ("ROC501", "cell 3")]


@pytest.mark.parametrize("broken", [{"cell_type": "code"}, cell({"a": 1}), cell(["a", 1])])
def test_a_cell_without_source_is_told_and_hides_nothing(broken: dict[str, object]) -> None:
    findings = lint(dumped(notebook(broken, WAIT)))
    assert [each.code for each in findings] == ["ROC900", "ROC501"]
    assert findings[0].message == (
        "This cell has no source that is text; nothing in it was checked."
    )


def test_large_outputs_do_not_count_and_large_code_is_refused() -> None:
    large = cell(WAIT, outputs=[{"data": {"image/png": "A" * 6_000_000}}])
    large["outputs"] = [{"data": {"image/png": "A" * 6_000_000}}]
    assert found(dumped(notebook(large))) == [("ROC501", "cell 1:3:5")]
    (finding,) = lint(dumped(notebook(WAIT, "#" * 6_000_000)))
    assert "has 6 MB, too much for source code" in finding.message


# What fixes leave as it was


def fixed(project: Project, data: bytes, *flags: str) -> bytes:
    path = project.root / "train.ipynb"
    path.write_bytes(data)
    done = project.run("--no-cache", *flags, "train.ipynb")
    assert "Traceback" not in done.stderr
    return path.read_bytes()


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda made: dumped(made).encode(), id="Jupyter"),
        pytest.param(lambda made: dumped(made, indent=4).encode(), id="indent"),
        pytest.param(lambda made: dumped(made, indent=None).encode(), id="one line"),
        pytest.param(lambda made: json.dumps(made, separators=(",", ":")).encode(), id="compact"),
        pytest.param(lambda made: dumped(made, ensure_ascii=True).encode(), id="escapes"),
        pytest.param(lambda made: dumped(made)[:-1].encode(), id="no line at the end"),
        pytest.param(lambda made: b"\xef\xbb\xbf" + dumped(made).encode(), id="BOM"),
        pytest.param(lambda made: dumped(made).replace("\n", "\r\n").encode(), id="line ends"),
        pytest.param(
            lambda made: dumped(made).replace("<", "\\u003c").replace("/", "\\/").encode(),
            id="Colab",
        ),
    ],
)
@pytest.mark.parametrize("as_list", [True, False])
def test_a_fix_changes_its_lines_and_nothing_else(
    write: Callable[[object], bytes], as_list: bool, project: Project
) -> None:
    def made(*lines: str) -> bytes:
        source: object = list(lines) if as_list else "".join(lines)
        code = cell(source, metadata={"b": 1, "a": "ü"})
        code["outputs"] = [{"text": ["torch.cuda.synchronize() \u2713 <b>"]}]
        return write(notebook(cell("# ü", "markdown"), code, "y = '/'"))

    before = [*TRAINING, f"{SYNC}\n", "    print('ü <b>/')\n", "z"]
    after = [*TRAINING, "    print('ü <b>/')\n", "z"]
    assert fixed(project, made(*before), "--unsafe-fixes") == made(*after)


def test_a_diff_is_one_of_the_file_that_patch_takes(project: Project) -> None:
    data = dumped(notebook(cell([*TRAINING, f"{SYNC}\n", "x"])))
    (project.root / "train.ipynb").write_text(data)
    done = project.run("--no-cache", "--unsafe-fixes", "--diff", "train.ipynb")
    assert [line for line in done.stdout.splitlines() if line[:1] in "+-"] == [
        "--- train.ipynb",
        "+++ train.ipynb",
        '-    "    torch.cuda.synchronize()\\n",',
    ]


def test_a_cell_that_loses_its_last_line_stays_an_empty_cell(project: Project) -> None:
    unused = "# rocmlint: ignore[ROC501] no more"
    data = dumped(notebook("import torch", cell([unused]), unused, "x"))
    after = json.loads(fixed(project, data.encode(), "--fix"))
    assert [each["source"] for each in after["cells"]] == ["import torch", [], "", "x"]


def test_ignore_comments_are_put_into_the_cells(project: Project) -> None:
    cells = ["import torch", cell([*TRAINING[1:], SYNC]), "if x:", cell([*TRAINING[1:], SYNC])]
    after = fixed(project, dumped(notebook(*cells)).encode(), "--add-ignore", "kept")
    comment = "  # rocmlint: ignore[ROC501] kept"
    cells[1] = cells[3] = cell([*TRAINING[1:], SYNC + comment])
    assert after.decode() == dumped(notebook(*cells))


@pytest.mark.parametrize(
    "comment",
    ["# noqa: ROC501", "# rocmlint: ignore[ROC501] x", "# rocmlint: ignore[sync-in-training-loop]"],
)
def test_comments_in_cells_hide(comment: str) -> None:
    assert found(dumped(notebook("import torch", f"{WAIT}  {comment}"))) == []


TEXTS = st.lists(
    st.text(alphabet='ab\n\r\t "\\/é<\u2028\U0001f600\f', max_size=20), min_size=1, max_size=4
)


@slow
@given(before=TEXTS, after=TEXTS, style=st.data())
def test_whatever_is_put_back_is_read_again(
    before: list[str], after: list[str], style: st.DataObject
) -> None:
    as_list = style.draw(st.booleans())
    cells = [cell(each.splitlines(keepends=True) if as_list else each) for each in before]
    written = dumped(notebook(*cells), ensure_ascii=style.draw(st.booleans())).encode()
    joined = read(written).text
    assert put_back(written, joined) == written
    wanted = [each.replace("\r", "").replace("\f", "") for each in after]
    text = "\n\f\f\f\n".join(wanted) + "\n"
    try:
        result = put_back(written, text)
    except RewriteError:
        assert len(before) != len(after) or any(mark in "".join(before) for mark in "\r\f\u2028")
        return
    assert read(result).text == text
    old, new = json.loads(written), json.loads(result)
    assert {**old, "cells": 0} == {**new, "cells": 0}
    assert [{**each, "source": 0} for each in old["cells"]] == [
        {**each, "source": 0} for each in new["cells"]
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(["a\n", "b\n"], ["a\n", "x\n", "b\n"], id="a line at the end"),
        pytest.param(["a\n", "b\n", ""], ["a\n", "x\n", "b\n", ""], id="an empty string"),
        pytest.param(["a\nb"], ["a\nx\nb"], id="all in one"),
        pytest.param(["q\n", "a\nb"], ["q\n", "a\nx\nb"], id="two lines in one"),
        pytest.param(["a\n"], ["a\n", "x\n"], id="one line"),
        pytest.param("a\nb", "a\nx\nb", id="a string"),
    ],
)
def test_sources_stay_split_as_they_are(source: object, expected: object) -> None:
    data = dumped(notebook(cell(source))).encode()
    text = read(data).text.replace("a\n", "a\nx\n", 1)
    assert put_back(data, text).decode() == dumped(notebook(cell(expected)))


def test_a_source_that_is_split_within_a_line_is_not_changed() -> None:
    data = dumped(notebook(cell(["a", "b\n"]))).encode()
    with pytest.raises(RewriteError, match="cell 1 is not split at its lines"):
        put_back(data, "ax\n")


def test_code_that_would_go_from_one_cell_to_another_is_refused() -> None:
    data = dumped(notebook("a", "b")).encode()
    with pytest.raises(RewriteError, match="from one cell to another"):
        put_back(data, "a\nb\n")


def test_lines_that_a_cell_has_lost_are_one_empty_line() -> None:
    assert with_lines("\f\f\f\nx\n\f\f\f\n") == "\n\f\f\f\nx\n\f\f\f\n\n"


def test_where_the_json_is_wrong_is_told() -> None:
    with pytest.raises(NotebookError) as caught:
        read(b'{"cells": [\n  {"cell_type": code}]}')
    assert (caught.value.line, caught.value.column) == (2, 17)


# How it is shown

SHOWN = notebook(cell("# T", "markdown"), cell([*TRAINING, SYNC]))
"""The finding stands in line 24 of the JSON."""


def reported(project: Project, name: str) -> str:
    (project.root / "train.ipynb").write_text(dumped(SHOWN))
    return project.run("--no-cache", "--output-format", name, "train.ipynb").stdout


def test_people_see_the_cell_and_the_line_in_it(project: Project) -> None:
    assert reported(project, "concise").startswith("train.ipynb:cell 2:4:5: ROC501 ")
    text = reported(project, "text")
    assert text.startswith("train.ipynb:cell 2:4:5: ")
    assert f"\n4 | {SYNC}\n" in text


def test_json_has_the_cell_and_the_line_in_it(project: Project) -> None:
    (each,) = json.loads(reported(project, "json"))["findings"]
    assert (each["cell"], each["line"], each["column"], each["end_line"]) == (2, 4, 5, 4)
    (edit,) = each["fix"]["edits"]
    assert (edit["cell"], edit["line"], edit["end_line"]) == (2, 4, 5)
    assert json.loads(reported(project, "json-lines"))["cell"] == 2


def test_platforms_get_the_line_of_the_file(project: Project) -> None:
    line = dumped(SHOWN).split("\n").index(f"    {json.dumps(SYNC)}") + 1
    sarif = json.loads(reported(project, "sarif"))["runs"][0]["results"][0]
    assert sarif["locations"][0]["physicalLocation"]["region"] == {"startLine": line}
    assert sarif["message"]["text"].startswith("cell 2:4:5: ")
    assert "fixes" not in sarif
    (issue,) = json.loads(reported(project, "gitlab"))
    assert issue["location"]["lines"] == {"begin": line, "end": line}
    assert "cell 2:4:5: " in issue["description"]
    github = reported(project, "github")
    assert f"file=train.ipynb,line={line},title=" in github
    assert "at cell 2%3A4%3A5::" in github
    assert f'line="{line}"' in reported(project, "junit")
    assert "train.ipynb:cell 2:4:5: " in reported(project, "junit")


def test_the_cache_remembers_cells(project: Project) -> None:
    (project.root / "train.ipynb").write_text(dumped(SHOWN))
    cold = project.run("--output-format", "json")
    assert project.run("--output-format", "json").stdout == cold.stdout
    assert '"cell": 2' in cold.stdout


def test_a_baseline_knows_a_finding_whose_cell_has_moved(project: Project) -> None:
    (project.root / "train.ipynb").write_text(dumped(SHOWN))
    project.run("--baseline", "known.json", "--write-baseline", "train.ipynb")
    moved = notebook("x = 1", cell("# T", "markdown"), cell([*TRAINING, SYNC]))
    (project.root / "train.ipynb").write_text(dumped(moved))
    assert project.code("--baseline", "known.json", "train.ipynb") == 0


def test_standard_input_may_be_a_notebook(project: Project) -> None:
    done = project.run("-", "--stdin-filename", "train.ipynb", stdin=dumped(SHOWN))
    assert done.stdout.startswith("train.ipynb:cell 2:4:5: ")
