"""Read which of torch's functions warn or only raise, and prove it by calling them.

python -m tools.read_deprecations --work FOLDER, after read_torch.py, with torch 2.13.0 and
torchvision installed. The texts of the wheels say since when: a decorator `deprecated`, a
`warnings.warn` that every call reaches, a docstring that says so, or a body that does nothing but
raise. What the text of 2.13.0 says is then called there, in a child process; "proof" tells whether
the call warns, raises, or whether only the docstring of the imported function says so.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.published import deprecated
from tools.build_names import HERE, say
from tools.read_torch import INSTALLED
from tools.torch_texts import Reading, outside
from tools.torch_wheels import module_of

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGES = ("torch", "functorch")
NOT_FOR_USERS = re.compile(
    r"torch\.(?:_(?!_)|testing\._internal|fx\.experimental|distributed\.(?:_|elastic)"
    r"|onnx\._|ao\.|package\._|sparse\._|utils\.(?:model_dump|tensorboard)|ao$)"
)
# Neither of users' names nor of what they lead to: a third of all text.
UNREAD = re.compile(
    r"torch\.(?:_inductor|_dynamo|_export|_refs|_decomp|_prims|_higher_order_ops|testing|onnx|ao|_C"
    r"|fx|distributed\.(?:_|elastic|checkpoint|pipelining|fsdp\._)|_numpy|masked|jit\._"
    r"|utils\.(?:benchmark|hipify|tensorboard|data\.datapipes)|sparse\._|package|export|backends\._|nativert|_strobelight|_library)"
)
SAYS_SO = re.compile(
    r"(?:(?:function|class|API|method|module|^)\s*|`[\w.:~ ]+`\s+)"
    r"(?:is|has been)\s+(?:now\s+)?deprecated"
    r"(?!\s+and\s+(?:will\s+be\s+changed|it\s+will\s+throw))",
    re.IGNORECASE | re.MULTILINE,
)
OF_ITSELF = re.compile(r"This (?:function|class) is deprecated|:func:`torch\.\w+` is deprecated")
GOES = re.compile(r"(?:removed|deleted)\s+in\s+(?:version |PyTorch |torch )*v?(\d+\.\d+)")
ROLE = re.compile(r":\w+:`~?([\w.]+)`|`+(torch(?:\.\w+)+)[^`]*`+")


@dataclass
class Told:
    """What the texts say of one definition or documented function."""

    state: str  # "deprecated" or "raises"
    message: str


@dataclass
class Life:
    """What all versions say of one name: the first version in each state."""

    versions: dict[str, Told] = field(default_factory=dict)


def main() -> int:
    """Write published/data/deprecated.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", required=True)
    parser.add_argument("--out", default=deprecated.PATH)
    options = parser.parse_args()
    folder = os.path.join(os.path.abspath(options.work), "torch")
    versions = sorted(
        Version(each.removesuffix(".zip")) for each in os.listdir(folder) if each.endswith(".zip")
    )
    lives: dict[str, Life] = {}
    for version in versions:
        told = read_once(options.work, str(version))
        for name, each in told.items():
            lives.setdefault(name, Life()).versions[str(version)] = each
        say(f"torch {version}: {len(told)} names that warn or raise")
    here = {
        name: each.versions[INSTALLED].state
        for name, each in lives.items()
        if INSTALLED in each.versions
    }
    proven = prove(options.work, here)
    say(f"{len(here)} in the text of {INSTALLED}, {len(proven)} proven")
    order = [str(each) for each in versions]
    table = {
        name: {**row(lives[name], order), "proof": how} for name, how in sorted(proven.items())
    }
    table = {
        name: each
        for name, each in table.items()
        if each["proof"] != "documented" or OF_ITSELF.match(each["message"])
    }
    vision = json.loads(child(["--torchvision"]))
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(
            {"torch": {"versions": order, "names": table}, "torchvision": vision},
            file,
            indent=0,
            sort_keys=True,
        )
        file.write("\n")
    say(f"{len(table)} names, {len(vision)} builders of torchvision")
    return 0


def read_once(work: str, version: str) -> dict[str, Told]:
    """Read a version, unless this very program has read it before."""
    with open(__file__, "rb") as own:
        mark = hashlib.sha256(own.read()).hexdigest()[:16]
    kept = os.path.join(work, "deprecations", f"{version}.{mark}.json")
    if not os.path.exists(kept):
        found = read(texts_of(os.path.join(work, "torch", f"{version}.zip")))
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        with open(kept + ".part", "w", encoding="utf-8") as file:
            json.dump({name: [each.state, each.message] for name, each in found.items()}, file)
        os.replace(kept + ".part", kept)
    with open(kept, encoding="utf-8") as file:
        return {name: Told(state, message) for name, (state, message) in json.load(file).items()}


def texts_of(path: str) -> dict[str, str]:
    """Return the text of each module."""
    with zipfile.ZipFile(path) as file:
        return {
            module: file.read(each).decode("utf-8", "replace")
            for each in file.namelist()
            if not UNREAD.match(module := module_of(each))
        }


def row(life: Life, order: list[str]) -> dict[str, str]:
    """Return what is shipped of one name; "since" is empty where the oldest version says so too."""
    made: dict[str, str] = {}
    for state, key in (("deprecated", "since"), ("raises", "raises")):
        having = [each for each in order if each in life.versions]
        having = [each for each in having if life.versions[each].state == state]
        if having:
            first = having[-1]  # then the first from which on there is no gap
            for each in reversed(order[: order.index(first) + 1]):
                if each not in having:
                    break
                first = each
            made[key] = "" if first == order[0] else ".".join(first.split(".")[:2])
    newest = life.versions[max(life.versions, key=Version)]
    goes = GOES.search(newest.message)
    if goes and "raises" not in made:
        made["goes"] = goes[1]
    made["message"] = " ".join(newest.message.split())[:240]
    return made


