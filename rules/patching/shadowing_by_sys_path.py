"""ROC105, shadowing-by-sys-path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.project.packages import is_installed, known_packages
from rocmlint.rule import Edit, Fix, PythonRule, calls, nodes
from rocmlint.rule.claims import origin

from ._search_path import addition, holds, imports_around, lies_beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

    from ._search_path import Addition

_FROM_CHECKOUTS = frozenset(
    {
        "audiocraft",
        "clip",
        "detectron2",
        "encodec",
        "fairseq",
        "fastchat",
        "groundingdino",
        "lavis",
        "llava",
        "lm_eval",
        "mamba_ssm",
        "matcha",
        "megatron",
        "open_clip",
        "sam2",
        "segment_anything",
        "taming",
        "whisper",
    }
)
"""Packages that some take from a checkout and others install."""
_GENERIC = frozenset({"models", "trainer", "utils"})
"""Folders of many checkouts that some distributions install as well."""


class ShadowingBySysPath(PythonRule["cst.CSTNode"]):
    """A checkout at the end of ``sys.path``, where an installed package of the same name hides it.

    ## Why it matters
    Python takes the first package of a name on ``sys.path``. Behind ``site-packages`` the
    checkout, with its patched kernels or its fork of the model, is used only on machines where
    the package was never installed; on all others the installed one runs, and nothing says so.

    ## Instead
    Put the folder in front, before the package is imported for the first time:

        sys.path.insert(0, "/workspace/Megatron-LM")
        import megatron

    Better, install the checkout (``pip install -e``) and leave ``sys.path`` alone.

    ## Fix safety
    Unsafe: everything else in the folder then hides installed packages as well.

    ## Source
    Seed 000, "Dependency Fix Ladder", step 4.
    """

    code = "ROC105"
    name = "shadowing-by-sys-path"
    since = "0.1.0"
    severity = "warning"
    on = (
        calls("append", "extend", "insert", words=("sys.path",), where=r"sys\.path\b")
        | calls("addsitedir")
        | nodes("AugAssign", words=("sys.path",), where=r"sys\.path\b", described="`sys.path +=`")
    )

    def check(self, node: cst.CSTNode, source: Source) -> Iterator[Finding]:
        """Find folders that come after an installed package of which they hold another copy."""
        added = addition(node, source)
        if added is None:
            return
        before, after = imports_around(node, source)
        first_lines = {each.name: each.line for each in reversed(before)}
        for name in dict.fromkeys(each.name for each in after):
            is_next = any(each.name == name and each.next for each in after)
            held = {holds(folder, name, source) for folder in added.folders}
            if name in first_lines:
                if True not in held or not _may_be_installed(name, source):
                    continue
                if source.enclosing(node, cst.ExceptHandler) is not None:
                    continue  # the fallback for an import that failed
                message = (
                    f"`{name}` was imported in {source.named_line(first_lines[name])} already and "
                    "stays what it is: this folder comes too late. Put it on `sys.path` above that "
                    "import."
                )
                yield self.finding(node, source, message, claims=(origin(name),))
                return
            if added.end == "last" and self._is_hidden(name, held, is_next, source):
                message = (
                    f"Where `{name}` is installed, the installed one is imported and not that of "
                    "this folder, which comes last. Put it first: `sys.path.insert(0, …)`."
                )
                fix = _put_first(node, added, source)
                yield self.finding(node, source, message, fix=fix, claims=(origin(name),))
                return

    def _is_hidden(self, name: str, held: set[bool | None], is_next: bool, source: Source) -> bool:
        if lies_beside(name, source):
            return False
        if True in held:
            generic = self.with_preview and name in _GENERIC
            return generic or _may_be_installed(name, source)
        # Where nobody can tell what a folder holds, name and order must speak for it.
        return None in held and is_next and name in _FROM_CHECKOUTS


def _may_be_installed(name: str, source: Source) -> bool:
    if name in _FROM_CHECKOUTS or name in known_packages():
        return True
    return is_installed(name, source.project) and not source.is_first_party(name)


def _put_first(node: cst.CSTNode, added: Addition, source: Source) -> Fix | None:
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    title = "Put the folder first"
    if node.func.attr.value == "insert":
        return Fix(title, (source.replace(node.args[0].value, "0"),))
    if node.func.attr.value == "append":
        method = source.replace(node.func.attr, "insert")
        place = source.span(added.folders[0])
        index = Edit(place.line, place.column, place.line, place.column, "0, ")
        return Fix(title, (method, index))
    return None
