"""ROC102, faked-check."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.project.packages import known_packages
from rocmlint.rule import (
    Edit,
    Fix,
    PythonRule,
    compile_lazily,
    constant,
    dotted_text,
    last_name,
    nodes,
    statements,
    string_value,
)
from rocmlint.rule.claims import kernel_package

from ._circumstances import (
    conditions,
    is_answered_elsewhere,
    is_for_cuda_only,
    is_taken_back,
    is_unconditional,
    is_undone,
)
from ._fakes import (
    answer,
    has_made_up_spec,
    is_mock,
    is_stub,
    makes_up_specs,
    passes_checks,
)
from ._patches import (
    PATCH_CHECK,
    PATCH_WORDS,
    Replacement,
    claims_of_check,
    imported_module,
    index_of,
    is_silent,
    logged,
    replacements,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Claim, Finding, Source

_AVAILABILITY = r"is_\w+_available|_\w+_available"
_CHECK = rf"{_AVAILABILITY}|{PATCH_CHECK}|check_\w+"
_FAST_PATH = compile_lazily(r"aiter|causal_conv1d|flash|flex_attention|liger|mamba|triton|xformers")
_FAST_PACKAGES = ("aiter", "apex", "deepspeed", "flash_attn", "triton", "xformers")
_TELLING = compile_lazily(
    r"_?(?:check|has|have|supports?|validate|verify)_\w+"
    r"|\w+_(?:available|installed|patched|supported)|HAS_\w+|\w+_AVAILABLE"
)
_FLAG = compile_lazily(r"_?(?:HAS|HAVE)_\w+|\w+_(?:AVAILABLE|available|INSTALLED)")
_FLAGS = ("HAS_", "HAVE_", "_HAS_", "_HAVE_")
_IMPORT_ERRORS = ("Exception", "ImportError", "ModuleNotFoundError")
_FLAG_AFTER_FAILURE = compile_lazily(
    rf"^except (?:{'|'.join(_IMPORT_ERRORS)}):[ ]*\n[ ]*(?:{'|'.join(_FLAGS)})\w+ = True\b",
    re.MULTILINE,
)
_IMPORTS_PYTEST = compile_lazily(r"^[ \t]*(?:import|from) pytest\b", re.MULTILINE)


class FakedCheck(PythonRule["cst.Assign | cst.Call | cst.BooleanOperation"]):
    """An availability or patch check that is made to pass.

    ## Why it matters
    A check exists because something needs what it checks: patched files of transformers, a
    compiled extension, a new enough version. When the check is replaced by one that says yes, or
    its module by a stub, the program starts and runs the stock code: wrong numbers, or attention
    that is two to four times slower, and nothing says so.

    A check of a fast path that is always answered no (a warning) is the same lie the other way
    round: the fast path stays off on every machine, also on those that have it.

    With ``--preview`` also: checks that end in ``or True``, flags that are set to ``True`` where
    the import has just failed, stub modules with a made-up ``__spec__`` (so that ``find_spec``
    finds them), and checks of a library replaced by a function that does nothing.

    ## Instead
    Find out why the check fails, and mend that: install the patched files or the package, and
    compare ``inspect.getfile`` of a patched class with what you expect. Then delete the fake.

    Not reported: tests, fakes that are taken back (context managers, ``finally``), ``None`` in
    ``sys.modules`` (it blocks an import), functions that a library no longer has
    (``if not hasattr``), what was imported just above, and stubs with a real path, whose
    submodules are real code.

    ## Fix safety
    Taking away ``or True`` is unsafe: the check can fail again, which is the point. The other
    fakes have no fix, since what they hide must be mended first.

    ## Source
    Seed 000, "Never Fake Checks or Disable Features".
    """

    code = "ROC102"
    name = "faked-check"
    since = "0.1.0"
    skips = frozenset({"test"})
    on = (
        nodes(
            "Assign",
            words=("_available =", "_available=", "= lambda", "find_spec =", *PATCH_WORDS),
            where=rf"\.(?<!\bself\.)(?:{_CHECK}|find_spec)(?:\.return_value)?[ \t]*=(?!=)",
            described="assignments to functions that check",
        )
        | nodes(
            "Call",
            words=('_available", ', "_available', ", *PATCH_WORDS),
            where=r"setattr\s*\(",
            described="`setattr` of functions that check",
        )
        | nodes(
            "Assign",
            "Call",
            words=('modules["', "modules['", "modules.update(", "ModuleType", "MagicMock"),
            where=r"modules(?:\[(?!__name__)[^\]\n]*\][ \t]*=(?!=)|\.(?:setdefault|update)\()",
            described="modules put into `sys.modules`",
        )
        | nodes("BooleanOperation", words=("or True",), where=r"\bor True\b", described="`or True`")
        | nodes(
            "Assign",
            words=tuple(
                f"except {error}:\n    {flag}" for error in _IMPORT_ERRORS for flag in _FLAGS
            ),
            where=_FLAG_AFTER_FAILURE.pattern,
            described="flags set where an import failed",
        )
    )

    def check(
        self, node: cst.Assign | cst.Call | cst.BooleanOperation, source: Source
    ) -> Iterator[Finding]:
        """Find what replaces a check, and checks that cannot fail."""
        for finding in self._fakes(node, source):
            if _IMPORTS_PYTEST.search(source.code):
                return
            yield finding

    def _fakes(
        self, node: cst.Assign | cst.Call | cst.BooleanOperation, source: Source
    ) -> Iterator[Finding]:
        if isinstance(node, cst.BooleanOperation):
            yield from self._or_true(node, source)
            return
        for replacement in replacements(node):
            if replacement.name == "find_spec":
                yield from self._find_spec(replacement, source)
            else:
                yield from self._replaced(replacement, source)
        for key, value in _registrations(node, source):
            yield from self._registered(node, key, value, source)
        if isinstance(node, cst.Assign):
            yield from self._flag(node, source)

    def _replaced(self, replacement: Replacement, source: Source) -> Iterator[Finding]:
        """Find ``owner.name = value`` where a check gets to say always the same."""
        node, owner, name = replacement.node, replacement.owner, replacement.name
        is_answer = False
        if name == "return_value" and isinstance(owner, cst.Attribute):
            is_answer, name = True, owner.attr.value
            owner = owner.value
        if not re.fullmatch(_CHECK, name) or dotted_text(owner) == "self":
            return
        is_patch_check = re.fullmatch(PATCH_CHECK, name) is not None
        if not is_patch_check and not _is_third_party(owner, source):
            return
        said = constant(replacement.value)
        is_flag = said is not None and not is_answer
        if is_flag and (is_patch_check or not self._is_flag_of_library(replacement, source)):
            return
        said = said or answer(replacement.value, source)
        if said is None or is_taken_back(replacement, source) or is_for_cuda_only(node, source):
            return
        target = f"{source.text_of(owner)}.{name}"
        if is_patch_check:
            if said == "True":
                claims = claims_of_check(f"{source.resolve(owner)}.{name}", source)
                yield self.finding(node, source, _patch_message(target), claims=claims)
        elif said == "False":
            if _FAST_PATH.search(name) and is_unconditional(node, source):
                yield self.finding(node, source, _off_message(target), severity="warning")
        elif said == "None" and not (self.with_preview and _is_known(owner, source)):
            return
        elif not is_answered_elsewhere(node, name, source):
            claims = tuple(kernel_package(each) for each in _FAST_PACKAGES if each in name)
            yield self.finding(node, source, _yes_message(target), claims=claims)

    def _is_flag_of_library(self, replacement: Replacement, source: Source) -> bool:
        """Say whether a library's constant for the result of a check is set without an ``if``."""
        name = replacement.name
        return (
            self.with_preview
            and name.startswith("_")
            and name.endswith("_available")
            and _is_known(replacement.owner, source)
            and not any(conditions(replacement.node, source))
        )

    def _find_spec(self, replacement: Replacement, source: Source) -> Iterator[Finding]:
        owner = source.resolve(replacement.owner)
        if owner is None or not owner.endswith("importlib.util"):
            return
        if makes_up_specs(replacement.value, source) and not is_taken_back(replacement, source):
            message = (
                "`find_spec` is replaced by one that makes up specs: packages that are not "
                "installed count as available, and what needs them fails later or runs a stub. "
                "Install the package and delete this."
            )
            yield self.finding(replacement.node, source, message)

    def _registered(
        self, node: cst.CSTNode, key: str, value: cst.BaseExpression, source: Source
    ) -> Iterator[Finding]:
        """Find ``sys.modules[key] = value`` where the value says yes to every check."""
        if not is_stub(value, source) or is_undone(node, "modules", source):
            return
        is_check = re.search(r"(?:^|[._])checks?$", key) is not None
        claims: tuple[Claim, ...] = ()
        if passes_checks(value, _CHECK, source) or (is_check and is_mock(value, source)):
            message = (
                f"`{key or 'this module'}` becomes a stub whose check always passes: the patched "
                f"files it looks for may be missing, then the stock code runs and nothing says "
                f"so. Install the patched files and delete the stub."
            )
            claims = claims_of_check(key, source)
        elif self.with_preview and key in _FAST_PACKAGES and has_made_up_spec(value, source):
            message = (
                f"`{key}` becomes a stub with a made-up `__spec__`, so every check finds it "
                f"installed and the code behind gets the stub. Install {key}, or choose "
                f"another attention where it is missing."
            )
            claims = (kernel_package(key),)
        else:
            return
        yield self.finding(node, source, message, claims=claims)

    def _or_true(self, node: cst.BooleanOperation, source: Source) -> Iterator[Finding]:
        """Find a check that ends in ``or True``."""
        operator = node.operator
        spaces = (operator.whitespace_before, operator.whitespace_after)
        if not self.with_preview or not isinstance(operator, cst.Or):
            return
        if constant(node.right) != "True" or not _is_result_of_check(node, source):
            return
        fix = None
        brackets = (*node.left.rpar, *node.right.lpar)
        if not brackets and all(isinstance(each, cst.SimpleWhitespace) for each in spaces):
            left, whole = source.span(node.left), source.span(node)
            place = (left.end_line, left.end_column, whole.end_line, whole.end_column)
            edit = Edit(*place, "", was="or True")
            fix = Fix("Remove `or True`", (edit,))
        message = (
            "`or True` makes this check pass whatever stands before it, so what it guards runs "
            "without what it needs. Remove `or True`, and mend what the check then reports."
        )
        yield self.finding(node, source, message, fix=fix)

    def _flag(self, node: cst.Assign, source: Source) -> Iterator[Finding]:
        """Find ``except ImportError: HAS_X = True``."""
        target = node.targets[0].target
        if not self.with_preview or not isinstance(target, cst.Name):
            return
        if constant(node.value) != "True" or not target.value.startswith(_FLAGS):
            return
        handler = source.enclosing(node, cst.ExceptHandler)
        if handler is not None and _only_sets_flag(handler, node, source):
            message = (
                f"`{target.value}` is True although the import above has just failed: the code "
                f"behind it runs without the package. Set it to False here."
            )
            fix = Fix("Set it to False", (source.replace(node.value, "False"),))
            yield self.finding(node, source, message, fix=fix)


