"""Fixing text and files: whole fixes, none that overlap, nothing lost, nothing half done."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.change.fix import apply_fixes, fix_text, without_losses
from rocmlint.findings import Edit, Finding, Fix
from rocmlint.text.text import Text
from tests.support.fixes import HALF, Replacement, finding, ranges, replacing

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
