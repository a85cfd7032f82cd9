"""Comments that hide findings: flake8's ``noqa`` to the letter, and our own."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, ClassVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rocmlint.change.fix import apply_fixes
from rocmlint.config.settings import Settings
from rocmlint.lint.check import check
from rocmlint.lint.linter import Linter
from rocmlint.lint.suppress import suppress
from rocmlint.rule.page import EXPECT
from rocmlint.rule.registry import load_rules
from rocmlint.rule.rule import Rule
from rocmlint.rule.triggers import calls
from rocmlint.source.python import Source
from rocmlint.testing.fixtures import expected
from tests.support.fixtures import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.findings import Finding
    from rocmlint.rule.registry import RuleType


class CopiedPatch(Rule["cst.Call"]):
    """Every call of ``copy_patch``."""

    code = "ROC110"
    name = "copied-patch"
    since = "0.1.0"
    on = calls("copy_patch")

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find each call."""
        yield self.finding(node, source, "found")


class HalvedModel(Rule["cst.Call"]):
    """Every call of ``half``."""

    code = "ROC410"
    name = "halved-model"
    retired: ClassVar = {"ROC411": "quartered-model"}
    since = "0.1.0"
    on = calls("half")

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find each call."""
        yield self.finding(node, source, "found")


OWN = [rule for rule in load_rules() if rule.code.startswith("ROC9")]
KNOWN: list[RuleType] = [CopiedPatch, HalvedModel, *OWN]


def lint(text: str, *, without: str = "-", noqa: bool = True) -> list[Finding]:
    enabled = [rule(settings={}) for rule in KNOWN if not rule.code.startswith(without)]
    source = Source("patch.py", text)
    return suppress(source, check(source, enabled), enabled, KNOWN, noqa=noqa)


def found(text: str, *, without: str = "-", noqa: bool = True) -> list[tuple[int, str]]:
    return [(each.line, each.code) for each in lint(text, without=without, noqa=noqa)]


def fixed(text: str) -> str:
    for _ in range(5):
        text, applied = apply_fixes(text, lint(text), unsafe=False)
        if not applied:
            break
    return text


# What flake8 hides


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "# NoQA",
        "# noqa: ROC110",
        "# noqa:ROC110",
        "# noqa: ROC1",
        "# noqa: E501,ROC110",
        "# noqa: E501 ROC110 the loader looks there",
        "# type: ignore  # noqa: ROC110",
        "# noqa : ROC410",  # flake8 sees a noqa for everything in these three
        "# noqa:  ROC410",
        "# noqa: copied-patch",
        "# noqa: E501, ROC1",
        "# noqa: ROC110A",
    ],
)
def test_noqa_hides_what_flake8_would_hide(comment: str) -> None:
    assert found(f"copy_patch(path)  {comment}\n") == []


@pytest.mark.parametrize(
    "comment",
    [
        "#noqa: ROC110",
        "#  noqa: ROC110",
        "# noqa: roc110",
        "# noqa: E501",
        "# noqa: E501  # noqa: W291",
        "# flake8: noqa",
        "# flake8: noqa: ROC110",
    ],
)
def test_noqa_does_not_hide_what_flake8_would_show(comment: str) -> None:
    assert (1, "ROC110") in found(f"copy_patch(path)  {comment}\n")


def test_only_the_first_noqa_of_a_line_counts() -> None:
    text = "copy_patch(path)  # noqa: E501  # noqa: ROC110\n"
    assert found(text) == [(1, "ROC110"), (1, "ROC901")]


def test_noqa_stands_on_the_line_where_the_finding_begins() -> None:
    assert found("copy_patch(  # noqa: ROC110\n    path,\n)\n") == []
    assert found("copy_patch(\n    path,\n)  # noqa: ROC110\n") == [(1, "ROC110"), (3, "ROC901")]


def test_noqa_behind_a_string_or_a_backslash_counts_for_all_its_lines() -> None:
    assert found('copy_patch("""\nto\n""")  # noqa: ROC110\n') == []
    assert found("copy_patch( \\\n    path)  # noqa: ROC110\n") == []


def test_noqa_inside_a_string_counts_as_it_does_for_flake8() -> None:
    assert found('copy_patch("# noqa: ROC110")\n') == []


@pytest.mark.parametrize("line", ["# flake8: noqa", "  # FLAKE8=NOQA", "# flake8: noqa: ROC410"])
def test_flake8_noqa_on_a_line_of_its_own_skips_the_file(line: str) -> None:
    assert found(f"import os\n{line}\ncopy_patch(path)\n") == []


def test_without_noqa_only_our_own_comments_hide() -> None:
    text = (
        "# flake8: noqa\n"
        "copy_patch(path)  # noqa: ROC110\n"
        "copy_patch(path)  # noqa\n"
        "copy_patch(path)  # rocmlint: ignore[ROC110]\n"
        "load(path)  # noqa: ROC110\n"
    )
    assert found(text, noqa=False) == [(2, "ROC110"), (3, "ROC110"), (5, "ROC901")]


LINES = st.lists(
    st.sampled_from(
        [
            "copy_patch(path)",
            'half("""',
            '""")',
            "copy_patch( \\",
            "    path,",
            ")",
            "pass",
            "# noqa: ROC1",
            "# noqa:  ROC4",
            "# noqa:ROC110,\tE501",
            "  # noqa: roc410 ROC410",
            "copy_patch(path)  # noqa: X1ROC110",
            "half()  #noqa: ROC410 # NOQA : ROC110",
            'half("# noqa: ROC1")  # noqa',
            "# flake8:noqa:E1",
        ]
    ),
    max_size=8,
)


