"""A release: versions agree, notes come from the changelog, workflows hold together."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from rocmlint.formats import FORMATS, format_of
from rocmlint.lint.discovery.discover import is_linted
from rocmlint.version import __version__
from tools import release

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

CHANGELOG = """\
# Changelog

## [Unreleased]

- Not yet.

## [0.2.0] - 2027-01-31

### Added

- A thing.

## [0.1.0]

- Without a date.

[0.2.0]: https://github.com/rocmlint/rocmlint/releases/tag/v0.2.0
"""


def test_the_extension_has_the_version_of_the_package() -> None:
    assert set(release.versions(ROOT).values()) == {__version__}


def test_the_notes_are_the_section_of_the_version() -> None:
    assert release.notes(CHANGELOG, "0.2.0") == "### Added\n\n- A thing."


@pytest.mark.parametrize("version", ["0.1.0", "Unreleased", "0.3.0"])
def test_a_version_without_a_dated_section_has_no_notes(version: str) -> None:
    assert release.notes(CHANGELOG, version) is None


def test_a_version_that_the_files_do_not_state_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert release.main(["99.0.0"]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert f"src/rocmlint/version.py says {__version__}" in told.err
    assert "CHANGELOG.md has no section '## [99.0.0] - YYYY-MM-DD'" in told.err


# Workflows


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: str(path.name))
def test_an_action_is_pinned_to_a_commit_and_says_its_version(path: Path) -> None:
    for line in re.findall(r"uses: (.*)", path.read_text()):
        # Its maintainers advise this branch, which they move with each release.
        is_pinned = re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)
        assert is_pinned or line == "pypa/gh-action-pypi-publish@release/v1", line


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: str(path.name))
def test_a_workflow_may_only_read_unless_a_job_says_why(path: Path) -> None:
    workflow: dict[str, Any] = yaml.safe_load(path.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    may_write = {
        (path.name, name, scope)
        for name, job in workflow["jobs"].items()
        for scope, access in job.get("permissions", {}).items()
        if access == "write"
    }
    assert may_write <= {
        ("docs.yml", "publish", "contents"),
        ("release.yml", "pypi", "id-token"),
        ("release.yml", "github", "contents"),
    }


def test_nothing_is_published_before_everything_has_passed() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())["jobs"]
    assert set(jobs["pypi"]["needs"]) == {"build", "test", "extension"}
    assert jobs["github"]["needs"] == "pypi"
    assert all(jobs[each]["if"] == "github.ref_type == 'tag'" for each in ("pypi", "github"))


# The extension


def test_the_samples_of_the_extension_have_a_file_of_each_format() -> None:
    """Its own tests hold that VS Code sends each of them to the server."""
    samples = json.loads((EXTENSION / "test" / "samples.json").read_text())
    formats = {found.name for each in samples if (found := format_of(each)) is not None}
    assert formats == {each.name for each in FORMATS}
    assert [each for each in samples if not (is_linted(each) or each.endswith(".md"))] == []
