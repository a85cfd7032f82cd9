"""Pieces of a file: they hold what they must, and stand where LibCST says they stand."""

from __future__ import annotations

import tokenize
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from rocmlint.source.python import Source
from rocmlint.syntax.positions import Positions
from rocmlint.syntax.unparsable import UnparsableError
from rocmlint.syntax.walk import walk, with_parents
from rocmlint.text.text import Span, decode

STANDARD_LIBRARY = sorted(Path(tokenize.__file__).parent.glob("*.py"))[::9]

TRAINER = '''\
import torch


@torch.no_grad()
class Trainer:
    """Trains.

x = 1
    """

    # Set by the launcher.
    world_size = 1

    @property
    def rank(self):
        return 0

    def step(self, batch):
        loss = self.model(
            batch
        )
        return loss


def main(): Trainer().step(None)
'''


def around(text: str, needle: str) -> str:
    source = Source("train.py", text, place="train.py")
    return source.pieces.around(text.index(needle)).module.code


def test_a_method_is_cut_out_with_the_line_of_its_class() -> None:
    assert around(TRAINER, "self.model").startswith(
        "@torch.no_grad()\nclass Trainer:\n    def step"
    )


def test_decorators_stay_with_their_method() -> None:
    assert "@property\n    def rank" in around(TRAINER, "return 0")


def test_a_hit_in_the_head_of_a_class_takes_the_whole_class() -> None:
    code = around(TRAINER, "Trainer:")
    assert "def rank" in code
    assert "def step" in code


def test_a_line_inside_a_string_is_no_border() -> None:
    assert "x = 1" in around(TRAINER, "Trains.")


def test_what_cannot_be_cut_is_parsed_in_a_larger_piece() -> None:
    text = 'class Report:\n    text = f"""\n    rank {rank}\n    """\n    rank = 0\n'
    assert around(text, "rank {") == text


def test_what_continues_a_statement_stays_with_it() -> None:
    text = "if values:\n    pass\nelse:\n    print(values)\n"
    assert around(text, "print") == text


@pytest.mark.parametrize(
    "inside", ["f(1)\n", "[\nf(1)]\n", "'('\n", "f'({1}'\n", "# (\n1\n", "f(1)\n.g(\n2)\n"]
)
def test_a_line_in_brackets_begins_no_statement(inside: str) -> None:
    first = f"values = g(\n{inside})\n"
    assert around(f"{first}x = h(1)\n", inside) == first
    assert around(f"{first}x = h(1)\n", "h(") == "x = h(1)\n"


def test_tabs_behind_blanks_are_parsed_as_python_does() -> None:
    text = "def f(m):\n    if m:\n        if m.a:\n    \t    m.float()\n    return m\n"
    source = Source("train.py", text, place="train.py")
    (call,) = calls(source, text.index("m.float"))
    assert source.span(call) == Span(4, 10, 4, 19)


def test_tabs_that_python_refuses_are_refused() -> None:
    text = "def f(m):\n        if m:\n\t        return m\n\tm.float()\n"
    with pytest.raises(UnparsableError):
        _ = Source("train.py", text, place="train.py").module


def test_a_file_that_is_no_python_says_where() -> None:
    source = Source("broken.py", "import torch\ndef (:\n", place="broken.py")
    with pytest.raises(UnparsableError) as caught:
        source.pieces.around(14)
    assert caught.value.line == 2


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 5000 + ")" * 5000,
        "x = a" + ".b()" * 5000,
        "x = " + "lambda: " * 5000 + "1",
        "x = " + "-" * 5000 + "1",
        "x = a" + " and a" * 50_000,
        "import a" + ".a" * 5000,
        "if a:\n    pass\n" + "elif a:\n    pass\n" * 50_000,
    ],
    ids=["brackets", "calls", "lambdas", "signs", "and", "import", "elif"],
)
def test_what_would_overflow_the_stack_of_the_parser_is_refused(text: str) -> None:
    source = Source("deep.py", text, place="deep.py")
    with pytest.raises(UnparsableError, match=r"deep|long"):
        source.pieces.around(0)


@pytest.mark.parametrize("pattern", ["[" * 30 + "]" * 30, "{1: " * 15 + "x" + "}" * 15])
def test_a_pattern_that_would_keep_the_parser_busy_for_ever_is_refused(pattern: str) -> None:
    source = Source("deep.py", f"match x:\n    case {pattern}:\n        pass\n", place="deep.py")
    with pytest.raises(UnparsableError, match="nested too deep") as caught:
        source.pieces.around(0)
    assert caught.value.line == 2


