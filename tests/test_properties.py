"""Code that nobody wrote: no rule crashes on it, and no shortcut changes what is found."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesmith
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocmlint.config import Settings
from rocmlint.lint.analyse import Linter
from rocmlint.lint.check import check
from rocmlint.lint.fix import fix_text
from rocmlint.lint.pieces import UnparsableError
from rocmlint.lint.scan import Scanner
from rocmlint.lint.source import Source
from rocmlint.selection import enabled_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Finding

FIXTURES = Path(__file__).parent.parent / "fixtures"
SETTINGS = Settings(preview=True)
RULES = enabled_rules(SETTINGS)
SCANNER = Scanner(RULES)
LINTER = Linter(SETTINGS)

few = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def top_level_statements() -> Iterator[str]:
    """Yield the statements of all fixtures: code in which rules have much to say."""
    for path in sorted(FIXTURES.glob("*/*/*.py")):
        text = path.read_text()
        lines = text.splitlines()
        try:
            body = ast.parse(text).body
        except SyntaxError:
            continue  # wrong on purpose
        for node in body:
            decorators = getattr(node, "decorator_list", [])
            first = min(each.lineno for each in [node, *decorators])
            yield "\n".join(lines[first - 1 : node.end_lineno])


FRAGMENTS = [each for each in top_level_statements() if not each.startswith("from __future__")]
WRAPPERS = (
    ("", 0, ""),
    ("if torch.version.hip:\n", 1, ""),
    ("def run(self, model, batch):\n", 1, ""),
    ("class Trainer:\n    @property\n    def step(self):\n", 2, ""),
    ("try:\n", 1, "\nexcept Exception:\n    pass"),
    ("for batch in loader:\n", 1, "\n    loss.backward()"),
    ("with open(path) as file:\n", 1, "\nx = 1; y = 2"),
)


@st.composite
def modules(draw: st.DrawFn) -> str:
    """Put statements of fixtures together, some inside others."""
    parts = []
    for fragment in draw(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=6)):
        before, depth, after = draw(st.sampled_from(WRAPPERS))
        parts.append(before + textwrap.indent(fragment, depth * "    ") + after)
    return "\n\n".join(parts) + "\n"


def findings_agree(text: str) -> None:
    try:
        cut = check(Source("job.py", text, place="job.py"), SCANNER.scan(text.encode()))
        source = Source("job.py", text, place="job.py", whole=True)
        whole = check(source, RULES, shortcuts=False)
    except UnparsableError:
        return
    assert cut == whole


@given(hypothesmith.from_grammar())
@few
def test_generated_modules_give_the_same_with_and_without_shortcuts(text: str) -> None:
    findings_agree(text.replace("\r\n", "\n").replace("\r", "\n"))


@given(modules())
@few
def test_rearranged_fixtures_give_the_same_with_and_without_shortcuts(text: str) -> None:
    findings_agree(text)


def found(text: str) -> Sequence[Finding]:
    return LINTER.analyse_text("job.py", text).findings


def fixed(text: str) -> str:
    return fix_text(text, found(text), found, unsafe=True).text


@given(modules())
@few
def test_fixes_come_to_an_end_and_leave_python(text: str) -> None:
    after = fixed(text)
    assert fixed(after) == after
    try:
        ast.parse(text)
    except SyntaxError:
        return
    ast.parse(after)


@given(st.binary())
@few
def test_any_bytes_are_linted_or_reported(data: bytes) -> None:
    assert LINTER.analyse("job.py", data).problems in ((), [])


@given(st.text(st.sampled_from("()[]{}'\"\\#\n :=.,@x1 \tdefclassifortrywhile")))
@settings(max_examples=300, deadline=None)
def test_any_text_is_linted_or_reported(text: str) -> None:
    assert LINTER.analyse_text("job.py", text).problems in ((), [])