def _patch_message(target: str) -> str:
    return (
        f"`{target}` always passes from here on: without the patched files the stock code runs "
        f"(wrong numbers, or attention 2 to 4 times slower) and nothing says so. Install the "
        f"patched files and delete this line."
    )


def _yes_message(target: str) -> str:
    return (
        f"`{target}` always passes from here on, whether or not what it looks for is there: the "
        f"code behind it fails later or runs on a stub. Mend what makes the check fail, and "
        f"delete this line."
    )


def _off_message(target: str) -> str:
    return (
        f"`{target}` always says no from here on: this fast path is off on every machine, also "
        f"on ROCm with it installed. Delete the line, or write the reason in a comment above it."
    )


def _registrations(
    node: cst.Assign | cst.Call, source: Source
) -> Iterator[tuple[str, cst.BaseExpression]]:
    """Yield the modules that are put into ``sys.modules``; the name is "" if it is not known."""
    if isinstance(node, cst.Assign):
        for each in node.targets:
            target = each.target
            if isinstance(target, cst.Subscript) and source.resolve(target.value) == "sys.modules":
                yield _text(index_of(target), source), node.value
    elif last_name(node.func) in {"setdefault", "update"} and node.args:
        method = source.resolve(node.func)
        if method == "sys.modules.setdefault" and len(node.args) == 2:
            yield _text(node.args[0].value, source), node.args[1].value
        elif method == "sys.modules.update" and isinstance(node.args[0].value, cst.Dict):
            for element in node.args[0].value.elements:
                if isinstance(element, cst.DictElement):
                    yield _text(element.key, source), element.value