@given(LINES)
@example(["copy_patch( \\", "# noqa: ROC110", '""")', '""")'])
def test_noqa_agrees_with_flake8_on_any_text(lines: list[str]) -> None:
    processor = pytest.importorskip("flake8.processor")
    violation = pytest.importorskip("flake8.violation")
    options = argparse.Namespace(
        hang_closing=False,
        indent_size=4,
        max_line_length=79,
        max_doc_length=None,
        verbose=0,
        disable_noqa=False,
    )
    rules = [CopiedPatch(settings={}), HalvedModel(settings={})]
    text = "".join(f"{line}\n" for line in lines)
    try:
        compile(text, "patch.py", "exec")
    except SyntaxError:
        return  # flake8 runs no plugin on it
    source = Source("patch.py", text)
    file = processor.FileProcessor("patch.py", options, text.splitlines(keepends=True))
    expected = [
        each
        for each in check(source, rules)
        if not file.should_ignore_file()
        and not violation.Violation(
            each.code, "patch.py", each.line, 1, "", file.noqa_line_for(each.line)
        ).is_inline_ignored(disable_noqa=False)
    ]
    assert suppress(source, check(source, rules), rules, KNOWN) == expected


# What our own comments hide


@pytest.mark.parametrize(
    "selector", ["ROC110", "ROC1", "copied-patch", "ROC110, ROC9", "ROC4,ROC1"]
)
def test_ignore_takes_codes_their_beginnings_and_names(selector: str) -> None:
    text = f"copy_patch(path)  # rocmlint: ignore[{selector}] the loader looks there\n"
    assert (1, "ROC110") not in found(text)


@pytest.mark.parametrize("selector", ["ROC411", "quartered-model"])
def test_a_retired_code_hides_what_its_successor_finds(selector: str) -> None:
    assert found(f"half(model)  # rocmlint: ignore[{selector}] it is small\n") == []


@pytest.mark.parametrize("noqa", [True, False])
def test_a_retired_code_in_noqa_counts_also_below_flake8(noqa: bool) -> None:
    assert found("half(model)  # noqa: ROC411\n", noqa=noqa) == []


@pytest.mark.parametrize("selector", ["ROC", "ALL", "R", "copied", ""])
def test_ignore_must_name_what_it_hides(selector: str) -> None:
    text = f"copy_patch(path)  # rocmlint: ignore[{selector}]\n"
    assert found(text) == [(1, "ROC110"), (1, "ROC902")]


def test_ignore_without_brackets_hides_nothing_and_says_so() -> None:
    text = "copy_patch(path)  # rocmlint: ignore\n"
    assert found(text) == [(1, "ROC110"), (1, "ROC902")]
    assert fixed(text) == text


@pytest.mark.parametrize("line", [0, 1, 2, 3])
def test_ignore_may_stand_on_any_line_of_the_finding(line: int) -> None:
    lines = ["copy_patch(", "    # where to", "    path,", ")"]
    lines[line] += "  # rocmlint: ignore[ROC110]"
    assert found("\n".join(lines)) == []


def test_ignore_does_not_reach_beyond_the_finding() -> None:
    text = "# rocmlint: ignore[ROC110]\ncopy_patch(path)\n"
    assert found(text) == [(1, "ROC901"), (2, "ROC110")]


def test_ignore_file_reaches_everywhere() -> None:
    text = "copy_patch(a)\ncopy_patch(b)\nhalf()\n# rocmlint: ignore-file[copied-patch] old code\n"
    assert found(text) == [(3, "ROC410")]


def test_ignore_inside_a_string_is_no_comment() -> None:
    text = 'copy_patch("# rocmlint: ignore[ROC110]")\n'
    assert found(text) == [(1, "ROC110")]


# Suppressions that hide nothing


