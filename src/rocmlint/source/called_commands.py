"""Commands that Python code runs: the words that ``subprocess.run`` and its like are given.

So is the default of a variable that holds a command: ``os.environ.get("TORCH_COMMAND", "pip …")``.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.formats.model import Word
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.formats.scripts.shell.script import commands_of
from rocmlint.formats.scripts.shell.word_list import Item, commands_in, split
from rocmlint.source.environment_defaults import command_default, default_of
from rocmlint.syntax.nodes import argument, constant, joined_strings, string_value
from rocmlint.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.formats.model import Command
    from rocmlint.source.python import Source

_PROCESSES = frozenset(
    f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "Popen")
)
_SHELLS = frozenset(
    {
        "os.system",
        "os.popen",
        "subprocess.getoutput",
        "subprocess.getstatusoutput",
        "asyncio.create_subprocess_shell",
        "get_ipython.system",
    }
)
_SPREAD = "asyncio.create_subprocess_exec"
"""Its words are its arguments."""
_PIP = frozenset({"pip.main", "pip._internal.main", "pip._internal.cli.main.main"})
_FIELD = re.compile(r"\{[^{}]*\}|%(?:\(\w+\))?[sdr]")
"""What ``format`` and ``%`` replace."""
_BRACES = re.compile(r"\{\{|\}\}")
_ESCAPE = re.compile(
    r"\\(?:\n|[\\'\"abfnrtv]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|N\{[^}]*\}|[0-7]{1,3})"
)
_RUNNING = _PROCESSES | _SHELLS | _PIP | {_SPREAD}
_OF_PIP = re.compile(r"(?:--?[a-z][\w-]* )*torch(?:[ =<>~!\[]|\Z)")
"""What ``pip install`` gets where it begins with torch."""
_OF_NOX = {
    "install": ("pip", "install"),
    "conda_install": ("conda", "install"),
    "run": (),
    "run_always": (),
    "run_install": (),
}
"""The methods of a session of nox that run a command, and how that begins."""
_MOST_HOPS = 5
_MOST_ROUNDS = 100


class _Code:
    """The file, and what the variable of a loop around the call holds in one of its rounds."""

    def __init__(self, source: Source, given: Mapping[str, cst.BaseExpression]) -> None:
        self.source = source
        self.given = given

    def value(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """Follow names that are assigned once."""
        for _ in range(_MOST_HOPS):
            if isinstance(node, cst.Name) and node.value in self.given:
                return self.given[node.value]
            value = self.source.value_of(node) or default_of(node, self.source)
            if value is None:
                break
            node = value
        return node


def commands_called(call: cst.Call, source: Source) -> list[Command]:
    """Return the commands that a call runs: none if it runs none that can be told.

    A string for the shell may hold several (``cd x && pip install .``), and so does a loop over
    a list of strings.
    """
    default = command_default(call, source)
    if default is not None:
        return _by_default(default, _Code(source, {}))
    if _function(call, source) not in _RUNNING and not _is_of_nox(call, source):
        return []
    rounds = _rounds(call, source) or [{}]
    return [command for given in rounds for command in _commands(call, _Code(source, given))]


def _by_default(default: cst.BaseExpression, code: _Code) -> list[Command]:
    """Return the command of a variable's default; web UIs leave ``pip install`` away."""
    text = _text(code.value(default), code)
    if text is None:
        return []
    if _OF_PIP.match(text.text):
        start = text.starts[0]
        own = Excerpt.standing_for(code.source, "pip install ", start, start)
        text = Excerpt.joined(code.source, [own, text])
    return commands_of(text, {})


def _rounds(call: cst.Call, source: Source) -> list[dict[str, cst.BaseExpression]]:
    """Return what the variable of the nearest loop that the call uses holds, round by round."""
    used = {node.value for node in walk(call) if isinstance(node, cst.Name)}
    for above in source.ancestors(call):
        if isinstance(above, cst.FunctionDef):
            break
        if not isinstance(above, cst.For) or not isinstance(above.target, cst.Name):
            continue
        name = above.target.value
        values = _Code(source, {}).value(above.iter)
        if name in used and isinstance(values, (cst.List, cst.Tuple, cst.Set)):
            elements = values.elements[:_MOST_ROUNDS]
            return [{name: each.value} for each in elements if string_value(each.value) is not None]
    return []


