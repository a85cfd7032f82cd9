"""Make the shipped index, published/data/names, of what build_names.py proved.

python -m tools.pack_names --work FOLDER [PACKAGE ...]. The same proofs give the same bytes.
Nothing is said to be absent from a version unless its module was imported there and getattr
refused the name, or the module itself is not there.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import defaultdict
from typing import Any

from rocmlint.published import name_data, names
from tools.build_names import BESIDE, proof_file, proofs_of, read_gz

# Where one piece per sub-package of these is worth it: there are hundreds of them.
DEEP = {"models", "pipelines", "tuners", "modular_pipelines"}
DEFINITIONS = ("classes", "functions", "foreign")
# Sources of a generator, which are not what users import.
GENERATED_FROM = re.compile(r"^transformers\.models\.\w+\.modular_\w+$")


def main() -> int:
    """Write one file per package and say how large it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--work", required=True, help="folder of build_names.py")
    parser.add_argument("--out", default=name_data.FOLDER)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    for package in options.packages or [*BESIDE, "torch"]:
        proofs = proofs_of(options.work, package)
        if not proofs:
            continue
        answers = [answers_of(options.work, package, each["version"]) for each in proofs]
        table = Table(package, proofs, answers)
        path = os.path.join(options.out, package + names.ENDING)
        name_data.write(path, table.head(), table.pieces())
        print(f"{package}: {len(proofs)} versions, {table.counts()}, {os.path.getsize(path)} bytes")
    return 0


