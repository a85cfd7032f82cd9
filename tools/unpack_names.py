"""Lay the shipped index out as proofs again, so that it can be extended without proving it anew.

python -m tools.unpack_names --work FOLDER [PACKAGE ...]. What build_names.py and pack_names.py then
find in FOLDER says exactly what the index says: packed again, it has the same bytes. Names that
the proofs of a version listed without telling what they are (those that a module imports from
another package, say) are in no module of the index; they are kept in one list, "untold".
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from rocmlint.published import name_data, names
from tools.build_names import proof_file, say, write_gz

if TYPE_CHECKING:
    from collections.abc import Iterator


def main() -> int:
    """Write a proof for each version that has none."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", default=names.packages())
    parser.add_argument("--work", required=True, help="folder of build_names.py")
    parser.add_argument("--index", default=name_data.FOLDER)
    options = parser.parse_args()
    for package in options.packages:
        path = os.path.join(options.index, package + names.ENDING)
        made = Unpacked(name_data.NameFile(path)).write(options.work)
        say(f"{package}: {made} versions")
    return 0


class Unpacked:
    """A file of the index, taken apart by version."""

    def __init__(self, packed: name_data.NameFile) -> None:
        """Read all pieces."""
        self.head = packed.head
        self.package: str = self.head["package"]
        self.sets: list[int] = self.head["sets"]
        self.tables: dict[str, Any] = {}
        for piece in packed.names():
            self.tables |= packed.piece(piece)
        self.modules = {
            module: self.state(state)
            for state, listed in self.head["modules"].items()
            for module in listed.split()
        }
        self.named = {
            module: list(self.names_in(table["names"])) for module, table in self.tables.items()
        }
        self.older = sorted(
            name for name, _, there, _ in self.named.get(self.package, ()) if not there
        )

    def write(self, work: str) -> int:
        """Write what is not there yet; the number of versions written."""
        os.makedirs(os.path.dirname(proof_file(work, self.package, "0")), exist_ok=True)
        made = 0
        for index, version in enumerate(self.head["versions"]):
            kept = proof_file(work, self.package, version)
            if os.path.exists(kept):
                continue
            write_gz(proof_file(work, self.package, f"{version}.older"), self.answers(index))
            write_gz(kept, self.proof(index))
            made += 1
        return made

    def state(self, text: str) -> tuple[int, int]:
        """Return the two sets of versions that "there" or "there/unknown" stands for."""
        there, _, unknown = text.partition("/")
        return self.sets[int(there)], self.sets[int(unknown)] if unknown else 0

    def names_in(self, by_target: dict[str, Any]) -> Iterator[tuple[str, str, int, int]]:
        """Yield the names of a module, each with its target and its sets of versions."""
        for target, by_state in by_target.items():
            for state, listed in by_state.items():
                there, unknown = self.state(state)
                for name in listed.split():
                    yield name, target, there, unknown

    def proof(self, index: int) -> dict[str, Any]:
        """Return what an import of one version would have told."""
        bit = 1 << index
        found = [module for module, (there, _) in self.modules.items() if there & bit]
        proof: dict[str, Any] = {
            "package": self.package,
            "version": self.head["versions"][index],
            "modules": dict.fromkeys(found, ""),
            "names": {module: self.kinds(module, bit) for module in found},
            "dynamic": sorted(module for module in found if not self.whole(module) & bit),
            "classes": {},
            "functions": {},
            "foreign": self.foreign() if index == 0 else {},
            "untold": self.head["foreign"].split(),
            "told": {
                module: sorted({name for name, *_ in self.named.get(module, ())})
                for module in found
            },
        }
        for module, table in self.tables.items():
            for name, texts in table["functions"].items():
                for text in self.at(texts, bit):
                    proof["functions"][f"{module}.{name}"] = text
            for name, described in table["classes"].items():
                for bases in self.at({text: int(n) for n, text in described["bases"].items()}, bit):
                    proof["classes"][f"{module}.{name}"] = self.class_(described, bases, bit)
        return proof

    def whole(self, module: str) -> int:
        """Return the versions that told all names of a module."""
        table = self.tables.get(module)
        return self.sets[table["whole"]] if table else 0

    def kinds(self, module: str, bit: int) -> dict[str, str]:
        """Return the names of a module in one version, with what they stand for."""
        found: dict[str, str] = {}
        for name, target, there, unknown in self.named.get(module, ()):
            if there & bit:
                found[name] = kind_of(module, name, target)
            elif unknown & bit:
                found.setdefault(name, "?")
        return found

    def at(self, texts: dict[str, int], bit: int) -> Iterator[str]:
        """Yield the text that holds in one version."""
        return (text for text, number in texts.items() if self.sets[number] & bit)

    def class_(self, described: dict[str, Any], bases: str, bit: int) -> dict[str, Any]:
        """Return a class of one version."""
        methods = described.get("methods", {})
        own = {
            name: next(self.at(methods.get(name, {}), bit), None)
            for number, listed in described.get("own", {}).items()
            if self.sets[int(number)] & bit
            for name in listed.split()
        }
        made: dict[str, Any] = {"bases": [dotted_base(each) for each in bases.split()], "own": own}
        call = next(self.at(methods.get("()", {}), bit), None)
        if call is not None or self.sets[described.get("closed", 0)] & bit:
            made["call"] = call
        if self.sets[described.get("open", 0)] & bit:
            made["open"] = True
        return made

    def foreign(self) -> dict[str, list[str] | None]:
        """Return the attributes of classes from elsewhere."""
        return {
            name: None if listed is None else listed.split()
            for name, listed in self.head["bases"].items()
        }

    def answers(self, index: int) -> dict[str, Any]:
        """Return what one version answered when it was asked for older names and modules."""
        bit = 1 << index
        lost = (
            module
            for module, (there, unknown) in self.modules.items()
            if not (there | unknown) & bit
        )
        return {
            "names": {self.package: {}},
            "absent": sorted(lost),
            "wanted": {self.package: self.older},
            "mark": "",
        }


def kind_of(module: str, name: str, target: str) -> str:
    """Return what a name stands for, as prove_names.py writes it."""
    if not target:
        return "v"
    home, _, within = target.partition(":")
    return f"c{module if home == '.' else home}.{within or name}"


def dotted_base(base: str) -> str:
    """Return a base as prove_names.py writes it."""
    return base.removeprefix("!") if base.startswith("!") else base.replace(":", ".", 1)


if __name__ == "__main__":
    sys.exit(main())
