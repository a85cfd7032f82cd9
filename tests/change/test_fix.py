"""Fixing text and files: whole fixes, none that overlap, nothing lost, nothing half done."""

from __future__ import annotations

import ast
import errno
import os
import re
import shutil
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.change.change import diff, write
from rocmlint.change.fix import apply_fixes, fix_bytes, fix_text, without_losses
from rocmlint.findings import Edit, Finding, Fix
from rocmlint.text.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from rocmlint.change.change import Change

Replacement = tuple[int, int, str]


def place(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n") + 1, offset - before.rfind("\n")


def finding(text: str, *replacements: Replacement, safe: bool = True, title: str = "") -> Finding:
    """Make a finding whose fix replaces ranges of offsets."""
    edits = tuple(
        Edit(*place(text, start), *place(text, end), new) for start, end, new in replacements
    )
    span = (*place(text, replacements[0][0]), *place(text, replacements[0][1]))
    fix = Fix(title, edits, safe=safe)
    return Finding("train.py", *span, "ROC402", "whole-model-cast", "…", fix=fix)


def replacing(
    pattern: str, replacement: str, *, safe: bool = True
) -> Callable[[str], list[Finding]]:
    """Make a linter that finds a pattern and replaces it."""
    return lambda text: [
        finding(text, (match.start(), match.end(), match.expand(replacement)), safe=safe)
        for match in re.finditer(pattern, text)
    ]


HALF = replacing(r"\.half\(\)", ".bfloat16()")


def lint_bytes(data: bytes) -> list[Finding]:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return HALF(re.sub("\r\n?", "\n", text.removeprefix("\ufeff")))


def fixed(data: bytes, lint: Callable[[bytes], Sequence[Finding]] = lint_bytes) -> Change:
    return fix_bytes("train.py", data, lint, unsafe=False)


# One round


def test_fixes_are_applied_where_they_point() -> None:
    text = "unet.half()\nvae.half()\n"
    assert apply_fixes(text, HALF(text), unsafe=False).text == "unet.bfloat16()\nvae.bfloat16()\n"


def test_unsafe_fixes_wait_to_be_asked_for() -> None:
    text = "unet.half()\n"
    found = replacing("half", "float", safe=False)(text)
    assert apply_fixes(text, found, unsafe=False) == (text, [])
    assert apply_fixes(text, found, unsafe=True) == ("unet.float()\n", found)


def test_of_touching_fixes_only_the_earlier_is_applied() -> None:
    text = "unet.half().cuda()\n"
    second = finding(text, (11, 18, ""))
    first = finding(text, (4, 11, ""))
    assert apply_fixes(text, [second, first], unsafe=False) == ("unet.cuda()\n", [first])


def test_the_edits_of_a_fix_are_applied_together_or_not_at_all() -> None:
    text = "import torch\nmodel = load()\nmodel.half()\n"
    load, half = text.index("load()"), text.index("half()")
    cast = finding(text, (load, load + 6, "load(dtype)"), (half, half + 6, "eval()"))
    other = finding(text, (half, half + 4, "float"))
    assert apply_fixes(text, [other, cast], unsafe=False) == (
        "import torch\nmodel = load(dtype)\nmodel.eval()\n",
        [cast],
    )


def test_a_fix_whose_own_edits_overlap_is_left_out() -> None:
    text = "unet.half()\n"
    assert apply_fixes(text, [finding(text, (0, 6, "a"), (4, 9, "b"))], unsafe=True).text == text


@pytest.mark.parametrize("was", ["vae.half()", "unet.half", "u net.half()x", "", "unet.half()\n"])
def test_no_edit_is_made_where_other_code_stands(was: str) -> None:
    text = "unet.half()\n"
    found = [with_was(finding(text, (0, 11, "unet.float()")), was)]
    outcome = fix_text("train.py", text, found, lambda _: found, unsafe=False)
    assert (outcome.text, outcome.settled, outcome.left) == (text, [], found)
    assert (
        outcome.problem == "not fixed: ROC402 on line 1: the code there does not match the finding"
    )


@pytest.mark.parametrize(
    "text", ["unet.half()\n", "unet\x0c.\thalf( )\n", "unet.\\\n  half()\n", "unet.half(\n)\n"]
)
def test_other_blanks_are_the_same_code(text: str) -> None:
    found = [with_was(finding(text, (0, len(text) - 1, "unet.float()")), "unet.half()")]
    assert apply_fixes(text, found, unsafe=False).text == "unet.float()\n"


def with_was(found: Finding, was: str) -> Finding:
    assert found.fix is not None
    edits = tuple(replace(edit, was=was) for edit in found.fix.edits)
    return replace(found, fix=replace(found.fix, edits=edits))


def test_a_fix_that_two_findings_share_is_applied_once() -> None:
    text = "unet.half()\n"
    both = [finding(text, (0, 0, "# cast\n")), finding(text, (0, 0, "# cast\n"))]
    assert apply_fixes(text, both, unsafe=False) == ("# cast\nunet.half()\n", both)


def test_the_last_line_can_be_removed_with_and_without_its_end() -> None:
    for text in ("load()\nunet.half()\n", "load()\nunet.half()"):
        gone = Finding(
            "train.py", 2, 1, 2, 12, "ROC402", "whole-model-cast", "…",
            fix=Fix("", (Edit(2, 1, 3, 1, ""),), safe=True),
        )  # fmt: skip
        assert apply_fixes(text, [gone], unsafe=False).text == "load()\n"


@st.composite
def texts_with_fixes(draw: st.DrawFn) -> tuple[str, list[Finding]]:
    text = draw(st.text(alphabet="ab.(\n é", max_size=40))
    offset = st.integers(0, len(text))
    pair = st.tuples(offset, offset).map(sorted)
    replacement = st.builds(lambda bounds, new: (*bounds, new), pair, st.text("xy\n", max_size=3))
    fixes = st.builds(
        lambda edits, safe, title: finding(text, *edits, safe=safe, title=title),
        st.lists(replacement, min_size=1, max_size=3),
        st.booleans(),
        st.sampled_from("pqr"),
    )
    return text, draw(st.lists(fixes, max_size=6))


def ranges(text: str, found: Finding) -> list[Replacement]:
    assert found.fix is not None
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return sorted(
        (
            starts[e.line - 1] + e.column - 1,
            starts[e.end_line - 1] + e.end_column - 1,
            e.replacement,
        )
        for e in found.fix.edits
    )


@given(texts_with_fixes(), st.booleans(), st.randoms())
def test_a_round_applies_as_many_whole_fixes_as_do_not_touch(
    case: tuple[str, list[Finding]], unsafe: bool, random: object
) -> None:
    text, found = case
    after, applied = apply_fixes(text, found, unsafe=unsafe)

    chosen = {each.fix: ranges(text, each) for each in applied}
    taken = sorted(replacement for replacements in chosen.values() for replacement in replacements)
    expected = text
    for start, end, new in reversed(taken):
        expected = expected[:start] + new + expected[end:]
    assert after == expected
    for (fix, one), (other_fix, other) in (
        (a, b) for a in chosen.items() for b in chosen.items() if a[0] != b[0]
    ):
        assert fix != other_fix
        assert not any(a[0] <= b[1] and b[0] <= a[1] for a in one for b in other)
    random.shuffle(found)  # type: ignore[attr-defined]
    assert apply_fixes(text, found, unsafe=unsafe).text == after


# Comments


def is_kept(text: str, replacement: Replacement) -> bool:
    return without_losses(finding(text, replacement), Text(text)).fix is not None


@pytest.mark.parametrize(
    ("text", "replacement"),
    [
        ("load(\n    path,  # the patched one\n)\n", "load(path)"),
        ("load(  # here\n    path,\n)\n", "load(path)"),
    ],
)
def test_a_fix_that_would_delete_a_comment_is_left_out(text: str, replacement: str) -> None:
    assert not is_kept(text, (0, len(text) - 1, replacement))


def test_a_fix_that_keeps_the_comment_stays() -> None:
    text = "load(\n    path,  # the patched one\n)\n"
    assert is_kept(text, (0, len(text) - 1, "load(path)  # the patched one"))


def test_a_fix_about_a_comment_may_take_it_away() -> None:
    text = "load(path)  # noqa: ROC101\n"
    assert is_kept(text, (10, 26, ""))


def test_a_hash_inside_a_string_is_no_comment() -> None:
    text = 'load("#1")\n'
    assert is_kept(text, (0, 10, "load()"))


# Until nothing is left


def test_fixes_that_make_room_for_others_are_followed() -> None:
    result = fix_text(
        "a.py", "a.half().half().half()\n", HALF("a.half().half().half()\n"), HALF, unsafe=True
    )
    assert result.text == "a.bfloat16().bfloat16().bfloat16()\n"
    assert (len(result.settled), result.left, result.problem) == (3, [], None)


def test_fixes_that_undo_each_other_come_to_an_end_and_are_named() -> None:
    def lint(text: str) -> list[Finding]:
        return [*replacing("half", "float")(text), *replacing("float", "half")(text)]

    result = fix_text("a.py", "a.half()\n", lint("a.half()\n"), lint, unsafe=False)
    assert result.text == "a.half()\n"
    assert result.problem == "the fixes did not converge after 10 rounds"


def test_a_result_that_cannot_be_parsed_is_refused() -> None:
    lint = replacing(r"half\(\)", "half((")
    result = fix_text("a.py", "a.half()\n", lint("a.half()\n"), lint, unsafe=False)
    assert (result.text, result.settled) == ("a.half()\n", [])
    assert result.problem == "fixes for ROC402 were not applied: the result cannot be parsed"
    assert len(result.left) == 1


def test_what_cannot_be_parsed_is_not_fixed() -> None:
    text = "a.half()\nif:\n"
    result = fix_text("a.py", text, HALF(text), HALF, unsafe=False)
    assert result.text == text
    assert result.problem == "fixes for ROC402 were not applied: it cannot be parsed"


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
    assert script.stat() == before


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


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs the program patch")
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
    command = ["patch", "-p0", "--binary", "--quiet"]
    subprocess.run(command, cwd=script.parent, input=diff(change), check=True)
    assert script.read_bytes() == change.after


def test_fixed_python_stays_python() -> None:
    ast.parse(fixed(b"def f():\n    return a.half()\n").after)
