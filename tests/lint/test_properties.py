"""Code that nobody wrote: no rule crashes on it, and no shortcut changes what is found."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesmith
import libcst as cst
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocmlint.change.fix import fix_text
from rocmlint.config.settings import Settings
from rocmlint.lint.check import check
from rocmlint.lint.first_sight import Opened
from rocmlint.lint.linter import Linter
from rocmlint.lint.scan import Scanner
from rocmlint.lint.selection import enabled_rules
from rocmlint.source.python import Source
from rocmlint.syntax.unparsable import UnparsableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.findings import Finding

pytestmark = pytest.mark.slow

FIXTURES = Path(__file__).parents[2] / "fixtures"
SETTINGS = Settings(preview=True)
RULES = enabled_rules(SETTINGS)
SCANNER = Scanner(RULES)
LINTER = Linter(SETTINGS)

few = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def pieces_of_fixtures() -> Iterator[tuple[str, str]]:
    """Yield the statements of all fixtures, each with the imports of its file."""
    for path in sorted(FIXTURES.glob("*/*/*.py")):
        text = path.read_text()
        lines = text.splitlines()
        try:
            body = ast.parse(text).body
        except SyntaxError:
            continue  # wrong on purpose
        imports: list[str] = []
        others: list[str] = []
        for node in body:
            first = min(each.lineno for each in [node, *getattr(node, "decorator_list", [])])
            is_import = isinstance(node, (ast.Import, ast.ImportFrom))
            kept = imports if is_import else others
            kept.append("\n".join(lines[first - 1 : node.end_lineno]))
        needed = [each for each in imports if not each.startswith("from __future__")]
        yield from (("\n".join(needed), each) for each in others)


FRAGMENTS = list(pieces_of_fixtures())
"""Code in which rules have much to say."""
HEADERS = (
    "if torch.version.hip:",
    "if (found := find()) is not None:",
    "def run(self, model, batch):",
    "async def run(model, *, dtype=torch.bfloat16):",
    "def run[T: (int, str)](model: T) -> T:",
    "@property\n@cache(\n    size=1,\n)\ndef step(self):",
    "class Trainer:",
    "class Trainer[T](\n    Base,  # of ours\n    metaclass=Meta,\n):",
    '@register("trainer")\n# comment\n\nclass Trainer(Base): # noqa: E261',
    "for batch in loader:",
    "while True:",
    "with open(path) as file, \\\n  lock:",
    "async with lock:",
)
TAILS = {
    "if": ("", "\nelse:\n    pass", "\nelif x:\n    pass\nelse: y()"),
    "for": ("", "\nelse:\n    pass"),
    "while": ("", "\nelse:\n    pass"),
}
HANDLERS = ("except Exception:", "except (A, B) as error:", "finally:")
BETWEEN = (
    "",
    "\n\n",
    "# a comment about torch.cuda.synchronize()",
    '"""A string with code:\n\nimport torch\nclass Trainer:\n    def step(self):\n"""',
    "message = f'''\n{torch.__version__}\nimport torch\n# no comment'''",
    "total = 1 + \\\n2",
    "\\",
    "  \\\npass",
    "\\\n\\\npass",
    "\x0cpass",
    "total\t=\x0c1\t+\t2\x0c",
    "from\ttransformers\timport\tAutoModelForVision2Seq",
    "values = [\n1, 2,  # the first two\n]",
    "\x0c",
    "type Pair[T] = tuple[T, T]",
    "match batch:\n    case {'image': [first, *_]} if x: pass\n    case A(b=0) | None: pass",
    "x = 1; y = 2;",
    "if x: y = 2; z = 3",
    "def f(): return 1",
    "class A: x = 1; y = 2",
    "try: pass\nexcept* ValueError: pass",
    "print(*args, sep='''\n''')  # rocmlint: ignore[ROC999]",
)
ENDS = ("\n", "", "\n    ", "\\\n", "  # end")


@st.composite
def wrapped(draw: st.DrawFn, inner: str) -> str:
    """Put code below a header, indented in one of the ways that Python allows."""
    unit = draw(st.sampled_from(("    ", "  ", " ", "\t", "        ")))
    body = textwrap.indent(f"{inner}\npass", unit)
    header = draw(st.sampled_from((*HEADERS, "try:", "match batch:")))
    if header == "try:":
        return f"try:\n{body}\n{draw(st.sampled_from(HANDLERS))}\n{unit}pass"
    if header == "match batch:":
        return f"match batch:\n{unit}case [x, *_]:\n{textwrap.indent(body, unit)}"
    return f"{header}\n{body}{draw(st.sampled_from(TAILS.get(header.split()[0], ('',))))}"


@st.composite
def modules(draw: st.DrawFn) -> str:
    """Put statements of fixtures together, some inside others, with odd things between them."""
    parts = []
    for imports, fragment in draw(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=5)):
        own = draw(st.booleans())
        part = f"{imports}\n{fragment}" if own else fragment
        for _ in range(draw(st.sampled_from((0, 0, 1, 1, 2, 3)))):
            before, after = draw(st.tuples(st.sampled_from(BETWEEN), st.sampled_from(BETWEEN)))
            part = draw(wrapped(f"{before}\n{part}\n{after}"))
        parts += [part if own else f"{imports}\n{part}", draw(st.sampled_from(BETWEEN))]
    return "\n".join(parts) + draw(st.sampled_from(ENDS))


def findings_agree(text: str) -> None:
    whole = Source("job.py", text, place="job.py", whole=True)
    try:
        expected = check(whole, RULES, shortcuts=False)
    except UnparsableError:
        return
    cut = Source("job.py", text, place="job.py")
    assert check(cut, SCANNER.scan_python(text.encode()).rules) == expected
    seen = LINTER.first_sight("job.py", text.encode())
    assert isinstance(seen, Opened) or not expected


@given(st.deferred(hypothesmith.from_grammar))  # to read the grammar takes seconds
@settings(few, max_examples=40)  # to make one takes long
def test_generated_modules_give_the_same_with_and_without_shortcuts(text: str) -> None:
    findings_agree(text.replace("\r\n", "\n").replace("\r", "\n"))


@given(modules())
@few
def test_rearranged_fixtures_give_the_same_with_and_without_shortcuts(text: str) -> None:
    findings_agree(text)


def found(text: str) -> Sequence[Finding]:
    return LINTER.lint_text("job.py", text).findings


def fixed(text: str) -> str:
    return fix_text("a.py", text, found(text), found, unsafe=True).text


def parses(text: str) -> bool:
    try:
        cst.parse_module(text)
    except cst.ParserSyntaxError:
        return False
    return True


@given(modules())
@few
def test_fixes_come_to_an_end_and_leave_python(text: str) -> None:
    after = fixed(text)
    assert fixed(after) == after
    assert parses(after) == parses(text)


@given(modules(), st.sampled_from(("\r\n", "\r")), st.sampled_from((b"", b"\xef\xbb\xbf")))
@few
def test_line_ends_and_a_byte_order_mark_change_no_finding(
    text: str, end: str, mark: bytes
) -> None:
    data = mark + text.replace("\n", end).encode()
    assert LINTER.lint("job.py", data).findings == found(text)


@given(st.binary())
@few
def test_any_bytes_are_linted_or_reported(data: bytes) -> None:
    assert LINTER.lint("job.py", data).problems in ((), [])


@given(st.text(st.sampled_from("()[]{}'\"\\#\n :=.,@x1 \tdefclassifortrywhile")))
@settings(max_examples=300, deadline=None)
def test_any_text_is_linted_or_reported(text: str) -> None:
    assert LINTER.lint_text("job.py", text).problems in ((), [])