def test_patterns_as_people_write_them_are_parsed() -> None:
    pattern = 'Call(func=Attribute(value=Name(id="torch")), args=[Constant(value={"a": [x]})])'
    text = f"match node:\n    case {pattern}:\n        pass\n    case (a):\n        pass\n"
    assert around(text, "Call") == text


@pytest.mark.slow
@pytest.mark.parametrize("path", STANDARD_LIBRARY, ids=lambda path: path.name)
def test_positions_equal_those_of_libcst(path: Path) -> None:
    text = decode(path.read_bytes())
    source = Source(path.name, text, place=path.name, whole=True)
    places = MetadataWrapper(source.module, unsafe_skip_copy=True).resolve(PositionProvider)
    for node in [*walk(source.module)][1:]:  # the end of a module may be after its last line end
        start, end = places[node].start, places[node].end
        assert source.span(node) == (start.line, start.column + 1, end.line, end.column + 1)


ODD = [
    "if a:\n  b\nelif c: d\nelse:\n    if e:\n        f\n    g\nh",
    "try:\n    a\nexcept A:\n    b\nexcept (B,\n    C):\n    c\nelse:\n    d\nfinally:\n    e\n",
    "match a:\n  case 1:\n      b\n  case c if d:\n      # e\n\n      f\n",
    'if a:\n    f"""\n    {b}\n    c (\n    """\n    d\n# e\n    f(  # g\n    h)\n',
    'if a:\n  b = """\n  c"""; d = \\\n  e\n  @f(\n  g)\n\n  # h\n  def i(): return j\n',
    "class A(B,\n    C):\n\n    # d\n    def e(self):\n        g\n    class H:\n        i\n",
    "while a:\n\tb\n\tif c:\n\t\td\n\t  \n",
]


@pytest.mark.parametrize("text", ODD)
def test_a_position_is_the_same_whichever_is_asked_first(text: str) -> None:
    source = Source("a.py", text)
    for offset in range(len(text)):
        piece = source.pieces.around(offset)
        parents = with_parents(piece.module)
        blocks = piece.positions.stretches
        everything = Positions(piece.module, blocks, source.made_of[0], {})
        for node in parents:
            alone = Positions(piece.module, blocks, source.made_of[0], parents)
            assert alone.of(node) == everything.of(node)


@pytest.mark.slow
@pytest.mark.parametrize("path", STANDARD_LIBRARY, ids=lambda path: path.name)
def test_nodes_of_pieces_stand_where_they_stand_in_the_whole_file(path: Path) -> None:
    text = decode(path.read_bytes())
    cut = Source(path.name, text, place=path.name)
    whole = Source(path.name, text, place=path.name, whole=True)
    expected = {tuple(whole.span(node)) for node in calls(whole, 0)}
    offsets = range(0, len(text), 997)
    found = {tuple(cut.span(node)) for offset in offsets for node in calls(cut, offset)}
    assert found <= expected


def calls(source: Source, offset: int) -> list[cst.Call]:
    module = source.pieces.around(offset).module
    return [node for node in walk(module) if isinstance(node, cst.Call)]


@pytest.mark.slow
@pytest.mark.parametrize("path", STANDARD_LIBRARY, ids=lambda path: path.name)
def test_the_walk_meets_the_same_nodes_as_a_visitor_of_libcst(path: Path) -> None:
    module = cst.parse_module(decode(path.read_bytes()))
    visited: list[cst.CSTNode] = []

    class Visitor(cst.CSTVisitor):
        def on_visit(self, node: cst.CSTNode) -> bool:
            visited.append(node)
            return True

    module.visit(Visitor())
    kinds = (cst.Call, cst.Attribute, cst.Name, cst.SimpleString, cst.ImportFrom, cst.Arg)
    walked = [node for node in walk(module) if isinstance(node, kinds)]
    # A visitor sees copies of the nodes, so their number and kinds are compared.
    assert sorted(type(node).__name__ for node in walked) == sorted(
        type(node).__name__ for node in visited if isinstance(node, kinds)
    )
    assert all(node in with_parents(module) for node in walked[:50])