def _commands(call: cst.Call, code: _Code) -> list[Command]:
    if _is_of_nox(call, code.source):
        return _in_session(call, code)
    function = _function(call, code.source)
    if function in _SHELLS:
        text = argument(call, 0, "cmd") or argument(call, 0, "command")
        return _in_shell(text, code, {}) if text is not None else []
    if function in _PIP:
        pieces = _words(argument(call, 0, "args"), code)
        own = Item(Word("pip", code.source.span(call.func)))
        return commands_in([own, *pieces], code.source.span(call), {}) if pieces else []
    if function == _SPREAD:
        arguments = [each for each in call.args if each.keyword is None]
        pieces = [piece for each in arguments for piece in _element(each, code)]
        return commands_in(pieces, code.source.span(call), _environment(call, code))
    if function not in _PROCESSES:
        return []
    first = argument(call, 0, "args")
    if first is None:
        return []
    return _process(first, call, code)


def _function(call: cst.Call, source: Source) -> str | None:
    func = call.func
    if isinstance(func, cst.Attribute) and isinstance(func.value, cst.Call):
        inner = source.resolve(func.value.func) or ""
        return f"{inner.rpartition('.')[2]}.{func.attr.value}"
    return source.resolve(func)


def _process(first: cst.BaseExpression, call: cst.Call, code: _Code) -> list[Command]:
    variables = _environment(call, code)
    text = _text(code.value(first), code)
    if text is None:
        return commands_in(_words(first, code), code.source.span(call), variables)
    shell = argument(call, None, "shell")
    if shell is not None and constant(shell) != "False":
        return commands_of(text, variables)
    return commands_in(split(text), text.span(), variables)


def _is_of_nox(call: cst.Call, source: Source) -> bool:
    """Return whether a call is one of the session that a function marked ``@nox.session`` gets."""
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value not in _OF_NOX:
        return False
    function = source.function(call) if "nox" in source.text else None
    if function is None or not isinstance(func.value, cst.Name) or not function.params.params:
        return False
    marks = (each.decorator for each in function.decorators)
    names = (source.resolve(mark.func if isinstance(mark, cst.Call) else mark) for mark in marks)
    session = function.params.params[0].name.value
    return func.value.value == session and "nox.session" in names


def _in_session(call: cst.Call, code: _Code) -> list[Command]:
    """Return the command of ``session.install("x")`` or ``session.run("pip", "install", "x")``."""
    method = cst.ensure_type(call.func, cst.Attribute).attr
    place = code.source.span(method)
    own = [Item(Word(each, place, quoted=True)) for each in _OF_NOX[method.value]]
    words = [piece for each in call.args if each.keyword is None for piece in _element(each, code)]
    return commands_in([*own, *words], code.source.span(call), _environment(call, code))


def _in_shell(
    node: cst.BaseExpression, code: _Code, variables: Mapping[str, str | None]
) -> list[Command]:
    text = _text(code.value(node), code)
    return [] if text is None else commands_of(text, variables)


def _environment(call: cst.Call, code: _Code) -> dict[str, str | None]:
    """Return the variables that a call sets with ``env={...}``."""
    node = argument(call, None, "env")
    node = None if node is None else code.value(node)
    variables: dict[str, str | None] = {}
    if isinstance(node, cst.Dict):
        for element in node.elements:
            name = string_value(element.key) if isinstance(element, cst.DictElement) else None
            if name is not None:
                variables[name] = string_value(code.value(element.value))
    return variables


def _words(node: cst.BaseExpression | None, code: _Code) -> list[Item]:
    """Return the words of a list, as far as they are written."""
    if node is None:
        return []
    value = code.value(node)
    if isinstance(value, (cst.List, cst.Tuple)):
        pieces = [piece for each in value.elements for piece in _element(each, code)]
    elif isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Add):
        pieces = [*_operand(value.left, code), *_operand(value.right, code)]
    else:
        pieces = _split(value, code)
    return [*pieces, *_grown(node, code)] if pieces else []


def _operand(node: cst.BaseExpression, code: _Code) -> list[Item]:
    return _words(node, code) or [_unknown(node, code)]