@pytest.mark.parametrize(
    "comment",
    ["# noqa: ROC110", "# rocmlint: ignore[copied-patch] why", "# rocmlint: ignore-file[ROC1]"],
)
def test_suppression_that_hides_nothing_is_found_where_it_stands(comment: str) -> None:
    (finding,) = lint(f"load(path)  {comment}\n")
    assert (finding.code, finding.line, finding.column) == ("ROC901", 1, 13)
    assert finding.end_column == 13 + len(comment)


def test_blanket_noqa_and_codes_of_other_tools_are_nobodys_business() -> None:
    assert found("load(path)  # noqa\nload(path)  # noqa: E501, F401\n") == []


@pytest.mark.parametrize("selector", ["ROC110", "ROC1"])
def test_suppression_of_a_rule_that_is_off_is_not_judged(selector: str) -> None:
    assert found(f"load(path)  # noqa: {selector}\n", without="ROC110") == []


def test_suppression_of_unreadable_files_is_not_judged() -> None:
    assert found("load(path)  # rocmlint: ignore-file[ROC900]\n") == []


def test_nothing_is_judged_in_a_file_that_could_not_be_checked() -> None:
    source = Source("patch.py", "load(path  # noqa: ROC110\n")
    enabled = [rule(settings={}) for rule in KNOWN]
    unreadable = next(rule for rule in enabled if rule.code == "ROC900")
    findings = [unreadable.finding(source.written_comments[0], source, "cannot be parsed")]
    assert suppress(source, findings, enabled, KNOWN) == findings


def test_a_file_that_cannot_be_parsed_can_be_suppressed() -> None:
    marked = (BUILT_IN.fixtures / "lint" / "unreadable_file" / "bad.py").read_text()
    text = EXPECT.sub("", marked)
    linter = Linter(Settings())
    found = linter.lint_text("bad.py", text).findings
    assert [(each.line, each.code) for each in found] == [each[:2] for each in expected(marked)]
    ignored = f"{text}# rocmlint: ignore-file[ROC900] a template\n"
    assert linter.lint_text("bad.py", ignored).findings == []


def test_what_is_said_about_suppressions_can_be_suppressed() -> None:
    assert found("load(path)  # noqa: ROC110, ROC901\n") == []
    assert found("load(path)  # rocmlint: ignore[ROC110, unused-suppression]\n") == []
    assert found("load(path)  # noqa: ROC199, ROC902\n") == []


def test_suppression_of_an_unknown_suppression_that_is_not_there_is_unused() -> None:
    assert found("copy_patch(path)  # noqa: ROC110, ROC902\n") == [(1, "ROC901")]


def test_unknown_rule_is_found_and_the_nearest_named() -> None:
    (finding,) = lint("load(path)  # rocmlint: ignore[copied-pach]\n")
    assert finding.code == "ROC902"
    assert finding.message == "Unknown rule `copied-pach`: nothing is suppressed"
    assert finding.help == "Did you mean 'copied-patch'? If not, delete the comment."


def test_unknown_code_in_noqa_is_found_only_if_it_is_ours() -> None:
    assert found("load(path)  # noqa: ROC999\nload(path)  # noqa: X999\n") == [(1, "ROC902")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("load()  # noqa: ROC110\n", "load()\n"),
        ("load()  # noqa: E501, ROC110\n", "load()  # noqa: E501\n"),
        ("load()  # noqa: ROC110,E501 long\n", "load()  # noqa: E501 long\n"),
        ("load()  # noqa: ROC110 ROC999 E501\n", "load()  # noqa: E501\n"),
        ("load()  # noqa: ROC110 - checked above\n", "load()  # checked above\n"),
        ("load()  # noqa: ROC110  # type: ignore\n", "load()  # type: ignore\n"),
        ("load()  # type: ignore  # noqa: ROC110\n", "load()  # type: ignore\n"),
        ("load()  # once  # noqa: ROC110  # twice\n", "load()  # once  # twice\n"),
        ("load()  # rocmlint: ignore[ROC110] see issue #12\n", "load()  # see issue #12\n"),
        ("load()  # rocmlint: ignore[ROC110] why # later\n", "load()  # why  # later\n"),
        (
            "half()  # rocmlint: ignore[ROC110,ROC410] why\n",
            "half()  # rocmlint: ignore[ROC410] why\n",
        ),
        ("# rocmlint: ignore-file[ROC110] why\nload()\n", "# why\nload()\n"),
        ("# rocmlint: ignore-file[ROC110]\nload()\n", "load()\n"),
        ("def load():\n    # noqa: ROC110\n    pass\n", "def load():\n    pass\n"),
        ("load()\n# rocmlint: ignore-file[ROC999]", "load()\n"),
    ],
)
def test_fix_takes_away_only_what_hides_nothing(before: str, after: str) -> None:
    assert fixed(before) == after
    assert lint(after) == []
