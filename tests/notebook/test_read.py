"""Notebooks: what is found in their cells, and how it is shown."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.config.settings import Settings
from rocmlint.lint.first_sight import Opened
from rocmlint.lint.linter import Analysis, Linter
from rocmlint.notebook.read import NotebookError, read
from tests.support.notebooks import SYNC, TRAINING, WAIT, cell, dumped, notebook, slow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocmlint.findings import Finding
    from tests.support.project import Project

FIXTURES = Path(__file__).parents[2] / "fixtures"
LINTER = Linter(Settings(preview=True))
ASKED = Linter(Settings(preview=True, named=True))


def lint(data: str | bytes, path: str = "train.ipynb", linter: Linter = LINTER) -> list[Finding]:
    """Lint as the command does."""
    data = data.encode() if isinstance(data, str) else data
    return list(linter.lint(path, data).findings)


def found(
    data: str | bytes, path: str = "train.ipynb", linter: Linter = LINTER
) -> list[tuple[str, str]]:
    return [(each.code, str(each.shown)) for each in lint(data, path, linter)]


# What is found


@cache
def fixtures() -> list[str]:
    """Return the code of all fixtures with something to find."""
    texts = [path.read_text() for path in sorted(FIXTURES.glob("*/*/bad*.py"))]
    found_in = [(text, [each.code for each in lint(text, "train.py")]) for text in texts]
    return [text for text, codes in found_in if codes and "ROC900" not in codes]


def starts(text: str) -> list[int]:
    """Return the lines, from 1, at which a cell may begin: those of top-level statements."""
    body = ast.parse(text).body
    decorated = [getattr(node, "decorator_list", None) or [node] for node in body]
    lines = [min(each.lineno for each in nodes) for nodes in decorated]
    return [
        line
        for before, line in zip([0, *(node.end_lineno or 0 for node in body)], lines, strict=False)
        if line > max(1, before)
    ]


@pytest.mark.slow
@slow
@given(data=st.data())
def test_what_is_found_in_a_file_is_found_in_a_notebook_with_its_code(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(fixtures()))
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
    """Return the place in the file that the cells were cut from."""
    above = first[finding.shown.cell] - 1
    _, line, column, end_line, end_column = finding.shown
    return line + above, column, end_line + above, end_column


RULE = '''
"""ACME001."""
from rocmlint import Rule
from rocmlint.rule.triggers import strings

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
    assert isinstance(linter.first_sight("a.ipynb", written.encode()), Opened)
    assert len(linter.lint("a.ipynb", written.encode()).findings) == 1


def _escaped(text: str) -> str:
    return "".join(f"\\u{ord(each):04x}" if ord(each) < 0xFFFF else each for each in text)


@pytest.mark.parametrize("blank", ["\t", "  ", "\x0c", " \\\n "])
def test_the_gate_lets_a_notebook_through_whose_tokens_stand_apart(blank: str) -> None:
    data = dumped(notebook(f"from{blank}transformers import AutoModelForVision2Seq")).encode()
    assert [each.code for each in LINTER.lint("a.ipynb", data).findings] == ["ROC204"]


def test_a_notebook_without_any_word_of_a_rule_is_not_read() -> None:
    data = dumped(notebook("print(1)")).encode()
    assert LINTER.first_sight("a.ipynb", data) == Analysis()


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
    assert "the training loop on line 1 of cell 2" in finding.message


@pytest.mark.parametrize(
    ("install", "codes"),
    [
        pytest.param("!pip install transformers==4.56.2", [], id="a version that has the name"),
        pytest.param("%pip install -q 'transformers>=5'", ["ROC204"], id="one that has it not"),
        pytest.param(
            "!pip install git+https://github.com/huggingface/transformers",
            ["ROC204"],
            id="the newest commit, which is no older than the newest release",
        ),
        pytest.param(
            "!pip install git+https://github.com/acme/transformers", [], id="a fork, not a release"
        ),
    ],
)
def test_what_a_notebook_installs_itself_is_what_it_runs_with(
    install: str, codes: Sequence[str]
) -> None:
    code = "from transformers import AutoModelForVision2Seq"
    assert [each for each, _ in found(dumped(notebook(install, code)))] == codes


# Bad input


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b'{"cells"', "is not valid JSON: the file ends too early", id="cut off"),
        pytest.param(b"<html>torch.cuda.synchronize", "is not valid JSON", id="a web page"),
        pytest.param(b'["synchronize"]', "is JSON, but not a notebook", id="an array"),
        pytest.param(b'{"synchronize": 1}', "it has no cells", id="another object"),
        pytest.param(b'{"cells": {"synchronize": 1}}', "it has no cells", id="cells are no array"),
        pytest.param(
            b'{"worksheets": [{"cells": ["synchronize"]}], "nbformat": 3}',
            "is a notebook of format 3; formats before 4 are not supported: convert it",
            id="old format",
        ),
        pytest.param(b'{"cells": [], "synchronize": "\xff"}', "cannot be decoded", id="no UTF-8"),
        pytest.param(
            b'{"cells": []} synchronize}', "is not valid JSON: Extra data", id="more behind it"
        ),
        pytest.param(
            b'{"cells": [], "synchronize": ' + b"[" * 100_000 + b"}",
            "cannot be read as JSON: maximum recursion",
            id="too deep",
        ),
        pytest.param(
            b'{"cells": [\n<<<<<<< ours\n',
            "is not valid JSON: Expecting value",
            id="merge conflict",
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
    assert linter.lint("a.ipynb", data.encode()).findings == []


@pytest.mark.parametrize("bad", ["if x:", "x = (", "'''", "\ud800 = 1", "a\0b", "!ls\nclass"])
def test_a_cell_that_cannot_be_parsed_hides_nothing_in_the_others(bad: str) -> None:
    ran = cell(f"{bad}\ntorch.cuda.synchronize()", execution_count=2)
    data = dumped(notebook("import torch", ran, WAIT), ensure_ascii=True)
    codes = [(code, place.partition(":")[0]) for code, place in found(data, linter=ASKED)]
    assert codes == [("ROC900", "cell 2"), ("ROC501", "cell 3")]


@pytest.mark.parametrize("asked", [Settings(check_syntax=True), Settings(named=True)])
def test_a_cell_that_cannot_be_parsed_is_told_where_somebody_asks(asked: Settings) -> None:
    draft = cell("torch.cuda.synchronize() +", execution_count=1)
    data = dumped(notebook("import torch", draft, WAIT))
    assert found(data) == [("ROC501", "cell 3:3:5")]
    checked = Linter(asked).lint("a.ipynb", data.encode()).findings
    assert [each.code for each in checked] == ["ROC900", "ROC501"]


@pytest.mark.parametrize("bad", ["!echo 'a' 'b'\nclass", "x = a <b\ny = (", "if a < b > c\n  d"])
def test_faults_beside_commands_and_comparisons_are_reported(bad: str) -> None:
    data = dumped(notebook(cell(f"torch.cuda.synchronize()\n{bad}", execution_count=1), WAIT))
    assert [code for code, _ in found(data, linter=ASKED)] == ["ROC900", "ROC501"]


@pytest.mark.parametrize("broken", [{"cell_type": "code"}, cell({"a": 1}), cell(["a", 1])])
def test_a_cell_without_source_is_told_and_hides_nothing(broken: dict[str, object]) -> None:
    findings = lint(dumped(notebook(broken, WAIT)))
    assert [each.code for each in findings] == ["ROC900", "ROC501"]
    assert findings[0].message == "This cell's source is not text"


def test_large_outputs_do_not_count_and_large_code_is_refused() -> None:
    large = cell(WAIT, outputs=[{"data": {"image/png": "A" * 6_000_000}}])
    large["outputs"] = [{"data": {"image/png": "A" * 6_000_000}}]
    assert found(dumped(notebook(large))) == [("ROC501", "cell 1:3:5")]
    (finding,) = lint(dumped(notebook(WAIT, "#" * 6_000_000)))
    assert "has 6 MB, too much for source code" in finding.message


@pytest.mark.parametrize("path", ["train.ipynb", "bob's.ipynb"])
def test_no_command_of_a_claim_runs_the_notebook(path: str) -> None:
    text = (FIXTURES / "features" / "disabled_feature_toggle" / "bad.py").read_text()
    findings = lint(dumped(notebook(text)), path)
    assert {claim.kind for each in findings for claim in each.claims} == {"fast-path"}
    assert [command for each in findings for command in each.commands] == []


@pytest.mark.parametrize(
    "comment",
    ["# noqa: ROC501", "# rocmlint: ignore[ROC501] x", "# rocmlint: ignore[sync-in-training-loop]"],
)
def test_comments_in_cells_hide(comment: str) -> None:
    assert found(dumped(notebook("import torch", f"{WAIT}  {comment}"))) == []


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
    assert f"train.ipynb;linenumber={line};code=" in reported(project, "azure")
    assert f"train.ipynb:{line}: [W(ROC501), " in reported(project, "pylint")
    (diagnostic,) = json.loads(reported(project, "rdjson"))["diagnostics"]
    assert diagnostic["location"]["range"] == {"start": {"line": line}}
    assert "suggestions" not in diagnostic
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


def test_what_a_notebook_says_between_its_code_is_kept() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Setup\n", "In the image:\n"]},
        {"cell_type": "markdown", "source": "Then:"},
        {"cell_type": "markdown", "source": 3},
        {"cell_type": "raw", "source": "nothing"},
        {"cell_type": "code", "source": "x = 1"},
    ]
    read_in = read(json.dumps({"cells": cells}).encode())
    assert read_in.prose == ("# Setup\nIn the image:\n", "Then:", "")
    assert read_in.text == "x = 1\n"