class Table:
    """All versions of one package put together; sets of versions are integers, a bit for each."""

    def __init__(
        self, package: str, proofs: list[dict[str, Any]], answers: list[dict[str, Any]]
    ) -> None:
        """Go through the proofs, oldest first."""
        self.package = package
        self.versions = [proof["version"] for proof in proofs]
        self.all = (1 << len(proofs)) - 1
        self.sets: dict[int, int] = {0: 0}
        self.found: dict[str, int] = defaultdict(int)
        self.maybe: dict[str, int] = defaultdict(int)  # modules of which that is not known
        self.whole: dict[str, int] = defaultdict(int)  # modules that list all their names
        self.untold: set[str] = set()
        self.targets: dict[str, dict[str, dict[str, int]]] = {}
        self.unsure: dict[str, dict[str, int]] = {}
        self.classes: dict[str, dict[str, Any]] = {}
        self.functions: dict[str, dict[str, int]] = {}
        self.bases: dict[str, set[str] | None] = {}
        older = {module for each in answers for module in each.get("absent", ())}
        modules = sorted({module for proof in proofs for module in proof["modules"]} | older)
        self.known = set(modules)
        own = own_names(proofs)
        self.older = {name for each in answers for name in each.get("older", ())} - own[package]
        own[package] |= self.older
        for index, (proof, answer) in enumerate(zip(proofs, answers, strict=True)):
            self.places = places(modules, proof, answer)
            for module in modules:
                self.add_module(1 << index, module, proof, answer, own.get(module, set()))
            for part in (proof, answer):
                for dotted, described in part.get("classes", {}).items():
                    self.add_class(1 << index, dotted, described)
                for dotted, text in part.get("functions", {}).items():
                    if text is not None:
                        by_text = self.functions.setdefault(self.place(dotted), {})
                        by_text[text] = by_text.get(text, 0) | 1 << index
                for dotted, attributes in part.get("foreign", {}).items():
                    self.add_base(dotted, attributes)

    def add_module(
        self, bit: int, module: str, proof: dict[str, Any], answer: dict[str, Any], own: set[str]
    ) -> None:
        """One module in one version."""
        state = proof["modules"].get(module)
        given = answer.get("names", {}).get(module)
        if state is not None or given is not None:
            self.found[module] |= bit
        elif module not in answer.get("absent", ()):
            self.maybe[module] |= bit
        else:
            self.whole[module] |= bit
            return
        if GENERATED_FROM.match(module):
            return
        listed = proof["names"].get(module)
        asked = given if given is not None else {}
        dynamic = module in proof["dynamic"] or listed is None
        if not dynamic:
            self.whole[module] |= bit
        wanted = answer.get("wanted", {}).get(module, ()) if given is not None else ()
        known = proof.get("told", {}).get(module, ())  # by the index that the proof is taken from
        untold = proof.get("untold", ())
        for name in own:
            kind = (listed or {}).get(name) or asked.get(name)
            told = name in wanted or name in known
            if not kind and name in untold and not told:
                kind = "?"
            if kind and kind[0] not in "x?":
                by_target = self.targets.setdefault(module, {}).setdefault(name, {})
                target = self.target(module, name, kind)
                by_target[target] = by_target.get(target, 0) | bit
            elif kind or (dynamic and not told):
                unsure = self.unsure.setdefault(module, {})
                unsure[name] = unsure.get(name, 0) | bit
        self.untold |= {
            name
            for name in listed or ()
            if name not in own and name.isidentifier() and f"{module}.{name}" not in self.known
        }
        self.untold.update(untold)

    def target(self, module: str, name: str, kind: str) -> str:
        """Where a class or a function is defined: "" for a value, "." for here."""
        if kind[0] not in "cf":
            return ""
        home, _, within = self.place(kind[1:]).partition(":")
        if within != name:
            return f"{home}:{within}"
        return "." if home == module else home

    def place(self, dotted: str) -> str:
        """Return a definition as "module:Name"."""
        module, within = dotted.rpartition(".")[::2]
        while module and module not in self.places:
            module, _, last = module.rpartition(".")
            within = f"{last}.{within}"
        return f"{module}:{within}"

    def add_class(self, bit: int, dotted: str, described: dict[str, Any]) -> None:
        """One class in one version."""
        kept = self.classes.setdefault(
            self.place(dotted),
            {"bases": {}, "own": {}, "methods": {}, "open": 0, "closed": 0},
        )
        bases = " ".join(
            self.base(each) for each in described["bases"] if each != "builtins.object"
        )
        kept["bases"][bases] = kept["bases"].get(bases, 0) | bit
        own = described["own"]
        for name, text in own.items():
            kept["own"][name] = kept["own"].get(name, 0) | bit
            if text is not None and (not name.startswith("_") or name == "__call__"):
                by_text = kept["methods"].setdefault(name, {})
                by_text[text] = by_text.get(text, 0) | bit
        text = described.get("call")
        if text is not None:
            by_text = kept["methods"].setdefault("()", {})
            by_text[text] = by_text.get(text, 0) | bit
        elif "call" in described and not own.keys() & {"__init__", "__new__"}:
            kept["closed"] |= bit
        if described.get("open"):
            kept["open"] |= bit

    def base(self, dotted: str) -> str:
        """Return a base as "module:Name", or "!name" for one from elsewhere."""
        mine = dotted == self.package or dotted.startswith(self.package + ".")
        place = self.place(dotted) if mine else ""
        return place if place and not place.startswith(":") else "!" + dotted

    def add_base(self, dotted: str, attributes: list[str] | None) -> None:
        """Return the attributes of a class from elsewhere: all that any version showed."""
        known = self.bases.setdefault(dotted, set())
        self.bases[dotted] = None if known is None or attributes is None else known | {*attributes}

    def set_of(self, versions: int) -> int:
        """Return the number of a set of versions in the table of sets."""
        return self.sets.setdefault(versions, len(self.sets))

    def state(self, there: int, unknown: int) -> str:
        """Two sets as "there" or "there/unknown"."""
        text = str(self.set_of(there))
        return f"{text}/{self.set_of(unknown)}" if unknown else text

    def head(self) -> dict[str, Any]:
        """Return what is read first; the pieces fill the table of sets, so they are made before."""
        made = self.pieces()
        modules: dict[str, list[str]] = defaultdict(list)
        for module in sorted({*self.found, *self.maybe, *self.whole}):
            modules[self.state(self.found[module], self.maybe[module])].append(module)
        assert made
        return {
            "package": self.package,
            "versions": self.versions,
            "modules": {state: " ".join(each) for state, each in modules.items()},
            "foreign": " ".join(sorted(self.untold)),
            "bases": {
                name: None if each is None else " ".join(sorted(each))
                for name, each in sorted(self.bases.items())
            },
            "sets": list(self.sets),
        }

    def pieces(self) -> dict[str, dict[str, Any]]:
        """Return the modules with their names, classes and functions, a few modules to a piece."""
        found: dict[str, dict[str, Any]] = defaultdict(dict)
        for module in sorted(self.found):
            parts = module.split(".")
            deep = len(parts) > 1 and parts[1] in DEEP
            found[".".join(parts[: 3 if deep else 2])][module] = {
                "whole": self.set_of(self.whole[module]),
                "names": self.names_of(module),
            }
        by_module: dict[str, list[str]] = defaultdict(list)
        for place in sorted({*self.classes, *self.functions}):
            by_module[place.partition(":")[0]].append(place)
        for tables in found.values():
            for module, table in tables.items():
                places_ = by_module[module]
                table["classes"] = {
                    each.partition(":")[2]: self.packed_class(self.classes[each])
                    for each in places_
                    if each in self.classes
                }
                table["functions"] = {
                    each.partition(":")[2]: self.by_text(self.functions[each])
                    for each in places_
                    if each in self.functions
                }
        return dict(found)

    def names_of(self, module: str) -> dict[str, dict[str, str]]:
        """Target -> state -> names."""
        found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        by_name: dict[str, dict[str, int]] = dict(self.targets.get(module, {}))
        if module == self.package:
            by_name |= {name: {"": 0} for name in self.older if name not in by_name}
        for name, by_target in sorted(by_name.items()):
            there = 0
            for versions in by_target.values():
                there |= versions
            unknown = self.unsure.get(module, {}).get(name, 0) & ~there
            if there | unknown == self.all and not there:
                continue
            for target, versions in sorted(by_target.items()):
                found[target][self.state(versions, unknown)].append(name)
        return {
            target: {state: " ".join(each) for state, each in by_state.items()}
            for target, by_state in sorted(found.items())
        }

    def packed_class(self, described: dict[str, Any]) -> dict[str, Any]:
        """Return a class as it is written; what is empty is left out."""
        own: dict[str, list[str]] = defaultdict(list)
        for name, versions in sorted(described["own"].items()):
            own[str(self.set_of(versions))].append(name)
        packed: dict[str, Any] = {
            "bases": {str(self.set_of(each)): text for text, each in described["bases"].items()},
            "own": {number: " ".join(each) for number, each in own.items()},
            "methods": {
                name: self.by_text(each) for name, each in sorted(described["methods"].items())
            },
        }
        for flag in ("open", "closed"):
            if described[flag]:
                packed[flag] = self.set_of(described[flag])
        return {key: value for key, value in packed.items() if value}

    def by_text(self, texts: dict[str, int]) -> dict[str, int]:
        """Signature -> the number of its set of versions."""
        return {text: self.set_of(versions) for text, versions in sorted(texts.items())}

    def counts(self) -> str:
        """How much there is."""
        listed = sum(map(len, self.targets.values()))
        texts = sum(bool(each) for each in self.functions.values())
        texts += sum(len(each["methods"]) for each in self.classes.values())
        return (
            f"{len(self.found)} modules, {listed} names, {len(self.classes)} classes, "
            f"{texts} callables with signatures"
        )


