"""What is told of a file from its text alone, before anything of it is parsed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocmlint.config.configuration import Configuration
from rocmlint.disk.consulted_files import read_among
from rocmlint.disk.disk import Disk
from rocmlint.lint.first_sight import Opened
from rocmlint.lint.linter import Linter
from rocmlint.lint.shared_disk import shared_disk
from rocmlint.source.decoding import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.findings import Finding
    from rocmlint.lint.linter import Analysis


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "requirements.txt").write_text("transformers==4.57.6\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def linter(disk: Disk | None = None) -> Linter:
    return Linter(Configuration({}).settings_for(str(Path.cwd())), disk)


def first_sight(text: str | bytes) -> Analysis | None:
    data = text if isinstance(text, bytes) else text.encode()
    seen = linter().first_sight(str(Path("job.py").absolute()), data)
    return None if isinstance(seen, Opened) else seen


def findings(text: str, disk: Disk | None = None) -> Sequence[Finding]:
    path = str(Path("job.py").absolute())
    return linter(disk).lint(path, text.encode()).findings


def test_a_file_that_imports_what_is_there_is_done() -> None:
    analysis = first_sight("from transformers import AutoModel\n\nAutoModel.from_pretrained('a')\n")
    assert analysis is not None
    assert not analysis.findings


def test_what_the_answer_rests_on_is_noted() -> None:
    analysis = first_sight("from transformers.utils import TransformersKwargs\n")
    assert analysis is not None
    read = read_among(analysis.consulted, shared_disk(noted=False))
    assert str(Path("requirements.txt").absolute()) in read


def test_a_file_with_a_word_of_another_rule_is_not_done() -> None:
    assert first_sight("from transformers import AutoModel\ntorch.cuda.synchronize()\n") is None


def test_a_file_with_a_statement_that_backslashes_part_is_not_done() -> None:
    assert first_sight("if check_it() or \\\n    True:\n    pass\n") is None


def test_a_file_that_renames_what_a_rule_looks_for_is_not_done() -> None:
    text = "from torch.cuda import synchronize as wait\nfor batch in loader:\n"
    text += "    optimizer.step()\n    wait()\n"
    assert [each.code for each in findings(text)] == ["ROC501"]


def test_a_file_that_cannot_be_decoded_is_not_done() -> None:
    assert first_sight(b"import transformers.utils\n# \xff\n") is None


@pytest.mark.parametrize(
    "text",
    [
        "from transformers.utils import (\n    logging,  # best (by far)\n    LossKwargs,\n)\n",
        "from transformers.utils import logging, \\\n    LossKwargs\n",
        "import os; from transformers.utils import LossKwargs\n",
        "import transformers.utils as them  # all\nfound = them.LossKwargs\n",
        "import transformers\nthem = transformers.utils  # all\nfound = them.LossKwargs\n",
    ],
)
def test_comments_and_continued_lines_hide_no_name(text: str) -> None:
    assert [each.code for each in findings(text)] == ["ROC204"]


@pytest.mark.parametrize(
    "text",
    [
        "TrainingArguments(\n  'a)',  # :)\n  f'{1}',\n  # often\n  evaluation_strategy='no')\n",
        (
            "class Own(  # ours\n  TrainingArguments\n):\n  def __init__(self):\n"
            "    super().__init__(evaluation_strategy='no')\n"
        ),
    ],
)
def test_comments_and_strings_hide_no_keyword(text: str) -> None:
    found = findings(f"from transformers import TrainingArguments\n{text}")
    assert [each.code for each in found] == ["ROC205"]


def test_what_stands_in_a_docstring_or_comment_is_not_reported() -> None:
    example = "from transformers.utils import LossKwargs"
    assert findings(f'import transformers.utils\n"""\n{example}\n"""\n# {example}\n') == []


def test_files_of_one_run_see_the_disk_as_the_first_saw_it() -> None:
    disk, text = Disk(text_of), "from transformers.utils import LossKwargs\n"
    assert findings(text, disk)
    Path("requirements.txt").write_text("transformers==4.50.0\n")
    assert findings(text, disk)
    assert not findings(text)
