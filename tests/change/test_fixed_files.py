"""Fixes in files: bytes and encodings, modes and links, and what goes wrong on a disk."""

from __future__ import annotations

import ast
import errno
import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.change.change import diff, write
from rocmlint.change.fix import fix_bytes
from rocmlint.findings import Finding
from tests.support.fixes import finding, fixed, lint_bytes, replacing
from tests.support.tools import program

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.change.change import Change


# Bytes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a.half()\r\nb()\r\n", b"a.bfloat16()\r\nb()\r\n"),
        (b"a.half()\rb()\r", b"a.bfloat16()\rb()\r"),
        (b"a.half()\nb()", b"a.bfloat16()\nb()"),
        (b"b()\n\na.half()", b"b()\n\na.bfloat16()"),
        (b"\xef\xbb\xbfa.half()\n", b"\xef\xbb\xbfa.bfloat16()\n"),
        (b"a()\r\nb.half()\nc()\nd()\r\n", b"a()\r\nb.bfloat16()\nc()\nd()\r\n"),
        (
            b"# coding: latin-1\n# gr\xfc\xdfe\na.half()\n",
            b"# coding: latin-1\n# gr\xfc\xdfe\na.bfloat16()\n",
        ),
        ("# 模型\na.half()\n".encode(), "# 模型\na.bfloat16()\n".encode()),
        (b"", b""),
    ],
)
def test_encoding_byte_order_mark_and_line_ends_stay(before: bytes, after: bytes) -> None:
    assert fixed(before).after == after


def test_new_lines_end_as_most_lines_do() -> None:
    lint = replacing(r"a\.half\(\)", "a.bfloat16()\nreport()")
    change = fixed(b"a.half()\nb()\r\nc()\r\nd()\n\r\n", lambda data: lint(data.decode()))
    assert change.after == b"a.bfloat16()\nreport()\r\nb()\r\nc()\r\nd()\n\r\n"


def test_a_character_that_the_encoding_lacks_is_refused() -> None:
    lint = replacing("half", "half # …")
    data = b"# coding: latin-1\na = half\n"
    change = fixed(data, lambda data: lint(data.decode("latin-1")))
    assert change.after == data
    assert change.problem == (
        "train.py: not changed: the change needs '\\u2026', which iso-8859-1 cannot encode"
    )
    assert (change.settled, change.left) == ((), change.found)


def test_a_fix_that_hides_the_encoding_is_refused() -> None:
    def lint(data: bytes) -> list[Finding]:
        return [finding(data.decode("latin-1"), (0, 0, "import torch\nimport os\n"))]

    data = b"# coding: latin-1\na.half()  # \xfc\n"
    change = fixed(data, lint)
    assert (change.after, change.left) == (data, change.found)
    assert "cannot be written back unchanged" in (change.problem or "")


def test_a_file_that_cannot_be_decoded_stays_as_it_is() -> None:
    data = b"# coding: utf-8\na.half()  # \xff\n"
    change = fixed(data, lambda _: [])
    assert (change.after, change.problem) == (data, None)


@given(st.lists(st.sampled_from(["a()", "b.half()", "", "  # ü"]), min_size=1), st.data())
def test_lines_without_a_fix_keep_their_bytes(lines: list[str], data: st.DataObject) -> None:
    ends = [data.draw(st.sampled_from(["\n", "\r\n", "\r"])) for _ in lines]
    before = "".join(line + end for line, end in zip(lines, ends, strict=True))
    if "\r" in ends and "\n" in ends:  # "\r" and then "\n" would be one end
        before = before.replace("\r\n", "\n").replace("\r", "\n").replace("\n", ends[0])
    assert fixed(before.encode()).after.decode() == before.replace(".half()", ".bfloat16()")


# Files


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_bytes(b"a.half()\n")
    return path


def fix_file(path: Path) -> Change:
    return write(fix_bytes(str(path), path.read_bytes(), lint_bytes, unsafe=False))


def test_a_fixed_file_keeps_its_mode(script: Path) -> None:
    script.chmod(0o751)
    fix_file(script)
    assert script.read_bytes() == b"a.bfloat16()\n"
    assert script.stat().st_mode & 0o777 == 0o751
    assert os.listdir(script.parent) == ["train.py"]


def test_a_link_stays_a_link(script: Path) -> None:
    link = script.with_name("link.py")
    link.symlink_to("train.py")
    fix_file(link)
    assert link.is_symlink()
    assert script.read_bytes() == b"a.bfloat16()\n"


def test_a_file_that_needs_no_fix_is_not_written(script: Path) -> None:
    script.write_bytes(b"a()\n")
    before = script.stat()
    fix_file(script)
    after = script.stat()
    # Not the whole stat: reading sets st_atime.
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_file_that_somebody_changed_meanwhile_is_left_alone(script: Path) -> None:
    change = fix_bytes(str(script), script.read_bytes(), lint_bytes, unsafe=False)
    script.write_bytes(b"a.half()\nb()\n")
    assert "changed while rocmlint was running" in (write(change).problem or "")
    assert script.read_bytes() == b"a.half()\nb()\n"


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_the_file_as_it_was(
    script: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    change = fix_file(script)
    assert change.problem == f"{script}: not changed: No space left on device"
    assert (change.settled, len(change.left)) == ((), 1)
    assert script.read_bytes() == b"a.half()\n"
    assert os.listdir(script.parent) == ["train.py"]


def test_ctrl_c_leaves_the_file_as_it_was(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fix_file(script)
    assert script.read_bytes() == b"a.half()\n"
    assert os.listdir(script.parent) == ["train.py"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_file_is_left_alone(script: Path) -> None:
    script.chmod(0o444)
    assert "Permission denied" in (fix_file(script).problem or "")
    assert script.read_bytes() == b"a.half()\n"


@pytest.mark.parametrize(
    "data",
    [
        b"a.half()\n",
        b"a.half()",
        b"a()\r\nb.half()\r\n",
        b"# coding: latin-1\n# \xfc\na.half()\n",
        b"a.half()\n\x0c\nb()\n",
    ],
)
def test_patch_takes_the_diff(script: Path, data: bytes) -> None:
    change = fixed(data)
    script.write_bytes(data)
    command = [program("patch"), "-p0", "--binary", "--quiet"]
    subprocess.run(command, cwd=script.parent, input=diff(change), check=True)
    assert script.read_bytes() == change.after


def test_fixed_python_stays_python() -> None:
    ast.parse(fixed(b"def f():\n    return a.half()\n").after)
