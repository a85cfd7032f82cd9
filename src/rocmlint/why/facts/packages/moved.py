"""Where a name or a module of an indexed package is in another release, and what replaced it."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile

from packaging.version import Version

from rocmlint.published.names import index_of, names_of
from rocmlint.published.replacements import replacement_of


def successor(dotted: str, release: Version) -> str:
    """Return what to do in a release that no longer has a name; empty where nothing is known.

    What the package's own code said when it deprecated the name comes before where it is now.
    """
    known = replacement_of(dotted)
    if known is not None and known.advice:
        return known.advice[0].lower() + known.advice[1:]
    if known is not None and _may_have(known.new, release, dotted):
        return f"use {known.new}" + ("" if known.same else ", if it does the same")
    module, name = moved_to(dotted, release), dotted.rpartition(".")[2]
    return f"import {name} from {module}, if it does the same" if module else ""


def _may_have(new: str, release: Version, old: str) -> bool:
    """Return whether a release of the old name's package has the new one, if it is of that package.

    Which release of another package is installed is not known here.
    """
    package = new.partition(".")[0]
    known = names_of(package) if package == old.partition(".")[0] else None
    history = known.history(new) if known is not None else None
    return history is None or bool(history.at(release))


def moved_to(dotted: str, release: Version) -> str:
    """Return the module of a release that has a name of this name; empty for none or a private one.

    That is where older releases defined it, else the module that shares most with the old one.
    """
    module, _, name = dotted.rpartition(".")
    known = names_of(dotted.partition(".")[0])
    if known is None or name.startswith("_"):
        return ""
    history = known.history(dotted)
    had = (
        [each for each in history.versions if each < release and history.at(each)]
        if history
        else []
    )
    home = known.defined_as(dotted, had[-1]) if had else None
    if home is not None and home != dotted and home.endswith(f".{name}") and "._" not in home:
        still = known.history(home)
        if still is not None and still.at(release):
            return home.rpartition(".")[0]
    modules = modules_with(known.package, name, release)
    found = [each for each in modules if _may_be_meant(each, module)]
    public = [each for each in found if "._" not in each and "dummy" not in each]
    return min(public, key=lambda each: (-_shared(each, module), len(each)), default="")


def moved_module(module: str, release: Version) -> str:
    """Return the one module of a release that has the last name of another one; empty for none."""
    known = names_of(module.partition(".")[0])
    ending = "." + module.rpartition(".")[2]
    if known is None or module.count(".") == 0:
        return ""
    found = []
    for each in known.modules():
        history = known.history(each) if each.endswith(ending) and "._" not in each else None
        if history is not None and history.at(release):
            found.append(each)
    return found[0] if len(found) == 1 else ""


@lru_cache(maxsize=256)
def modules_with(package: str, name: str, release: Version | None) -> tuple[str, ...]:
    """Return the modules of an indexed package that have a name; of its newest release for None."""
    known = names_of(package)
    if known is None:
        return ()
    asked = Version(release.base_version) if release is not None else known.versions[-1]
    if index_of(known.versions, asked) is None:  # older, newer or a development version
        asked = known.versions[0 if asked < known.versions[0] else -1]
    return known.elsewhere(name, asked)


def _may_be_meant(found: str, module: str) -> bool:
    """Return whether a module is not that of another model."""
    model = re.match(r"\w+\.models\.\w+", found)
    return found != module and (model is None or f"{module}.".startswith(f"{model[0]}."))


def _shared(one: str, other: str) -> int:
    pairs = zip(one.split("."), other.split("."), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
