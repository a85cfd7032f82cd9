"""What torch's releases have, read from the Python files of their wheels by range requests.

python -m tools.read_torch --work FOLDER, with torch 2.13.0 installed. Of a wheel of 500 to 900 MiB
only its directory and its .py members are read, 10 to 15 MiB. Without the compiled part nothing
can be imported, so this keeps to what the text leaves no doubt of: a name that a module binds
outside of any condition is there; a name that it doesn't bind is absent where nothing in the text
can make names (star imports, globals(), __getattr__, ...). Both are compared with the import of
2.13.0, and a module that the comparison proves wrong is left unknown in all other versions.
"""

from __future__ import annotations

import argparse
import ast
import concurrent.futures
import io
import json
import os
import re
import sys
import urllib.parse
import urllib.request
import zipfile
from typing import TYPE_CHECKING, Any

from tools.build_names import (
    PYPI,
    Release,
    child,
    proof_file,
    proofs_of,
    read_gz,
    read_json,
    releases,
    say,
    write_gz,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK = 1 << 19  # bytes to a request
INSTALLED = "2.13.0"
OWN_SCOPE = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
# What can make names that the text of a module does not bind.
MAKERS = {"globals", "vars", "exec", "setattr", "eval", "locals"}


# Where the compiled part's functions are listed that `torch` takes over.
STUBS = ("torch/_C/__init__.pyi", "torch/_C/_VariableFunctions.pyi", "torch/_VF.pyi")
DEFINED = re.compile(r"^(?:\s*def|class) (\w+)|^(\w+)\s*[:=]", re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w*")


class Remote(io.RawIOBase):
    """A file behind an address that answers range requests, read in blocks that are kept."""

    def __init__(self, url: str) -> None:
        """Ask how long it is."""
        self.url = url
        self.at = 0
        self.blocks: dict[int, bytes] = {}
        request = urllib.request.Request(url, method="HEAD")  # noqa: S310
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            self.length = int(answer.headers["Content-Length"])

    def seekable(self) -> bool:
        """Return that it can be read in any order."""
        return True

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def tell(self) -> int:
        """Return the place."""
        return self.at

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place."""
        self.at = (0, self.at, self.length)[whence] + offset
        return self.at

    def readinto(self, buffer: Any) -> int:
        """Read from the place on, at most to the end of its block."""
        if self.at >= self.length:
            return 0
        number, inside = divmod(self.at, BLOCK)
        data = self.block(number)[inside : inside + len(buffer)]
        buffer[: len(data)] = data
        self.at += len(data)
        return len(data)

    def block(self, number: int) -> bytes:
        """Return one block."""
        if number not in self.blocks:
            wanted = f"bytes={number * BLOCK}-{min((number + 1) * BLOCK, self.length) - 1}"
            request = urllib.request.Request(self.url, headers={"Range": wanted})  # noqa: S310
            with urllib.request.urlopen(request, timeout=120) as answer:  # noqa: S310
                if answer.status != 206:
                    message = "the server does not answer range requests"
                    raise OSError(message)
                self.blocks[number] = answer.read()
        return self.blocks[number]


def main() -> int:
    """Read all versions of the last 24 months that were not read yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", required=True)
    parser.add_argument("--since", default="2024-10")
    options = parser.parse_args()
    options.work = os.path.abspath(options.work)
    found = releases("torch", options.since, "9999-12")
    texts = {}
    for release in found:
        if str(release.version) == INSTALLED or not os.path.exists(
            proof_file(options.work, "torch", str(release.version))
        ):
            texts[str(release.version)] = sources(options.work, release)
    prove_installed(options.work, texts[INSTALLED])
    wrong, hidden = compare(read_gz(proof_file(options.work, "torch", INSTALLED)), texts[INSTALLED])
    for release in found:
        version = str(release.version)
        if version != INSTALLED and version in texts:
            proof = Reading(texts[version]).proof(wrong)
            proof["names"]["torch"] = dict.fromkeys(hidden, "?") | proof["names"]["torch"]
            proof["version"] = version
            proof["published"] = release.published.date().isoformat()
            write_gz(proof_file(options.work, "torch", version), proof)
            say(f"torch {version}: {len(proof['modules'])} modules, {len(proof['dynamic'])} open")
    write_absent(options.work)
    return 0


def write_absent(work: str) -> None:
    """Return for each version which files of the others it does not have."""
    proofs = proofs_of(work, "torch")
    files = {each for proof in proofs if proof["version"] != INSTALLED for each in proof["modules"]}
    for proof in proofs:
        absent = sorted(files - proof["modules"].keys())
        kept = proof_file(work, "torch", proof["version"] + ".asked")
        write_gz(kept, {"names": {}, "absent": absent, "mark": ""})


def sources(work: str, release: Release) -> dict[str, str]:
    """Return the text of each module of a wheel; kept as a zip of its own."""
    kept = os.path.join(work, "torch", f"{release.version}.zip")
    if not os.path.exists(kept):
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        remote = Remote(wheel_of(str(release.version)))
        with zipfile.ZipFile(io.BufferedReader(remote, 1 << 16)) as wheel:
            members = [
                each
                for each in wheel.infolist()
                if each.filename.startswith("torch/")
                and (each.filename.endswith(".py") or each.filename in STUBS)
            ]
            numbers = {
                number
                for each in members
                for number in range(
                    each.header_offset // BLOCK,
                    (each.header_offset + each.compress_size + 512) // BLOCK + 1,
                )
                if number * BLOCK < remote.length
            }
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                list(pool.map(remote.block, sorted(numbers)))
            with zipfile.ZipFile(kept + ".part", "w", zipfile.ZIP_DEFLATED) as out:
                for each in members:
                    out.writestr(each.filename, wheel.read(each))
        os.replace(kept + ".part", kept)
        read = sum(map(len, remote.blocks.values()))
        say(f"torch {release.version}: {read >> 20} of {remote.length >> 20} MiB read")
    with zipfile.ZipFile(kept) as file:
        return {
            module_of(each): file.read(each).decode("utf-8", "replace") for each in file.namelist()
        }


def wheel_of(version: str) -> str:
    """Return the address of the wheel for Linux and Python 3.11."""
    address = PYPI.format("torch")
    with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310
        files = json.load(answer)["releases"][version]
    chosen = min(
        each["url"]
        for each in files
        if "cp311-cp311-manylinux" in each["filename"] and "x86_64" in each["filename"]
    )
    return str(urllib.parse.urljoin(address, chosen))


def module_of(path: str) -> str:
    """Return the module that a file of the wheel is."""
    if path in STUBS:
        return path
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def prove_installed(work: str, texts: dict[str, str]) -> None:
    """Import the installed version, as build_names.py does with the others."""
    kept = proof_file(work, "torch", INSTALLED)
    if os.path.exists(kept):
        return
    out = kept.removesuffix(".gz")
    skip: list[str] = []
    while not os.path.exists(out):
        ended, last = child(work, "", "torch", out, ["--skip", *skip])
        if not os.path.exists(out):
            say(f"  torch ended with {ended} in {last}")
            if ended == 1 or last in skip:
                raise SystemExit(1)
            skip.append(last)
    proof = {**read_json(out), "version": INSTALLED, "published": "2026-07-08"}
    # Its __getattr__ knows no name that is not in its text.
    proof["dynamic"].remove("torch")
    bound = Reading({"torch": texts["torch"]}).bound["torch"]
    proof["names"]["torch"] = dict.fromkeys(bound, "?") | proof["names"]["torch"]
    write_gz(kept, proof)
    os.remove(out)


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


def compare(imported: dict[str, Any], texts: dict[str, str]) -> tuple[set[str], set[str]]:
    """Return the modules of which the texts tell something else than the import does.

    Then the names of `torch` itself that only the compiled part binds.
    """
    reading = Reading(texts)
    read = reading.proof(set())
    wrong: set[str] = set()
    hidden: set[str] = set()
    right = 0
    for module, names in imported["names"].items():
        told = read["names"].get(module)
        if told is None:
            continue
        for name, kind in names.items():
            if kind == "?" or name in told or module in reading.open or kind[0] == "m":
                continue
            if module == "torch":
                hidden.add(name)
            else:
                wrong.add(module)
                say(f"  {module}.{name} is there, but no text binds it")
        for name, kind in told.items():
            if kind != "?" and names.get(name, "?") == "?":
                wrong.add(module)
                say(f"  {module}.{name} is bound, but not there")
            right += kind != "?" and name in names
    say(f"torch {INSTALLED}: {right} names as the import says, {len(wrong)} modules not")
    return wrong, hidden


if __name__ == "__main__":
    sys.exit(main())
