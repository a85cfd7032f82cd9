"""What fixes and comments that are put into notebooks leave as it was."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.errors import RewriteError
from rocmlint.notebook.read import read, with_lines
from rocmlint.notebook.write import put_back
from tests.support.notebooks import SYNC, TRAINING, cell, dumped, notebook, slow

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project


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
    unused = "# rocmlint: ignore[ROC501]"
    data = dumped(notebook("import torch", cell([unused]), unused, "x"))
    after = json.loads(fixed(project, data.encode(), "--fix"))
    assert [each["source"] for each in after["cells"]] == ["import torch", [], "", "x"]


def test_ignore_comments_are_put_into_the_cells(project: Project) -> None:
    cells = ["import torch", cell([*TRAINING[1:], SYNC]), "if x:", cell([*TRAINING[1:], SYNC])]
    after = fixed(project, dumped(notebook(*cells)).encode(), "--add-ignore", "kept")
    comment = "  # rocmlint: ignore[ROC501] kept"
    cells[1] = cells[3] = cell([*TRAINING[1:], SYNC + comment])
    assert after.decode() == dumped(notebook(*cells))


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


@pytest.mark.parametrize("text", ["a\rb\n", "a\r\n", "a"])
def test_what_would_not_be_read_again_is_refused(text: str) -> None:
    with pytest.raises(RewriteError, match="cannot be written back unchanged"):
        put_back(dumped(notebook("x")).encode(), text)


def test_lines_that_a_cell_has_lost_are_one_empty_line() -> None:
    assert with_lines("\f\f\f\nx\n\f\f\f\n") == "\n\f\f\f\nx\n\f\f\f\n\n"
