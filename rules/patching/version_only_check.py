"""ROC107, version-only-check."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    PythonRule,
    commands,
    compile_lazily,
    constant,
    nodes,
    shortened,
    statements,
    string_value,
    strings,
    walk,
)

from ._installed_files import PLACES, written_by
from ._patches import PATCH_CHECK, PATCH_WORDS, claims_of_check, has_folder, patched_package

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Claim, Command, Finding, Source

_VERSIONS = frozenset({"importlib.metadata.version", "importlib_metadata.version"})
_BREAK = r"(?:\s|\\+n)*"
_WRITTEN = compile_lazily(
    rf"(?:\b|\\n)def\s+(?P<name>{PATCH_CHECK})\s*\([^)]*\)[^:]*:{_BREAK}"
    r"return\s+(?:True\b|[\w.]*__version__|version\()"
)
"""A check in text that a program or a script writes to a file."""
_ANSWERS = compile_lazily(
    r"(?:assert|check|ensure|validate|verify)_\w*(?:applied|installed|patched)\w*"
)


class VersionOnlyCheck(PythonRule["cst.FunctionDef"]):
    """Patch check compares only a version that the stock package shares.

    ## Why it matters
    Patched files are copied over those of one version, so their check compares that version. But
    the stock package of that version says the same: the check passes before anything is copied,
    after a reinstall, and in the environment that nobody patched. Then the stock code runs. A
    check that returns ``True``, or that an installer writes into the package itself, proves less.

    Not reported: a check that is one of the patched files itself
    (``transformers_replace/models/siglip/check.py``). The stock package cannot import it.

    ## Example
    ```python
    import transformers

    def check_transformers_is_patched():
        return transformers.__version__ == "4.57.6"
    ```

    ## Use instead
    Look at the files that will be imported, or compare their content.
    ```python
    import rocmlint

    def check_transformers_is_patched():
        rocmlint.assert_loaded("patches.toml")
    ```

    ## References
    - https://docs.python.org/3/library/importlib.metadata.html#distribution-versions
    """

    code = "ROC107"
    name = "version-only-check"
    since = "0.1.0"
    skips = frozenset({"test"})
    on = (
        nodes(
            "FunctionDef",
            words=PATCH_WORDS,
            where=rf"def(?<!\wdef)[ \t]+(?:{PATCH_CHECK})\b",
            described="functions that check whether a patch is installed",
        )
        | strings(_WRITTEN.pattern, words=PLACES)
        | commands(*PLACES, described="commands that write into a package", called=False)
    )

    def check(
        self, node: cst.FunctionDef | cst.SimpleString | Command, source: Source
    ) -> Iterator[Finding]:
        """Find checks whose only answer is a comparison of versions, or yes."""
        if isinstance(node, cst.FunctionDef):
            answer = _answer_of(node, source)
            if answer is not None:
                claims = claims_of_check(node.name.value, source)
                yield self._passes(node.name.value, answer, source, claims)
            return
        if isinstance(node, cst.CSTNode):
            text = node.raw_value if isinstance(node, cst.SimpleString) else ""
        else:
            text = written_by(node, source)
        written = _WRITTEN.search(text)
        if written is not None:
            yield self._passes(written["name"], node, source)

    def _passes(
        self, name: str, node: cst.CSTNode | Command, source: Source, claims: tuple[Claim, ...] = ()
    ) -> Finding:
        message = f"`{shortened(name)}` passes for the unpatched package as well"
        advice = (
            "Compare the content of the imported files instead of the version. `rocmlint "
            "verify manifest` records it."
        )
        return self.finding(node, source, message, help=advice, claims=claims)


def _answer_of(node: cst.FunctionDef, source: Source) -> cst.BaseExpression | None:
    """Return the answer of a check that the stock package passes as well."""
    name = node.name.value
    if not re.fullmatch(PATCH_CHECK, name) or _is_in_patch(name, source):
        return None
    body = [each for each in statements(node.body) if not _says_nothing(each)]
    if len(body) == 1 and isinstance(body[0], cst.Try):
        body = [each for each in statements(body[0].body) if not _says_nothing(each)]
    if len(body) != 1:
        return None
    returned = body[0].value if isinstance(body[0], cst.Return) else None
    if constant(returned) == "True" and _ANSWERS.fullmatch(name):
        return returned if source.enclosing(node, cst.ClassDef) is None else None
    answer = _answer(body[0])
    return answer if answer is not None and _asks_for_version(answer, source) else None


def _is_in_patch(check: str, source: Source) -> bool:
    """Return whether the file is one of the patched files: it lies as they do in the package."""
    package = patched_package(check, source)
    if package is None:
        return False
    folders = source.place.removeprefix(f"{package}/").rpartition(f"/{package}/")[2].split("/")[:-1]
    inner = ("/".join(folders[at:]) for at in range(len(folders) - 1))
    return any(has_folder(package, each, source) for each in inner)


def _says_nothing(statement: cst.CSTNode) -> bool:
    """Return whether a statement is an import or a docstring."""
    text = isinstance(statement, cst.Expr) and string_value(statement.value) is not None
    return text or isinstance(statement, (cst.Import, cst.ImportFrom))


def _answer(statement: cst.CSTNode) -> cst.Comparison | cst.Call | None:
    """Return the one comparison or call that a statement returns or asserts."""
    value = statement.value if isinstance(statement, cst.Return) else None
    value = statement.test if isinstance(statement, cst.Assert) else value
    return value if isinstance(value, (cst.Comparison, cst.Call)) else None


def _asks_for_version(answer: cst.Comparison | cst.Call, source: Source) -> bool:
    """Return whether an answer is a version compared to something, or the beginning of one."""
    if isinstance(answer, cst.Call):
        called = answer.func
        if not isinstance(called, cst.Attribute) or called.attr.value != "startswith":
            return False
        sides = [called.value]
    else:
        sides = [answer.left, *(each.comparator for each in answer.comparisons)]
    return any(_is_version(each, source) for each in sides)


def _is_version(node: cst.BaseExpression, source: Source) -> bool:
    return any(
        (isinstance(each, cst.Attribute) and each.attr.value == "__version__")
        or (isinstance(each, cst.Call) and source.resolve(each.func) in _VERSIONS)
        for each in walk(node)
    )
