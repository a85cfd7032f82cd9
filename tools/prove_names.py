"""What one installed version of a package really has: imports every module and asks getattr.

Runs inside the child environment that build_names.py makes, with its own interpreter and
without rocmlint: python prove_names.py PACKAGE OUT.json [--ask NAMES.json] [--skip MODULE ...]
"""

from __future__ import annotations

import argparse
import contextlib
import dis
import enum
import gc
import importlib
import importlib.machinery
import importlib.util
import inspect
import json
import os
import re
import signal
import sys
import types
from typing import TYPE_CHECKING, Any

from tools.prove_signatures import call, open_class, signature

if TYPE_CHECKING:
    from collections.abc import Iterator

MODULE_LIMIT = 90  # seconds for one import

# Code that runs when imported, or that is no part of what users import.
SKIPPED = re.compile(r"(\.|^)(tests?|convert_\w+|__main__|benchmark|test_utils\.scripts)(\.|$)")
# Attributes that every class has, or that say nothing about what it can do.
BORING = {
    *vars(object),
    "__module__",
    "__dict__",
    "__weakref__",
    "__annotations__",
    "__parameters__",
    "__orig_bases__",
    "__abstractmethods__",
    "_abc_impl",
    "__dataclass_fields__",
    "__dataclass_params__",
    "__match_args__",
    "__firstlineno__",
    "__static_attributes__",
    "__init_subclass__",
    "__class_getitem__",
} - {"__init__", "__new__"}


class Late(Exception):  # noqa: N818
    """An import that took longer than MODULE_LIMIT."""


def main() -> int:
    """Write what the package has."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package")
    parser.add_argument("out")
    parser.add_argument("--ask", help="JSON: module -> names known from other versions")
    parser.add_argument("--skip", nargs="*", default=[])
    options = parser.parse_args()
    gc.disable()
    sys.setrecursionlimit(5000)
    signal.signal(signal.SIGALRM, late)
    ready_torchvision()
    if options.ask:
        with open(options.ask, encoding="utf-8") as file:
            found = ask(options.package, json.load(file))
    else:
        found = Proof(options.package, options.skip).everything()
    with open(options.out + ".part", "w", encoding="utf-8") as file:
        json.dump(found, file, separators=(",", ":"), sort_keys=True)
    os.replace(options.out + ".part", options.out)
    sys.stdout.flush()
    os._exit(0)  # threads that an import started do not hold the end up


def late(*_: object) -> None:
    """End an import that hangs."""
    raise Late


def ready_torchvision() -> None:
    """Declare the operators of torchvision's compiled part, which needs a CUDA torch to load."""
    spec = importlib.util.find_spec("torchvision")
    if spec is None or not spec.submodule_search_locations:
        return
    import torch  # noqa: PLC0415

    names = set()
    folder = spec.submodule_search_locations[0]
    for file in ("_meta_registrations.py", "ops/_register_onnx_ops.py"):
        with contextlib.suppress(OSError), open(os.path.join(folder, file), encoding="utf-8") as at:
            names |= set(re.findall(r"""register_meta\(["'](\w+)|torchvision::(\w+)""", at.read()))
    library: Any = torch.library.Library("torchvision", "DEF")
    for name in {first or second for first, second in names}:
        with contextlib.suppress(RuntimeError):
            library.define(f"{name}(Tensor a) -> Tensor")
    globals()["_kept"] = library


