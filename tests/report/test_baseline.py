"""The baseline: old findings stay silent wherever their lines move, new ones are reported."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import validate  # type: ignore[import-untyped]

from rocmlint.errors import ConfigError
from rocmlint.findings import Finding
from rocmlint.report.baseline import Filtered, below, filter_known, write
from rocmlint.report.lines import Lines

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "baseline.json"
SEVERAL = "unet.half()\nvae.half()\nunet.half()\n"


def found_in(text: str, path: str = "train.py") -> list[Finding]:
    return [
        Finding(path, number, 1, number, len(line) + 1, code, "name", "message")
        for number, line in enumerate(text.split("\n"), 1)
        for code, pattern in (("ROC402", r"half"), ("ROC501", r"synchronize"))
        for _ in re.finditer(pattern, line)
    ]


class Project:
    """A folder with one file and a baseline."""

    def __init__(self, folder: Path) -> None:
        self.baseline = str(folder / "baseline.json")
        self.file = str(folder / "train.py")

    def allow(self, text: str) -> int:
        return write(self.baseline, found_in(text, self.file), self._lines(text), below(self.file))

    def lint(self, text: str) -> Filtered:
        return filter_known(
            self.baseline, found_in(text, self.file), self._lines(text), below(self.file)
        )

    def new(self, text: str) -> list[int]:
        return [finding.line for finding in self.lint(text).new]

    def _lines(self, text: str) -> Lines:
        return Lines({self.file: text})


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_what_the_baseline_knows_is_not_reported(project: Project) -> None:
    assert project.allow(SEVERAL) == 3
    assert project.lint(SEVERAL) == ([], [])


@pytest.mark.parametrize(
    "text",
    [
        f"import torch\n\n\n{SEVERAL}",
        SEVERAL.replace("\n", "\n\n"),
        "if fast:\n    unet.half()\n    vae.half()\n    unet.half()\n",
        "unet . half( )\nvae.half()\nunet.half()\n",
        "vae.half()\nunet.half()\nunet.half()\n",
        SEVERAL.replace("vae.half()\n", "vae.half()\nlog()\n"),
    ],
)
def test_findings_stay_known_when_their_lines_move(project: Project, text: str) -> None:
    project.allow(SEVERAL)
    assert project.lint(text) == ([], [])


def test_one_more_of_the_same_is_new_and_is_the_one_that_was_added(project: Project) -> None:
    project.allow("a()\nunet.half()\nb()\n")
    assert project.new("unet.half()\nc()\na()\nunet.half()\nb()\n") == [1]
    assert project.new("a()\nunet.half()\nb()\nd()\nunet.half()\n") == [5]


def test_two_on_one_line_count_twice(project: Project) -> None:
    project.allow("unet.half(); unet.half()\n")
    assert project.new("unet.half(); unet.half()\n") == []
    project.allow("unet.half()\n")
    assert project.new("unet.half(); unet.half()\n") == [1, 1]


def test_a_changed_line_and_another_rule_are_new(project: Project) -> None:
    project.allow("unet.half()\n")
    assert project.new("unet.half(strict)\n") == [1]
    assert project.new("unet.half() ; synchronize()\n") == [1, 1]


def test_entries_that_match_nothing_any_more_are_stale(project: Project) -> None:
    project.allow(SEVERAL)
    assert [entry.code for entry in project.lint("vae.half()\n").stale] == ["ROC402", "ROC402"]


def test_only_what_was_linted_can_be_stale(project: Project) -> None:
    project.allow(SEVERAL)
    folder = os.path.dirname(project.file)
    lines = Lines({})
    assert (
        filter_known(project.baseline, [], lines, below(os.path.join(folder, "other.py"))).stale
        == []
    )
    assert (
        filter_known(project.baseline, [], lines, below(os.path.join(folder, "train"))).stale == []
    )
    assert len(filter_known(project.baseline, [], lines, below(folder)).stale) == 3
    assert len(filter_known(project.baseline, [], lines, below(os.path.dirname(folder))).stale) == 3


def test_writing_keeps_what_it_allows_in_files_that_were_not_linted(project: Project) -> None:
    project.allow(SEVERAL)
    other = os.path.join(os.path.dirname(project.file), "infer.py")
    found = found_in("vae.half()\n", other)
    assert write(project.baseline, found, Lines({other: "vae.half()\n"}), below(other)) == 4
    assert project.lint(SEVERAL) == ([], [])
    assert project.allow("") == 1


def test_paths_are_relative_to_the_baseline_wherever_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").write_text(SEVERAL)
    monkeypatch.chdir(tmp_path)
    write("baseline.json", found_in(SEVERAL, "src/train.py"), Lines(), below("."))
    assert {entry["path"] for entry in stored(tmp_path)["findings"]} == {"src/train.py"}
    monkeypatch.chdir(tmp_path / "src")
    for path in ("train.py", "./train.py", str(tmp_path / "src" / "train.py")):
        assert (
            filter_known("../baseline.json", found_in(SEVERAL, path), Lines(), below(".")).new == []
        )


def stored(folder: Path) -> dict[str, list[dict[str, str]]]:
    content: dict[str, list[dict[str, str]]] = json.loads((folder / "baseline.json").read_text())
    return content


def test_the_file_follows_its_schema_and_is_the_same_each_time(
    project: Project, tmp_path: Path
) -> None:
    project.allow(SEVERAL)
    first = (tmp_path / "baseline.json").read_bytes()
    validate(stored(tmp_path), json.loads(SCHEMA.read_text()))
    write(
        project.baseline,
        found_in(SEVERAL, project.file)[::-1],
        Lines({project.file: SEVERAL}),
        below(project.file),
    )
    assert (tmp_path / "baseline.json").read_bytes() == first
    assert first.count(b"\n") == 8  # an entry a line, so that changes merge
    project.allow("")
    assert stored(tmp_path)["findings"] == []


def test_findings_in_files_that_cannot_be_read_can_be_allowed(project: Project) -> None:
    unreadable = Finding(project.file, 1, 1, 1, 1, "ROC900", "unreadable-file", "message")
    write(project.baseline, [unreadable], Lines(), below(project.file))
    assert filter_known(project.baseline, [unreadable], Lines(), below(project.file)) == ([], [])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "is not valid JSON"),
        ("<<<<<<< HEAD\n{}", "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ("\udcff", "is not valid JSON"),
        ("[]", "has version None"),
        (
            '{"version": 2, "findings": []}',
            "has version 2, but this version of rocmlint reads version 1",
        ),
        ('{"version": 1}', "is damaged"),
        ('{"version": 1, "findings": 3}', "is damaged"),
        ('{"version": 1, "findings": [{"path": "a.py"}]}', "is damaged"),
        ('{"version": 1, "findings": [3]}', "is damaged"),
    ],
)
def test_a_bad_baseline_is_refused_with_its_path_and_what_to_do(
    project: Project, content: str, reason: str
) -> None:
    Path(project.baseline).write_text(content, errors="surrogateescape")
    with pytest.raises(ConfigError) as error:
        project.lint("")
    assert f"baseline {project.baseline} {reason}" in str(error.value)
    assert "recreate it with --write-baseline" in str(error.value)


def test_a_missing_baseline_and_one_that_cannot_be_written_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="create it with --write-baseline"):
        filter_known(str(tmp_path / "none.json"), [], Lines(), below())
    with pytest.raises(ConfigError, match="cannot be written"):
        write(str(tmp_path / "none" / "baseline.json"), [], Lines(), below())


LINE = st.sampled_from(["unet.half()", "vae.half()", "synchronize()", "load()", ""])
TEXT = st.lists(LINE, max_size=12)


@given(TEXT, TEXT, st.data())
def test_inserted_lines_bring_only_their_own_findings(
    tmp_path_factory: pytest.TempPathFactory,
    old: list[str],
    inserted: list[str],
    data: st.DataObject,
) -> None:
    project = Project(tmp_path_factory.mktemp("project"))
    project.allow("\n".join(old))
    at = data.draw(st.integers(0, len(old)))
    result = project.lint("\n".join([*old[:at], *inserted, *old[at:]]))
    assert len(result.new) == len(found_in("\n".join(inserted)))
    assert result.stale == []


@given(TEXT, TEXT)
def test_new_and_stale_make_up_the_difference(
    tmp_path_factory: pytest.TempPathFactory, old: list[str], new: list[str]
) -> None:
    project = Project(tmp_path_factory.mktemp("project"))
    allowed = project.allow("\n".join(old))
    result = project.lint("\n".join(new))
    assert len(found_in("\n".join(new))) - len(result.new) == allowed - len(result.stale)
