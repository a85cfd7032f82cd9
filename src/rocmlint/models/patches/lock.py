"""The lock file: of which code upstream the patches were reviewed, as fingerprints."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from rocmlint.errors import ConfigError
from rocmlint.models.patches.problems import Place, Problem
from rocmlint.python.scopes import FUNCTIONS
from rocmlint.text.words import fitted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rocmlint.models.patches.check import Checked
    from rocmlint.models.patches.library import Library

NAME = "rocmlint-export.lock"
VERSION = 1
_LEFT_OUT = {"annotation", "returns", "type_comment", "type_params", "type_ignores", "kind", "ctx"}
"""Fields of nodes that change nothing when the code runs, or that not every Python has."""


@dataclass(frozen=True)
class Locked:
    """The fingerprint of a target, and the version in which it was taken."""

    version: str
    fingerprint: str


def fingerprint(node: ast.AST) -> str:
    """Return the fingerprint of code, the same for other comments, layout and annotations."""
    return sha256(json.dumps(_plain(node), separators=(",", ":")).encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, ast.AnnAssign) and value.value is not None:
        value = ast.Assign(targets=[value.target], value=value.value)
    if isinstance(value, ast.AST):
        fields = {
            name: _plain(_without_docstring(value, name, item))
            for name, item in ast.iter_fields(value)
            if name not in _LEFT_OUT and item not in (None, [])
        }
        return {"": type(value).__name__, **fields}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value if isinstance(value, (str, int, bool)) else repr(value)


def _without_docstring(node: ast.AST, name: str, item: Any) -> Any:
    is_body = name == "body" and isinstance(node, (*FUNCTIONS, ast.ClassDef))
    return item[1:] if is_body and ast.get_docstring(node, clean=False) is not None else item  # type: ignore[arg-type]


def taken(checked: Iterable[Checked], library: Library) -> dict[str, Locked]:
    """Return the fingerprints of all that the patches replace, as far as it has a source."""
    found: dict[str, Locked] = {}
    for module in checked:
        for patch in module.patches:
            for each in patch.replacements:
                node = library.find(each.target).node
                if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                    version = library.version(each.target.partition(".")[0])
                    found[each.target] = Locked(str(version or ""), fingerprint(node))
    return found


def changed(checked: Checked, locked: Mapping[str, Locked], library: Library) -> Iterator[Problem]:
    """Yield the patches whose original is not the code that the lock file has."""
    now = taken((checked,), library)
    for patch in checked.patches:
        for each in patch.replacements:
            before, after = locked.get(each.target), now.get(each.target)
            if before is None or after is None or before.fingerprint == after.fingerprint:
                continue
            message = fitted(
                "`{}` changed between {before} and {after}",
                _short(each.target),
                before=before.version,
                after=after.version,
            )
            help = "Review the patch against the new code, then run rocmlint export check --lock."
            module = patch.names.module
            place = Place.of(each.place, module.path, module.text)
            found = library.find(each.target)
            original = None
            if found.module is not None and found.node is not None:
                original = Place.of(found.node, found.module.path, found.module.text)
            yield Problem(
                "body-changed",
                patch.name,
                patch.target,
                message,
                help,
                place,
                original,
                each.target,
            )


def _short(target: str) -> str:
    """Return the class and the method, or the function alone."""
    parts = target.split(".")
    return ".".join(parts[-2:] if parts[-2][:1].isupper() else parts[-1:])


def parsed(text: str, path: str) -> dict[str, Locked]:
    """Read a lock file. Raises ConfigError for what is not one."""
    try:
        document = json.loads(text)
        if document["version"] != VERSION:
            message = f"{path}: version {document['version']!r} is not supported, {VERSION} is"
            raise ConfigError(message)
        return {
            str(target): Locked(str(each["version"]), str(each["sha256"]))
            for target, each in document["targets"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        message = f"{path}: not a lock file of rocmlint export check ({type(error).__name__})"
        raise ConfigError(message) from error


def written(locked: Mapping[str, Locked]) -> str:
    """Return a lock file (docs/schema/export-lock.json), sorted, for small differences."""
    targets = {
        target: {"version": each.version, "sha256": each.fingerprint}
        for target, each in sorted(locked.items())
    }
    return json.dumps({"version": VERSION, "targets": targets}, indent=2) + "\n"