def modules_of(package: str) -> Iterator[str]:
    """Every module that the package's folder has, by its dotted name."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return
    endings = tuple(importlib.machinery.EXTENSION_SUFFIXES)
    for folder in spec.submodule_search_locations:
        for at, folders, files in os.walk(folder):
            folders[:] = sorted(each for each in folders if each.isidentifier())
            inside = os.path.relpath(at, folder)
            parts = [] if inside == "." else inside.split(os.sep)
            here = ".".join([package, *parts])
            if "__init__.py" in files:
                yield here
            for file in sorted(files):
                name = file.partition(".")[0]
                if (file.endswith(".py") or file.endswith(endings)) and name.isidentifier():
                    if name != "__init__":
                        yield f"{here}.{name}"


def load(name: str) -> types.ModuleType | str:
    """Return the module, or what its import raised."""
    signal.alarm(MODULE_LIMIT)
    try:
        return importlib.import_module(name)
    except BaseException as error:  # noqa: BLE001  # SystemExit and C++ errors are answers too
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        absent = missing is not None and f"{name}.".startswith(f"{missing}.")
        return "absent" if absent else f"{type(error).__name__}: {str(error)[:160]}"
    finally:
        signal.alarm(0)


def imported(module: types.ModuleType) -> tuple[dict[str, str], set[str]]:
    """Names that the module's code imports -> from where; and all names that its code binds."""
    loader = getattr(module.__spec__, "loader", None)
    try:
        code = loader.get_code(module.__name__)  # type: ignore[union-attr]
    except Exception:  # noqa: BLE001
        return {}, set()
    origins: dict[str, str] = {}
    bound: set[str] = set()
    source, level, previous = "", 0, None
    constants: list[Any] = []
    for each in dis.get_instructions(code) if code else ():
        if each.opname == "LOAD_CONST":
            constants.append(each.argval)
        elif each.opname == "IMPORT_NAME":
            level = constants[-2] if len(constants) > 1 and isinstance(constants[-2], int) else 0
            source = "." * level + each.argval
        elif each.opname in {"STORE_NAME", "STORE_GLOBAL"}:
            bound.add(each.argval)
            if previous in {"IMPORT_FROM", "IMPORT_NAME"}:
                origins[each.argval] = source
        previous = each.opname
    return origins, bound