def _text(node: cst.BaseExpression | None, source: Source) -> str:
    if node is None:
        return ""
    return string_value(node) or string_value(source.value_of(node)) or ""


def _package(owner: cst.BaseExpression, source: Source) -> str:
    return (imported_module(owner, source) or "").partition(".")[0]


def _is_known(owner: cst.BaseExpression, source: Source) -> bool:
    return _package(owner, source) in known_packages()


def _is_third_party(owner: cst.BaseExpression, source: Source) -> bool:
    package = _package(owner, source)
    return package != "" and not source.is_first_party(package)


def _is_result_of_check(node: cst.BooleanOperation, source: Source) -> bool:
    """Say whether a value is what a check returns, what a flag is set to, or an ``if`` asks."""
    parent = source.parent(node)
    if isinstance(parent, cst.Return):
        function = source.function(node)
        return function is not None and _TELLING.fullmatch(function.name.value) is not None
    if isinstance(parent, cst.Assign) and isinstance(parent.targets[0].target, cst.Name):
        if _FLAG.fullmatch(parent.targets[0].target.value):
            return True
    elif not isinstance(parent, cst.If):
        return False
    asked = node.left.func if isinstance(node.left, cst.Call) else node.left
    return _TELLING.fullmatch(last_name(asked) or "") is not None


def _only_sets_flag(handler: cst.ExceptHandler, node: cst.Assign, source: Source) -> bool:
    """Say whether a handler of a failed import does nothing but set this flag (and log)."""
    failed = source.parent(handler)
    start = source.offset_of(source.span(handler).line)
    if not isinstance(failed, cst.Try) or not _FLAG_AFTER_FAILURE.match(source.code, start):
        return False
    rest = (each for each in statements(handler.body) if each is not node)
    tried = list(statements(failed.body))
    return (
        any(isinstance(each, (cst.Import, cst.ImportFrom)) for each in tried)
        and not any(_assigns_false(each, node) for each in tried)
        and all(is_silent(each) or logged(each) is not None for each in rest)
    )


def _assigns_false(statement: cst.CSTNode, node: cst.Assign) -> bool:
    """Say whether the flag means the opposite: it is False where the import went well."""
    return (
        isinstance(statement, cst.Assign)
        and statement.targets[0].target.deep_equals(node.targets[0].target)
        and constant(statement.value) == "False"
    )