def _split(node: cst.BaseExpression, code: _Code) -> list[Item]:
    """Read ``"pip install x".split()`` and ``shlex.split("…")``."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return []
    if code.source.resolve(node.func) == "shlex.split" and node.args:
        text = _text(code.value(node.args[0].value), code)
    elif node.func.attr.value == "split" and not node.args:
        text = _text(code.value(node.func.value), code)
    else:
        return []
    return [] if text is None else split(text)


def _grown(node: cst.BaseExpression, code: _Code) -> Iterator[Item]:
    """Return a word that stands for what is added to a list after it was made."""
    if isinstance(node, cst.Name):
        name = re.escape(node.value)
        if re.search(
            rf"\b{name}\s*\.\s*(?:append|extend|insert)\b|\b{name}\s*\+=", code.source.code
        ):
            yield _unknown(node, code)


def _element(element: cst.BaseElement | cst.Arg, code: _Code) -> list[Item]:
    starred = isinstance(element, cst.StarredElement)
    if starred or (isinstance(element, cst.Arg) and element.star):
        return _operand(element.value, code)
    node = code.value(element.value)
    if code.source.resolve(node) == "sys.executable":
        return [Item(Word("python", code.source.span(element.value), quoted=True))]
    text = _text(node, code)
    if text is None:
        return [_unknown(element.value, code)]
    return [Item.of(text)]


def _unknown(node: cst.BaseExpression, code: _Code) -> Item:
    return Item(Word(code.source.text_of(node), code.source.span(node), known=False))


# Strings


def _text(node: cst.BaseExpression, code: _Code) -> Excerpt | None:
    """Return the string that an expression is, None if it is none."""
    if isinstance(node, cst.SimpleString):
        return _literal(node, code)
    if isinstance(node, cst.FormattedString):
        return _formatted(node, code)
    if isinstance(node, cst.ConcatenatedString):
        parts = [_text(each, code) for each in joined_strings(node)]
    elif isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
        parts = [_text(code.value(each), code) for each in (node.left, node.right)]
        if parts[0] is None and parts[1] is None:
            return None
        parts = [
            part or _replaced(each, each, code)
            for part, each in zip(parts, (node.left, node.right), strict=True)
        ]
    elif isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Modulo):
        text = _text(code.value(node.left), code)
        return None if text is None else text.with_unknown(_FIELD)
    elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        text = _text(code.value(node.func.value), code)
        is_format = node.func.attr.value == "format"
        return None if text is None or not is_format else text.with_unknown(_FIELD)
    else:
        return None
    found = [part for part in parts if part is not None]
    return Excerpt.joined(code.source, found) if len(found) == len(parts) else None


def _literal(node: cst.SimpleString, code: _Code) -> Excerpt | None:
    if string_value(node) is None:
        return None
    opening = len(node.prefix) + len(node.quote)
    start, end = _offsets(node, code)
    return _unescaped(start + opening, end - len(node.quote), node.prefix, code)


def _unescaped(start: int, end: int, prefix: str, code: _Code) -> Excerpt:
    """Read the inside of a string, from ``start`` to ``end``."""
    written = Excerpt.copied(code.source, code.source.text[start:end], start)
    return written if "r" in prefix.lower() else written.replaced(_ESCAPE, _character)


def _character(match: re.Match[str]) -> str:
    try:
        return str(ast.literal_eval(f'"{match[0]}"'))
    except (ValueError, SyntaxError):  # a named character that is none
        return match[0]


def _formatted(node: cst.FormattedString, code: _Code) -> Excerpt:
    pieces: list[Excerpt] = []
    for part in node.parts:
        if isinstance(part, cst.FormattedStringText):
            text = _unescaped(*_offsets(part, code), node.prefix, code)
            pieces.append(text.replaced(_BRACES, lambda match: match[0][0]))
        else:
            inner = cst.ensure_type(part, cst.FormattedStringExpression).expression
            pieces.append(_replaced(part, inner, code))
    return Excerpt.joined(code.source, pieces)


def _replaced(node: cst.CSTNode, expression: cst.BaseExpression, code: _Code) -> Excerpt:
    """Return what stands at a node for the value of an expression."""
    start, end = _offsets(node, code)
    value = string_value(code.value(expression))
    if code.source.resolve(expression) == "sys.executable":
        value = "python"
    if value is None:
        return Excerpt.copied(code.source, code.source.text[start:end], start, known=False)
    return Excerpt.standing_for(code.source, value, start, end)


def _offsets(node: cst.CSTNode, code: _Code) -> tuple[int, int]:
    span = code.source.span(node)
    return (
        code.source.offset_of(span.line) + span.column - 1,
        code.source.offset_of(span.end_line) + span.end_column - 1,
    )
