"""Files in memory answer as the same files do on disk."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.disk.files import ON_DISK
from rocmlint.disk.memory import InMemory, Missing
from rocmlint.disk.state import modules_below, requirements_below, texts_with

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rocmlint.disk.files import Files

CONTENTS = {
    "train.py": b"import torch\n",
    "requirements.txt": b"torch==2.4.1\n",
    "src/model/__init__.py": b"",
    "src/model/layers.py": b"import torch.nn\n",
    "src/.hidden/x.py": b"",
    "docs/LICENSE": b"MIT",
}
EMPTY = "src/empty"


@pytest.fixture
def both(tmp_path: Path) -> tuple[str, InMemory]:
    """Write the files to a folder, and put them into memory at the same paths."""
    for name, data in CONTENTS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / EMPTY).mkdir()
    held = {str(tmp_path / name): memoryview(data) for name, data in CONTENTS.items()}
    return str(tmp_path), InMemory(held, [str(tmp_path / EMPTY)])


def entries(files: Files, path: str) -> list[tuple[str, str, bool, bool, bool]]:
    return sorted(
        (each.name, each.path, each.is_dir(), each.is_file(), each.is_symlink())
        for each in files.entries(path)
    )


def walked(files: Files, path: str) -> list[tuple[str, list[str], list[str]]]:
    return sorted((top, sorted(inner), sorted(names)) for top, inner, names in files.walk(path))


QUESTIONS: dict[str, Callable[[Files, str], Any]] = {
    "exists": lambda files, path: files.exists(path),
    "is a file": lambda files, path: files.is_file(path),
    "is a folder": lambda files, path: files.is_folder(path),
    "size": lambda files, path: files.size(path) if files.is_file(path) else None,
    "content": lambda files, path: files.read(path),
    "beginning": lambda files, path: files.start_of(path, 4),
    "names": lambda files, path: sorted(files.names_in(path)),
    "entries": entries,
    "walk": walked,
    "modules": lambda files, path: modules_below(path, files).paths,
    "requirements": lambda files, path: requirements_below(path, files).paths,
    "texts": lambda files, path: texts_with(modules_below(path, files).paths, ["torch"], files),
}
PATHS = ("", *CONTENTS, "src", "src/", "src/../train.py", "src/./model", EMPTY, "nothing", "src/no")


def answer(question: Callable[[Files, str], Any], files: Files, path: str) -> Any:
    try:
        return question(files, path)
    except OSError:
        return OSError


@pytest.mark.parametrize("asked", QUESTIONS)
def test_every_question_has_the_answer_of_the_disk(asked: str, both: tuple[str, InMemory]) -> None:
    root, memory = both
    question = QUESTIONS[asked]
    for path in (os.path.join(root, each) for each in PATHS):
        assert answer(question, memory, path) == answer(question, ON_DISK, path), path


def test_what_is_on_disk_beside_is_not_there(both: tuple[str, InMemory]) -> None:
    _, memory = both
    assert not memory.exists(__file__)
    assert not memory.exists(os.path.relpath(__file__))
    assert answer(QUESTIONS["content"], memory, __file__) is OSError


def test_a_file_that_cannot_be_read_is_there_and_says_why() -> None:
    memory = InMemory({"/r/a.py": Missing("has no content")})
    assert memory.is_file("/r/a.py")
    with pytest.raises(OSError, match="has no content"):
        memory.read("/r/a.py")


def test_a_file_beyond_the_limit_is_refused_as_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    for files in (ON_DISK, InMemory({str(path): b"12345"})):
        with pytest.raises(OSError, match=r"larger than 4e-06 MB"):
            files.read(str(path), 4)


def test_a_path_of_very_many_folders_is_entered() -> None:
    path = "/r/" + "d/" * 5000 + "a.py"
    assert InMemory({path: b"1"}).exists(path)
