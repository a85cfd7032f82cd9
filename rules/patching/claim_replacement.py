"""Code that sets an attribute of an installed module claims that the new one runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.project.packages import known_packages
from rocmlint.rule import ClaimRule, attribute_patches, compile_lazily, constant, nodes
from rocmlint.rule.claims import replacement

from ._circumstances import is_taken_back
from ._patches import imported_module, made_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Claim, Source

_IMPORT = compile_lazily(
    r"^[ \t]*(?:import[ \t]+(\w+)[^\n]*|from[ \t]+(\w+)[\w. \t]*\bimport\b[^\n]*)", re.MULTILINE
)
_SET = compile_lazily(
    r"^[ \t]*([A-Za-z_]\w*)[ \t]*\.[\w. \t]+=(?!=)|\bsetattr\s*\(\s*(\w+)", re.MULTILINE
)


def _set_attributes(source: Source) -> Iterator[re.Match[str]]:
    """Find attributes that are set on names which imports of known packages may have given."""
    code = source.code
    imports = [each for each in _IMPORT.finditer(code) if (each[1] or each[2]) in known_packages()]
    names = {name for each in imports for name in re.findall(r"\w+", each[0])}
    return (each for each in _SET.finditer(code) if names and (each[1] or each[2]) in names)


class ReplacedAttribute(ClaimRule["cst.Assign | cst.Call"]):
    """``modeling_gemma.GemmaMLP.forward = ours`` and ``setattr`` of the same, not taken back."""

    on = nodes("Assign", "Call", words=("import ",), finder=_set_attributes)

    def check(self, node: cst.Assign | cst.Call, source: Source) -> Iterator[Claim]:
        """Yield which function or class is the author's."""
        for each in attribute_patches(node):
            module, names = _module_and_names(imported_module(each.owner, source) or "")
            known = module.partition(".")[0] in known_packages() and ".config" not in module
            if known and _is_code(each.value, source) and not is_taken_back(each, source):
                own = source.is_first_party(module.partition(".")[0])
                if not own and (names or not re.fullmatch(r"__\w+__", each.name)):
                    name = ".".join([*names, each.name])
                    yield self.at(
                        node, source, replacement(module, name, made_by(each.value, source))
                    )


def _module_and_names(dotted: str) -> tuple[str, list[str]]:
    """Part a dotted name where its classes begin."""
    names = dotted.split(".")
    first = next((at for at, name in enumerate(names) if name[:1].isupper()), len(names))
    return ".".join(names[:first]), names[first:]


def _is_code(value: cst.BaseExpression, source: Source) -> bool:
    """Return whether a value can be a function or class, not a setting."""
    if isinstance(value, (cst.Lambda, cst.Attribute)):
        return True
    if isinstance(value, cst.Call):
        return bool(value.args) and isinstance(value.args[0].value, (cst.Name, cst.Attribute))
    if not isinstance(value, cst.Name) or constant(value) is not None:
        return False
    bound = source.bindings(value.value, value)
    return any(
        each.kind == "import" or isinstance(each.node, (cst.FunctionDef, cst.ClassDef))
        for each in bound
    )