def read(texts: dict[str, str]) -> dict[str, Told]:
    """Return what the texts of one version say, by every public name of what they say it of."""
    reading = Reading(texts)
    said: dict[str, Told] = {}
    for module, text in texts.items():
        if "deprecat" in text or "removed" in text:
            try:
                tree = ast.parse(text)
            except SyntaxError:
                continue
            said |= {f"{module}.{name}": told for name, told in told_in(tree)}
    said |= documented(texts.get("torch._torch_docs", ""))
    found: dict[str, Told] = {}
    for module in reading.bound:
        if NOT_FOR_USERS.match(f"{module}."):
            continue
        for name, target in names_of(reading, texts, module):
            told = said.get(target) or said.get(f"{module}.{name}")
            if told is not None and (name[0] != "_" or module == "torch.utils._pytree"):
                found[f"{module}.{name}"] = told
    for name, told in said.items():  # functorch takes them all from there
        module, _, last = name.rpartition(".")
        if module == "torch._functorch.deprecated" and last != "warn_deprecated":
            found[f"functorch.{last}"] = told
    return found


def names_of(
    reading: Reading, texts: dict[str, str], module: str, depth: int = 0
) -> Iterator[tuple[str, str]]:
    """Yield the names of a module and where they are defined, star imports included."""
    for name, kind in reading.bound.get(module, {}).items():
        yield name, place_of(reading, module, name, kind)
    if depth < 4 and "import *" in texts.get(module, ""):
        for node in outside(ast.parse(texts[module])):
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                inner = reading.source(module, node)
                for name, target in names_of(reading, texts, inner, depth + 1):
                    if name[0] != "_":
                        yield name, target


def place_of(reading: Reading, module: str, name: str, kind: str) -> str:
    """Follow from-imports to the definition of a name."""
    for _ in range(9):
        if not kind.startswith("i"):
            break
        module, _, name = kind[1:].rpartition(".")
        kind = reading.bound.get(module, {}).get(name, "")
    return f"{module}.{name}"


def told_in(tree: ast.Module) -> Iterator[tuple[str, Told]]:
    """Yield the names that a module defines and what it says of them."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            told = told_of(node)
            if told is not None:
                yield node.name, told
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            message = decorated([node.value.func])
            if message is not None:
                yield from (
                    (each.id, Told("deprecated", message))
                    for each in node.targets
                    if isinstance(each, ast.Name)
                )


def told_of(node: ast.FunctionDef | ast.ClassDef) -> Told | None:
    """Return what a definition says of itself."""
    message = decorated(node.decorator_list)
    if message is not None:
        return Told("deprecated", message)
    body: list[ast.stmt] = list(node.body)
    if isinstance(node, ast.ClassDef):
        made = [each for each in body if isinstance(each, ast.FunctionDef)]
        begins = [each for each in made if each.name in {"__init__", "__new__"}]
        for method in begins:
            message = decorated(method.decorator_list)
            if message is not None:
                return Told("deprecated", message)
        body = [*body[:1], *(each for function in begins for each in function.body)]
    doc = ast.get_docstring(node) or ""
    rest = body[1:] if doc else body
    if len(rest) == 1 and isinstance(rest[0], ast.Raise) and "removed" in strings_in(rest[0]):
        return Told("raises", strings_in(rest[0]))
    for each in rest:
        if isinstance(each, (ast.Return, ast.Raise)):
            break
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call):
            called = ast.unparse(each.value.func)
            if called.endswith(("warn", "warn_deprecated", "_deprecated")):
                text = strings_in(each)
                if "deprecat" in text.lower() or "deprecated" in called:
                    return Told("deprecated", text)
    found = SAYS_SO.search(doc[:1500])
    return Told("deprecated", paragraph(doc, found.start())) if found else None


def decorated(decorators: list[ast.expr]) -> str | None:
    """Return the message of a decorator `deprecated`."""
    for each in decorators:
        if isinstance(each, ast.Call) and ast.unparse(each.func).endswith("deprecated"):
            return strings_in(each)
    return None


def documented(text: str) -> dict[str, Told]:
    """Return what the docstrings of the compiled part's functions say."""
    found: dict[str, Told] = {}
    for part in text.split("\nadd_docstr(")[1:]:
        name = re.match(r"\s*torch\.(\w+),", part)
        said = SAYS_SO.search(part[:2500]) if name else None
        if name and said:
            found[f"torch.{name[1]}"] = Told("deprecated", paragraph(part, said.start()))
    return found


def paragraph(text: str, at: int) -> str:
    """Return the paragraph around a place."""
    start = max(text.rfind("\n\n", 0, at), text.rfind("::", 0, at) + 2)
    end = text.find("\n\n", at)
    return text[start : end if end > 0 else None].strip()


def strings_in(node: ast.AST) -> str:
    """Return all strings in an expression, one after the other."""
    return "".join(
        each.value
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )


def prove(work: str, wanted: dict[str, str]) -> dict[str, str]:
    """Call what should warn or raise in the installed torch; give what did, and how it said so."""
    asked = os.path.join(work, "deprecated.json")
    with open(asked, "w", encoding="utf-8") as file:
        json.dump(wanted, file)
    found: dict[str, str] = json.loads(child([asked]))
    return found


def child(arguments: list[str]) -> str:
    """Run prove_deprecations.py, give what it prints last."""
    command = [sys.executable, os.path.join(HERE, "prove_deprecations.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=900)
    return done.stdout.strip().splitlines()[-1]


if __name__ == "__main__":
    sys.exit(main())
