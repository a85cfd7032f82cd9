"""Which names the modules of torch bind, as far as their texts leave no doubt.

A name that a module binds outside of any condition is there; a name that it doesn't bind is absent
where nothing in the text can make names (star imports, globals(), __getattr__, ...).
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from tools.torch_wheels import STUBS

if TYPE_CHECKING:
    from collections.abc import Iterator


OWN_SCOPE = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
# What can make names that the text of a module does not bind.
MAKERS = {"globals", "vars", "exec", "setattr", "eval", "locals"}
DEFINED = re.compile(r"^(?:\s*def|class) (\w+)|^(\w+)\s*[:=]", re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w*")


class Reading:
    """What the texts of one version bind."""

    def __init__(self, texts: dict[str, str]) -> None:
        """Parse all modules; `packages` are those that have modules below them."""
        self.modules = {module for module in texts if module.replace(".", "").isidentifier()}
        self.packages = {module.rpartition(".")[0] for module in self.modules}
        self.bound: dict[str, dict[str, str]] = {}
        self.open: set[str] = set()
        for module in sorted(self.modules):
            try:
                tree = ast.parse(texts[module])
            except SyntaxError:
                self.open.add(module)
                continue
            self.bound[module] = self.names_bound(module, tree)
            if makes_names(tree):
                self.open.add(module)
        if "torch" in self.bound:  # what it makes of the compiled part is in these texts
            self.open.discard("torch")
            words = set(WORD.findall(texts["torch"]))
            for stub in STUBS:
                words |= {first or last for first, last in DEFINED.findall(texts.get(stub, ""))}
            self.bound["torch"] = dict.fromkeys(words, "?") | self.bound["torch"]

    def names_bound(self, module: str, tree: ast.Module) -> dict[str, str]:
        """Return name -> kind; "?" where a condition or a deletion leaves it open."""
        found: dict[str, str] = {}
        for node in outside(tree):
            found.update(dict.fromkeys(stored(node), "?"))
        deleted = {
            each.id
            for node in outside(tree)
            if isinstance(node, ast.Delete)
            for each in node.targets
            if isinstance(each, ast.Name)
        }
        for node in tree.body:
            found |= {name: kind for name, kind in self.kinds(module, node) if name not in deleted}
        return {name: kind for name, kind in found.items() if not name.startswith("__")}

    def kinds(self, module: str, node: ast.stmt) -> list[tuple[str, str]]:
        """Return what a statement outside of any condition binds for certain."""
        if isinstance(node, ast.ClassDef):
            return [(node.name, f"c{module}.{node.name}")]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return [(node.name, f"f{module}.{node.name}")]
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and getattr(node, "value", None):
            return [(name, "v") for name in stored(node)]
        if isinstance(node, ast.Import):
            return [
                (each.asname or each.name.partition(".")[0], "m" if mine(each.name) else "x")
                for each in node.names
            ]
        if isinstance(node, ast.ImportFrom):
            source = self.source(module, node)
            return [
                (each.asname or each.name, f"i{source}.{each.name}" if mine(source) else "x")
                for each in node.names
                if each.name != "*"
            ]
        return []

    def source(self, module: str, node: ast.ImportFrom) -> str:
        """Return the module that a from-import names."""
        if not node.level:
            return node.module or ""
        parts = module.split(".") + (["__init__"] if module in self.packages else [])
        return ".".join([*parts[: len(parts) - node.level], *filter(None, [node.module])])

    def resolved(self, kind: str, depth: int = 0) -> str:
        """Follow from-imports to the definition; "v" for what the compiled part gives."""
        if not kind.startswith("i"):
            return kind
        module, _, name = kind[1:].rpartition(".")
        if kind[1:] in self.modules:
            return "m"
        if module.startswith("torch._C") or depth > 9:
            return "v"
        found = self.bound.get(module, {}).get(name)
        return "v" if found in {None, "?"} else self.resolved(str(found), depth + 1)

    def proof(self, wrong: set[str]) -> dict[str, Any]:
        """Return the same table as an import does."""
        return {
            "package": "torch",
            "modules": dict.fromkeys(sorted(self.modules), ""),
            "names": {
                module: {
                    name: "?" if module in wrong else self.resolved(kind)
                    for name, kind in sorted(bound.items())
                }
                for module, bound in self.bound.items()
            },
            "dynamic": sorted(self.open | wrong),
            "classes": {},
            "functions": {},
            "foreign": {},
        }


def mine(module: str) -> bool:
    """Return whether a module is torch's."""
    return module == "torch" or module.startswith("torch.")


def outside(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield all nodes that run when the module is imported, and `global` statements."""
    waiting: list[ast.AST] = list(tree.body)
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.Global))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, OWN_SCOPE):
            waiting.extend(ast.iter_child_nodes(node))


def stored(node: ast.AST) -> list[str]:
    """Return the names that one node binds by itself."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [each.asname or each.name.partition(".")[0] for each in node.names]
    if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return [node.name]
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    if isinstance(node, ast.Global):
        return node.names
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        every = [each for target in targets for each in ast.walk(target)]
        return [name for each in every if isinstance(each, ast.Name) for name in stored(each)]
    return []


def makes_names(tree: ast.Module) -> bool:
    """Return whether something in a module can make names that its text does not bind."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(each.name == "*" for each in node.names):
            return True
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == "__getattr__":
            return True
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in MAKERS
        ):
            return True
        if isinstance(node, ast.Attribute) and node.attr in {"modules", "__dict__"}:
            return True
    return False
