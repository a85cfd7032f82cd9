"""Templates of ``rocmlint rule --new``: a rule that works, and the fixtures that show it."""

from __future__ import annotations

from typing import NamedTuple

from rocmlint.version import __version__


class _Kind(NamedTuple):
    """The differences between rules that look at different things."""

    runtime: str
    """Names to import in addition to ``Fix``."""
    types: str
    base: str
    on: str
    check: str
    suffix: str
    language: str
    bad: str
    good: str


_FROM_RULE = "from rocmlint.rule import {}"
_CST = "import libcst as cst\n\n"
_TYPES = "    from rocmlint.rule import {}"
_PYTHON = ("py", "python")
_FINDING = """\
            fix = Fix("Use new_name", (@FILE@.replace({0}, {1}),))
            help = "Use `new_name`."
            yield self.finding({0}, @FILE@, "`old_name` is used", help=help, fix=fix)"""

_KINDS = {
    "call": _Kind(
        _CST + _FROM_RULE.format("Fix, PythonRule, calls"),
        _TYPES.format("Finding, Source"),
        'PythonRule["cst.Call"]',
        'calls("old_name")',
        '''\
    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find calls of `old_name`, also of methods."""
        name = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
        if isinstance(name, cst.Name) and name.value == "old_name":
'''
        + _FINDING.format("name", '"new_name"'),
        *_PYTHON,
        "value = old_name(3)",
        "value = new_name(3)",
    ),
    "attribute": _Kind(
        _FROM_RULE.format("Fix, PythonRule, attributes"),
        "    import libcst as cst\n\n" + _TYPES.format("Finding, Source"),
        'PythonRule["cst.Attribute"]',
        'attributes("old_name")',
        '''\
    def check(self, node: cst.Attribute, source: Source) -> Iterator[Finding]:
        """Find `.old_name`."""
        if node.attr.value == "old_name":
'''
        + _FINDING.format("node.attr", '"new_name"'),
        *_PYTHON,
        "value = config.old_name",
        "value = config.new_name",
    ),
    "comment": _Kind(
        _FROM_RULE.format("Fix, PythonRule, comments"),
        _TYPES.format("Comment, Finding, Source"),
        'PythonRule["Comment"]',
        r'comments(r"\bold_name\b", words=("old_name",))',
        '''\
    def check(self, node: Comment, source: Source) -> Iterator[Finding]:
        """Find comments with `old_name`."""
        changed = node.text.replace("old_name", "new_name")
        if changed != node.text:
'''
        + _FINDING.format("node", "changed"),
        *_PYTHON,
        "value = 3  # as old_name says",
        "value = 3  # as new_name says",
    ),
    "command": _Kind(
        _FROM_RULE.format("Fix, PartRule, commands"),
        _TYPES.format("Command, File, Finding"),
        'PartRule["Command"]',
        'commands("old_name", described="commands with `old_name`")',
        '''\
    def check(self, node: Command, file: File) -> Iterator[Finding]:
        """Find the word `old_name`."""
        for word in (each for each in node.words if each.text == "old_name"):
'''
        + _FINDING.format("word", '"new_name"'),
        "sh",
        "shell",
        "old_name --steps 3",
        "new_name --steps 3",
    ),
}
KINDS = tuple(_KINDS)
"""The kinds of nodes that a new rule can look at."""

_RULE = '''\
"""@CODE@, @NAME@."""

from __future__ import annotations

from typing import TYPE_CHECKING

@RUNTIME@

if TYPE_CHECKING:
    from collections.abc import Iterator

@TYPES@


class @CLASS@(@BASE@):
    """`old_name` is used.

    ## Why it matters
    Say what goes wrong, for a reader who has never heard of it.

    ## Example
    ```@LANGUAGE@
    @BAD@
    ```

    ## Use instead
    ```@LANGUAGE@
    @GOOD@
    ```

    ## Fix safety
    Unsafe: say what the fix could break.
    """

    code = "@CODE@"
    name = "@NAME@"
    since = "@VERSION@"
    severity = "warning"
    on = @ON@

@CHECK@
'''


def rule_text(code: str, name: str, kind: str) -> str:
    """Return the file of a new rule."""
    about = _KINDS[kind]
    values = {
        "CHECK": about.check,
        "RUNTIME": about.runtime,
        "TYPES": about.types,
        "BASE": about.base,
        "ON": about.on,
        "FILE": "source" if about.base.startswith("Python") else "file",
        "LANGUAGE": about.language,
        "BAD": about.bad,
        "GOOD": about.good,
        "CLASS": "".join(each.capitalize() for each in name.split("-")),
        "NAME": name,
        "CODE": code,
        "VERSION": __version__,
    }
    text = _RULE
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


def fixture_texts(code: str, kind: str) -> dict[str, str]:
    """Return the fixtures of a new rule, by their names."""
    about = _KINDS[kind]
    return {
        f"bad.{about.suffix}": f"{about.bad}  # expect: {code}\n",
        f"fixed.{about.suffix}": f"{about.good}\n",
        f"good.{about.suffix}": f"{about.good}\n",
    }