def answers_of(work: str, package: str, version: str) -> dict[str, Any]:
    """Return what a version answered when it was asked for names; "older": which older ones."""
    files = [proof_file(work, package, f"{version}.{which}") for which in ("asked", "older")]
    asked, older = (read_gz(each) if os.path.exists(each) else {} for each in files)
    names_given = {**older.get("names", {}), **asked.get("names", {})}
    names_given[package] = {
        **asked.get("names", {}).get(package, {}),
        **older.get("names", {}).get(package, {}),
    }
    if not asked and not older:
        return {}
    merged = {part: {**older.get(part, {}), **asked.get(part, {})} for part in DEFINITIONS}
    wanted = {module: set(each) for module, each in asked.get("wanted", {}).items()}
    words = set(older.get("wanted", {}).get(package, ()))
    wanted[package] = wanted.get(package, set()) | words
    return {
        **merged,
        "names": names_given,
        "absent": {*asked.get("absent", ()), *older.get("absent", ())},
        "wanted": wanted,
        "older": words,
    }


def own_names(proofs: list[dict[str, Any]]) -> dict[str, set[str]]:
    """Return, for each module, the names that are the package's own in some version."""
    found: dict[str, set[str]] = defaultdict(set)
    for proof in proofs:
        for module, listed in proof["names"].items():
            for name, kind in listed.items():
                private = name.startswith("_") and name != "__version__" and kind[0] not in "cf"
                submodule = kind == "m" and f"{module}.{name}" in proof["modules"]
                if kind[0] not in "x?" and not private and not submodule:
                    found[module].add(name)
    return found


def places(modules: list[str], proof: dict[str, Any], answer: dict[str, Any]) -> set[str]:
    """Return the modules that there are in a version."""
    given = answer.get("names", {})
    return {each for each in modules if each in proof["modules"] or each in given}


if __name__ == "__main__":
    sys.exit(main())
