"""Judgements: each finding of the corpus has one, in a file that people write and read."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from benchmarks.ecosystem import corpus, judgements
from benchmarks.ecosystem.__main__ import main
from benchmarks.ecosystem.judgements import Judgement, JudgementError
from rocmlint.rule.registry import load_rules
from tests.benchmarks.test_ecosystem_differences import DROPPED

if TYPE_CHECKING:
    from pathlib import Path

DROPS = """\
from PIL import ImageOps


def load(image):
    ImageOps.exif_transpose(image)
    return image
"""
USEFUL = Judgement("loader==1.0", "load.py", 20, "ROC602", DROPPED.fingerprint, "useful", "true")


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    kept = tmp_path / "judgements.tsv"
    quoted = replace(USEFUL, path="a.py", fingerprint="1" * 16, reason='a "quoted" word')
    judgements.write([USEFUL, quoted], kept)
    assert judgements.read(kept) == {USEFUL.key: USEFUL, quoted.key: quoted}
    assert kept.read_text().splitlines()[1].startswith("loader==1.0\ta.py\t20\tROC602\t1111")


def test_two_judgements_of_one_finding_are_an_error(tmp_path: Path) -> None:
    kept = tmp_path / "judgements.tsv"
    judgements.write([USEFUL, replace(USEFUL, judgement="wrong")], kept)
    with pytest.raises(JudgementError, match="twice"):
        judgements.read(kept)


def test_a_row_names_the_finding_the_word_and_a_reason() -> None:
    row = f"loader==1.0\t{DROPPED.fingerprint}\tuseful\ttrue\n"
    assert [*judgements.judge(row, [DROPPED])] == [USEFUL]


@pytest.mark.parametrize(
    "row",
    [
        f"loader==1.0\t{DROPPED.fingerprint}\tgood\ttrue",
        f"loader==1.0\t{DROPPED.fingerprint}\tuseful\t",
        f"loader==1.0\t{DROPPED.fingerprint}\tuseful",
        "loader==1.0\tnothing\tuseful\ttrue",
    ],
)
def test_a_row_of_another_form_or_about_nothing_is_an_error(row: str) -> None:
    with pytest.raises(JudgementError):
        list(judgements.judge(row, [DROPPED]))


def test_a_reader_sees_the_message_the_help_and_the_code(tmp_path: Path) -> None:
    (tmp_path / "load.py").write_text("".join(f"line {each}\n" for each in range(1, 40)))
    old = replace(USEFUL, line=3, judgement="shrug", reason="a test")
    lines = "\n".join(judgements.for_reader([DROPPED], {"loader==1.0": tmp_path}, [old]))
    assert "## ROC602 exif-transpose-discarded: 1 not judged" in lines
    assert "the turned image is thrown away\n  Assign it." in lines
    assert "\n>    20 | line 20\n     21 | line 21" in lines
    assert "line 13\n" not in lines
    assert "line 3 was shrug: a test" in lines
    assert f"\nloader==1.0\t{DROPPED.fingerprint}\t\n" in lines


def test_in_a_notebook_the_code_is_that_of_the_cell(tmp_path: Path) -> None:
    cells = [{"source": "import torch"}, {"source": ["first\n", "second\n"]}]
    (tmp_path / "load.ipynb").write_text(json.dumps({"cells": cells}))
    finding = replace(DROPPED, path="load.ipynb", cell=2, line=2, end_line=2)
    assert [*judgements.frame(finding, tmp_path)] == ["      1 | first", ">     2 | second"]


def test_the_kept_judgements_are_of_the_corpus_and_of_rules_that_are_on() -> None:
    packages = {each.title for each in corpus.listed(corpus.LISTED)}
    codes = {rule.code for rule in load_rules() if not rule.preview} | {"ROC900"}
    kept = judgements.read(judgements.KEPT).values()
    assert {each.package for each in kept} <= packages
    assert {each.code for each in kept} <= codes
    assert {each.judgement for each in kept} <= set(judgements.WORDS)
    assert [each for each in kept if not each.reason.strip()] == []


class Index:
    """A package index with one package, of which the corpus has the newest file."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.content = b""
        self.folder = folder
        monkeypatch.setattr(corpus, "LISTED", folder / "corpus.tsv")
        monkeypatch.setattr(corpus, "from_index", lambda: lambda *_: self.content)
        monkeypatch.setattr(judgements, "KEPT", folder / "judgements.tsv")
        judgements.write([], judgements.KEPT)

    def publish(self, code: str) -> None:
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w:gz") as made:
            member = tarfile.TarInfo("loader-1.0/load.py")
            member.size = len(code)
            made.addfile(member, io.BytesIO(code.encode()))
        self.content = content.getvalue()
        row = ("loader", "1.0", "loader-1.0.tar.gz", hashlib.sha256(self.content).hexdigest())
        corpus.LISTED.write_text("name\tversion\tfile\tsha256\n" + "\t".join(row) + "\n")

    def run(self, *arguments: str) -> int:
        return main(["--work", str(self.folder / "work"), *arguments])


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    return Index(tmp_path, monkeypatch)


def test_the_check_fails_until_each_finding_is_judged(
    index: Index, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    index.publish(DROPS)
    assert index.run("--check") == 1
    assert "not judged: loader==1.0/load.py:5: ROC602" in capsys.readouterr().out
    assert index.run("--pending") == 0
    (row,) = (each for each in capsys.readouterr().out.splitlines() if each.endswith("\t"))
    (tmp_path / "rows.tsv").write_text(f"{row}useful\tthe turned image is lost\n")
    assert index.run("--judge", str(tmp_path / "rows.tsv")) == 0
    assert index.run("--check") == 0
    assert "1 judgements, 0 findings without one, 0 too many" in capsys.readouterr().out


def test_the_check_fails_where_a_judged_finding_is_gone_until_it_is_dropped(
    index: Index, capsys: pytest.CaptureFixture[str]
) -> None:
    judgements.write([USEFUL], judgements.KEPT)
    index.publish("import torch\n")
    assert index.run("--check") == 1
    assert "no longer found: loader==1.0/load.py:20: ROC602" in capsys.readouterr().out
    assert index.run("--prune") == 0
    assert index.run("--check") == 0


def test_without_an_index_nothing_is_said_to_be_fine(
    index: Index, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fetch(package: str, file: str) -> bytes:
        message = f"no answer for {package} {file}"
        raise corpus.UnreachableError(message)

    index.publish(DROPS)
    monkeypatch.setattr(corpus, "from_index", lambda: fetch)
    assert index.run("--check") == 75
    assert "no answer for loader" in capsys.readouterr().err
