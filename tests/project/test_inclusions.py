"""Files of requirements that include others, by whatever name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.project.inclusions import Listed, parts_of, with_inclusions
from rocmlint.source.python import Source

if TYPE_CHECKING:
    from pathlib import Path


def read_all(files: dict[str, str], first: str = "requirements.txt") -> list[tuple[str, bool]]:
    """Return the names that are read, in order, and whether each is a constraint."""
    own = Listed(first, parts_of(first, files[first]))
    found = with_inclusions([own], lambda path: files.get(path, ""))
    return [(each.path, each.constraint) for each in found]


def test_each_file_is_read_once_and_circles_end() -> None:
    files = {
        "requirements.txt": "-r base.txt\n-r more.txt\n",
        "base.txt": "-r requirements.txt\n-r ./more.txt\n",
        "more.txt": "-r base.txt\n",
    }
    assert [path for path, _ in read_all(files)] == ["requirements.txt", "base.txt", "more.txt"]


def test_what_a_constraint_includes_is_a_constraint_too() -> None:
    files = {"requirements.txt": "-c pins.txt\n", "pins.txt": "-r inner.txt\n"}
    assert read_all(files)[1:] == [("pins.txt", True), ("inner.txt", True)]


def test_paths_are_those_beside_the_file_that_includes() -> None:
    files = {"requirements.txt": "-r sub/a.txt\n", "sub/a.txt": "-r b.txt\n-r ../c.txt\n"}
    assert [path for path, _ in read_all(files)[1:]] == ["sub/a.txt", "sub/b.txt", "c.txt"]


def test_nothing_is_read_from_the_network() -> None:
    files = {"requirements.txt": "-r https://example.org/requirements.txt\n"}
    assert [path for path, _ in read_all(files)] == ["requirements.txt"]


def test_a_chain_without_end_ends() -> None:
    def read(path: str) -> str:
        return f"-r {path}x\n"

    assert (
        len(list(with_inclusions([Listed("a", parts_of("requirements.txt", "-r b"))], read))) < 50
    )


@pytest.mark.parametrize("listed", ["base.txt", "deps/all-requirements.txt", "pins"])
@pytest.mark.parametrize("option", ["-r ", "-c ", "--requirement="])
def test_an_included_pin_is_the_version_that_the_project_runs_with(
    tmp_path: Path, listed: str, option: str
) -> None:
    (tmp_path / listed).parent.mkdir(exist_ok=True)
    (tmp_path / "requirements.txt").write_text(f"{option}{listed}\n")
    (tmp_path / listed).write_text("transformers==4.48.1\n")
    source = Source(str(tmp_path / "job.py"), "import transformers\n")
    assert [str(each.version) for each in source.versions("transformers")] == ["4.48.1"]
