"""ROC316, misread-switch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    Fix,
    PythonRule,
    argument,
    calls,
    compile_lazily,
    constant,
    fitted,
    last_name,
    string_value,
    walk,
)

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_GETTERS = frozenset({"os.environ.get", "os.getenv"})
_OFF = frozenset({"0", "false", "no", "off", "n", "f", "disabled"})
_ON = frozenset({"1", "true", "yes", "on", "y", "t", "enabled"})
_ASKS_PRESENCE = compile_lazily(r"(?:^|_)(?:has|set|present|given|provided|available)(?:_|$)")
_WORDS = "|".join(sorted(_OFF | _ON))
_GIVES_WORD = compile_lazily(
    rf"""(?i)[,=(][\s\\(]*(?:#.*\n[\s\\(]*)*(?:[rbu]*["']+(?:{_WORDS})["']|(?:[01]|True|False)\b)"""
)
"""A word or number for on or off, as an argument."""
_NAMED = (compile_lazily(r"environ\b(?<!\wenviron)"), compile_lazily(r"getenv\b(?<!\wgetenv)"))
_CALLED = compile_lazily(r"(?:environ\b[\s\\]*\.[\s\\]*get|getenv)\b[\s\\)]*\(")
_READ_AS_TEXT = compile_lazily(
    r"""\((?:[^()\"'\n#]|"[^"\n\\]*"|'[^'\n\\]*')*\)[ \t]*"""
    r"""(?:\.[ \t]*\w|[!=]=[ \t]*[rRbBuU]?[\"']|(?:not[ \t]+)?in\b)"""
)
"""Calls on one line of which more than the truth counts."""
_USED_OTHERWISE = compile_lazily(r"environ\b[\s\\]*(?:\[|\.[\s\\]*(?!get\b))")
_LONGEST = 500
"""Characters of a call in which its default is looked for."""
_READ_AS_WORD = '{}.lower() in {{"1", "true", "yes", "on"}}'


@dataclass(frozen=True, eq=False)
class Switch:
    """A call that reads a variable, and the expression of which only the truth counts.

    ``default`` is the word that it is without the variable: a text, or ``True``, ``False``, ``0``
    or ``1``. ``tested`` is the call, ``bool(…)`` around it, or a name that holds it; ``constant``
    is what a text is compared with that no text is equal to.
    """

    call: cst.Call
    variable: str
    default: str
    is_text: bool
    tested: cst.BaseExpression
    constant: str = ""


def asks_presence(switch: Switch, source: Source) -> bool:
    """Names that say whether a variable is set: `has_token = bool(os.getenv("TOKEN", False))`."""
    statement = source.enclosing(switch.call, cst.Assign, cst.AnnAssign)
    targets: list[cst.BaseExpression] = []
    if isinstance(statement, cst.Assign):
        targets = [each.target for each in statement.targets]
    elif isinstance(statement, cst.AnnAssign):
        targets = [statement.target]
    return any(_ASKS_PRESENCE.search((last_name(each) or "").lower()) for each in targets)


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    """Find where a variable may be read with a word for on or off, or its reader gets a name."""
    text = source.text
    for name in _NAMED:  # one after the other: a fixed beginning is found ten times faster
        for named in name.finditer(text):
            if _may_misread(named, text):
                yield named


def _may_misread(named: re.Match[str], text: str) -> bool:
    called = _CALLED.match(text, named.start())
    if called is None:
        return _USED_OTHERWISE.match(text, named.start()) is None
    opening = called.end() - 1
    if _READ_AS_TEXT.match(text, opening):
        return False
    return _GIVES_WORD.search(text, opening, opening + _LONGEST) is not None


class MisreadSwitch(PythonRule["cst.Call"]):
    """Environment switch turns on for "0" and "False" too.

    ## Why it matters
    A variable of the environment is text, and every text but the empty one is true.
    ``bool(os.environ.get("USE_FLASH", "False"))`` is true if the variable is "False", is "0", or is
    not set at all, so the fast path, the debug mode or the workaround behind it cannot be switched
    off. A text is never equal to ``True`` or ``1`` either, so ``== 1`` cannot be switched on.

    Only what is plainly a switch is reported: its default is a word or number for on or off, and
    nothing but its truth is used.

    ## Example
    ```python
    import os

    use_flash = bool(os.environ.get("USE_FLASH", "False"))
    ```

    ## Use instead
    ```python
    import os

    use_flash = os.environ.get("USE_FLASH", "False").lower() in {"1", "true", "yes", "on"}
    ```

    ## Fix safety
    Unsafe: whoever sets another word than those four to switch it on has to change that.

    ## References
    - https://docs.python.org/3/library/os.html#os.environ
    - https://docs.python.org/3/library/stdtypes.html#truth-value-testing
    """

    code = "ROC316"
    name = "misread-switch"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test"})
    on = calls("get", "getenv", words=("environ", "getenv"), suspects=_suspects)
    excuses = (asks_presence,)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find variables of which only the truth counts, where that of a word was meant."""
        switch = _switch(node, source)
        if switch is not None and not self.is_excused(switch, source):
            message, advice = _words(switch)
            yield self.finding(node, source, message, help=advice, fix=_as_word(switch, source))


def _switch(call: cst.Call, source: Source) -> Switch | None:
    """Return a call that reads a switch in the wrong way, None for all else."""
    if source.resolve(call.func) not in _GETTERS:
        return None
    variable = string_value(argument(call, 0, "key"))
    given = argument(call, 1, "default")
    text = string_value(given)
    default = text if text is not None else _number(given)
    if variable is None or default is None or default.lower() not in _OFF | _ON:
        return None
    compared = _compared_with(call, source)
    if compared:
        # `os.getenv("DEBUG", False) is False` asks whether it is set.
        is_fault = compared != default
        return (
            Switch(call, variable, default, text is not None, call, compared) if is_fault else None
        )
    tested = _tested(call, source)
    if tested is None:
        return None
    # `if os.getenv("DEBUG", False)` asks whether it is set as often as not.
    if default == "False" and text is None and not _is_bool(tested, source):
        return None
    return Switch(call, variable, default, text is not None, tested)


def _number(value: cst.BaseExpression | None) -> str | None:
    if isinstance(value, cst.Integer):
        return value.value
    name = constant(value)
    return None if name == "None" else name


def _compared_with(call: cst.Call, source: Source) -> str:
    """Return the constant that a variable is compared with and no text is equal to, else ""."""
    comparison = source.parent(call)
    if not isinstance(comparison, cst.Comparison) or comparison.left is not call:
        return ""
    first = comparison.comparisons[0]
    is_equality = isinstance(first.operator, (cst.Equal, cst.NotEqual, cst.Is, cst.IsNot))
    return (_number(first.comparator) or "") if is_equality else ""


def _tested(call: cst.Call, source: Source) -> cst.BaseExpression | None:
    """Return the expression of which only the truth counts: the call, or what holds its value."""
    argument_of = source.parent(call)
    around = source.parent(argument_of) if isinstance(argument_of, cst.Arg) else None
    if isinstance(around, cst.Call):
        return around if _is_bool(around, source) else None
    if _is_tested(call, source):
        return call
    uses = _uses(call, source)
    if uses and all(_is_tested(each, source) for each in uses):
        return uses[0]
    return None


def _is_bool(node: cst.CSTNode, source: Source) -> bool:
    return isinstance(node, cst.Call) and source.resolve(node.func) == "bool"


def _is_tested(node: cst.BaseExpression, source: Source) -> bool:
    """Return whether only the truth of an expression counts where it stands."""
    below: cst.CSTNode = node
    for above in source.ancestors(node):
        if isinstance(above, cst.UnaryOperation):
            return isinstance(above.operator, cst.Not)
        if isinstance(above, (cst.If, cst.IfExp, cst.While, cst.Assert)):
            return above.test is below
        if isinstance(above, cst.Arg):
            call = source.parent(above)
            return call is not None and _is_bool(call, source)
        if isinstance(above, cst.CompIf):
            return True
        if not isinstance(above, cst.BooleanOperation):
            return False
        below = above
    return False


def _uses(call: cst.Call, source: Source) -> list[cst.Name]:
    """Return where the name is used that alone holds what a call gives."""
    statement = source.parent(call)
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target = statement.targets[0].target
    elif isinstance(statement, cst.AnnAssign):
        target = statement.target
    else:
        return []
    if not isinstance(target, cst.Name) or source.enclosing(call, cst.ClassDef) is not None:
        return []
    if len(source.bindings(target.value, call)) != 1:
        return []
    scope = source.function(call) or source.module
    line = source.span(target).line
    found = [
        each
        for each in walk(scope)
        if isinstance(each, cst.Name)
        and each.value == target.value
        and source.span(each).line != line
        and not _is_no_use(each, source)
    ]
    return found if all(_is_bound_at(line, each, source) for each in found) else []


def _is_no_use(name: cst.Name, source: Source) -> bool:
    """Return whether a name is that of an attribute or an argument: ``args.debug``, ``debug=``."""
    above = source.parent(name)
    if isinstance(above, cst.Attribute):
        return above.attr is name
    return isinstance(above, cst.Arg) and above.keyword is name


def _is_bound_at(line: int, name: cst.Name, source: Source) -> bool:
    bound = [source.span(each.node).line for each in source.bindings(name.value, name)]
    return bound == [line]


def _words(switch: Switch) -> tuple[str, str]:
    name = switch.variable
    advice = (
        f'Compare the text: `os.environ.get("{name}", "{_as_text(switch)}") == "1"`, or look for '
        "it among the words for on."
    )
    if switch.constant:
        message = fitted("`{}` is text, which is never equal to `{}`", name, switch.constant)
    elif switch.is_text and switch.default.lower() in _OFF:
        message = fitted(
            '`{}` is on even if it is not set: the text "{default}" is true',
            name,
            default=switch.default,
        )
    else:
        message = fitted('`{}` is on even if it is set to "0" or "False", which are true', name)
    return message, advice


def _as_text(switch: Switch) -> str:
    return "1" if switch.default.lower() in _ON else "0"


def _as_word(switch: Switch, source: Source) -> Fix | None:
    """Return the fix that looks for words for on, where the whole test stands at one place."""
    tested = switch.tested
    if switch.constant or isinstance(tested, cst.Name):
        return None
    if isinstance(source.parent(tested), (cst.BinaryOperation, cst.Comparison, cst.Attribute)):
        return None
    text = source.text_of(switch.call)
    if not switch.is_text:
        given = argument(switch.call, 1, "default")
        if given is None:
            return None
        written = source.text_of(given)
        head, _, tail = text.rpartition(written)
        text = f'{head}"{_as_text(switch)}"{tail}'
    edit = source.replace(tested, _READ_AS_WORD.format(text))
    return Fix("Look for a word for on", (edit,))