class Proof:
    """All that one version has."""

    def __init__(self, package: str, skip: list[str]) -> None:
        """Nothing asked yet."""
        self.package = package
        self.skip = set(skip)
        self.modules: dict[str, str] = {}
        self.names: dict[str, dict[str, str]] = {}
        self.dynamic: list[str] = []
        self.classes: dict[str, dict[str, Any]] = {}
        self.functions: dict[str, str | None] = {}
        self.foreign: dict[str, list[str] | None] = {}

    def everything(self) -> dict[str, Any]:
        """Import all modules, then ask each for its names."""
        loaded: dict[str, types.ModuleType] = {}
        for name in modules_of(self.package):
            if SKIPPED.search(name) or name in self.skip:
                self.modules[name] = "skipped"
                continue
            print(name, file=sys.stderr, flush=True)  # where a killed child was
            module = load(name)
            if isinstance(module, str):
                self.modules[name] = module
            else:
                loaded[name] = module
        for name, module in sorted(sys.modules.items()):  # what imports put there by hand
            if (
                self.mine(name)
                and name not in self.modules
                and isinstance(module, types.ModuleType)
            ):
                loaded.setdefault(name, module)
        for name, module in loaded.items():
            self.modules[name] = ""
            self.module(name, module)
        return {
            "package": self.package,
            "python": sys.version.split()[0],
            "modules": self.modules,
            "names": self.names,
            "dynamic": sorted(self.dynamic),
            "classes": self.classes,
            "functions": self.functions,
            "foreign": self.foreign,
        }

    def mine(self, name: object) -> bool:
        """Whether a module's name lies in the package."""
        return isinstance(name, str) and (
            name == self.package or name.startswith(self.package + ".")
        )

    def module(self, name: str, module: types.ModuleType) -> None:
        """Ask a module for every name that it lists, exports or binds."""
        space = vars(module)
        if "__getattr__" in space or type(module) is not types.ModuleType:
            self.dynamic.append(name)
        origins, bound = imported(module)
        exported = space.get("__all__") or ()
        listed = {each for each in (*dir(module), *exported) if str(each).isidentifier()}
        answers: dict[str, str] = {}
        for each in sorted(listed | bound):
            if each.startswith("__") and each != "__version__":
                continue
            there, value = value_of(module, each)
            if there:
                answers[each] = self.kind(name, each, value, origins.get(each))
            else:  # bound under a condition that does not hold here, or its import fails
                answers[each] = "?"
        self.names[name] = answers

    def kind(self, module: str, name: str, value: Any, origin: str | None) -> str:
        """Return what a name stands for: m, v(alue), x (foreign), or c/f and its definition."""
        if isinstance(value, types.ModuleType):
            return "m" if self.mine(value.__name__) else "x"
        if isinstance(value, type) or callable(value):
            home = getattr(value, "__module__", None)
            within = getattr(value, "__qualname__", None)
            if self.mine(home) and isinstance(within, str):
                home, within = self.place(module, name, value, str(home), within)
                return self.define(f"{home}.{within}", value)
            if isinstance(value, type) or (isinstance(home, str) and home != "typing"):
                assigned = origin is None and within != name
                return "v" if assigned and not inspect.isbuiltin(value) else "x"
        foreign = origin is not None and not origin.startswith(".") and not self.mine(origin)
        return "x" if foreign else "v"

    def place(self, module: str, name: str, value: Any, home: str, within: str) -> tuple[str, str]:
        """Where the class or function can be found again; here, where its own word is no help."""
        found: Any = sys.modules.get(home)
        for part in within.split("."):
            found = getattr(found, "__dict__", {}).get(part)
        return (home, within) if found is value else (module, name)

    def define(self, dotted: str, value: Any) -> str:
        """Record a class or a function once."""
        if isinstance(value, type):
            if dotted not in self.classes:
                self.classes[dotted] = {}  # its own bases may lead here again
                self.classes[dotted] = self.class_(value)
            return "c" + dotted
        self.functions[dotted] = signature(value)
        return "f" + dotted

    def class_(self, value: type) -> dict[str, Any]:
        """Return a class: its bases, own attributes with signatures of methods, its call."""
        own: dict[str, str | None] = {}
        for name, each in vars(value).items():
            if name not in BORING:
                own[name] = signature(each, bound=True)
        members = value.__members__ if isinstance(value, enum.EnumMeta) else ()
        annotated = vars(value).get("__annotations__")
        for name in (*(annotated if isinstance(annotated, dict) else ()), *members):
            own.setdefault(name, None)
        described: dict[str, Any] = {"bases": [self.base(b) for b in value.__bases__], "own": own}
        if open_class(value):
            described["open"] = True
        if own.keys() & {"__init__", "__new__"} or "__call__" in vars(type(value)):
            described["call"] = call(value)
        return described

    def base(self, value: type) -> str:
        """Return the dotted name of a base; one from elsewhere is recorded with its attributes."""
        dotted = f"{value.__module__}.{value.__qualname__}"
        if self.mine(value.__module__):
            if self.place("", "", value, value.__module__, value.__qualname__)[0]:
                self.define(dotted, value)
                return dotted
            dotted = "<unknown>"
            self.foreign[dotted] = None
        elif value is not object:
            names = sorted(set(dir(value)) - set(dir(object)))
            self.foreign[dotted] = None if open_class(value) else names
        return dotted


def value_of(module: types.ModuleType, name: str) -> tuple[bool, Any]:
    """Whether getattr gives a name; then its value, else what getattr raised."""
    signal.alarm(MODULE_LIMIT)
    try:
        return True, getattr(module, name)
    except BaseException as error:  # noqa: BLE001  # a lazy import may raise anything
        return False, error
    finally:
        signal.alarm(0)


def ask(package: str, known: dict[str, list[str]]) -> dict[str, Any]:
    """For modules whose attributes are made on demand: which names of other versions they give."""
    answers: dict[str, dict[str, str]] = {}
    missing: set[str] = set()
    proof = Proof(package, [])
    for name, names in sorted(known.items()):
        module = "absent" if name.rpartition(".")[0] in missing else load(name)
        if isinstance(module, str):
            if module == "absent":
                missing.add(name)
            continue
        answers[name] = {}
        for each in names:
            there, value = value_of(module, each)
            if there:
                answers[name][each] = proof.kind(name, each, value, None)
            elif not isinstance(value, AttributeError):
                answers[name][each] = "?"
    return {
        "names": answers,
        "absent": sorted(missing),
        "classes": proof.classes,
        "functions": proof.functions,
        "foreign": proof.foreign,
    }


if __name__ == "__main__":
    sys.exit(main())
