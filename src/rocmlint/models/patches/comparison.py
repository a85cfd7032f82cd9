"""Whether a patch fits what it replaces: one patch, one version of the library."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.models.patches.bodies import attributes_of, attributes_read, use_of
from rocmlint.models.patches.callers import most_by_position
from rocmlint.models.patches.contracts import PREFIX
from rocmlint.models.patches.kinds import KINDS
from rocmlint.models.patches.library import decorators
from rocmlint.models.patches.problems import Place, Problem
from rocmlint.models.patches.signatures import Signature, differences
from rocmlint.python.scopes import FUNCTIONS
from rocmlint.text.words import fitted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.models.patches.contracts import Patch, Replacement
    from rocmlint.models.patches.library import Found, Library

_OF_DOCS = {
    "add_code_sample_docstrings", "add_end_docstrings", "add_start_docstrings",
    "add_start_docstrings_to_model_forward", "auto_docstring", "override",
    "replace_return_docstrings",
}  # fmt: skip
"""Decorators that change nothing when the function runs."""
_DESCRIPTORS = {
    "staticmethod": "a static method",
    "classmethod": "a class method",
    "property": "a property",
    "cached_property": "a property",
}
_METHOD = "a method"
_HELP_KWARGS = "Take `{0}` and use it, or raise for a value that the patch does not support."


@dataclass(frozen=True)
class Comparison:
    """Compares a patch with what it replaces."""

    patch: Patch
    library: Library

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong with the patch itself, then with each of its functions."""
        patch = self.patch
        if patch.unreadable:
            help = "Write the contract as literals: a list of names, and the class itself."
            message = fitted("`{}`: {}", patch.name, patch.unreadable)
            yield self._problem("contract-unreadable", message, help, patch.place)
        yield from self._allows()
        for name in patch.undefined:
            message = fitted("`{}` lists `{}` and does not define it", patch.name, name)
            help = "Define the method in the patch, or remove its name from the list."
            yield self._problem("method-undefined", message, help, patch.node, about=name)
        if not patch.target:
            return
        if patch.form == "class":
            yield from self._of_class()
        else:
            for each in patch.replacements:
                yield from self._of_path(each)

    def _allows(self) -> Iterator[Problem]:
        for name in self.patch.allows:
            if name not in KINDS:
                message = fitted(
                    "`_PATCH_ALLOWS_` names `{}`, which is not a kind of problem", name
                )
                help = "rocmlint export check --help lists the kinds."
                place = self.patch.allowed_at or self.patch.node
                yield self._problem("unknown-allow", message, help, place, about=name)

    # What is patched

    def _of_class(self) -> Iterator[Problem]:
        holder = self.library.find(self.patch.target)
        if holder.status == "missing":
            yield self._missing("class-missing", self.patch.target, holder, self.patch.place)
        if holder.status != "found":
            return
        if not holder.is_class:
            if not holder.several:
                message = fitted("`{}` is not a class", self.patch.target)
                yield self._problem(
                    "not-a-class", message, "Name the class itself.", self.patch.place
                )
            return
        for each in self.patch.replacements:
            original = self.library.member(holder, each.attribute)
            if original.status == "missing":
                yield from self._added(each, holder)
            elif original.status == "found":
                yield from self._of_function(each, original)
        yield from self._of_self(holder)

    def _of_path(self, replacement: Replacement) -> Iterator[Problem]:
        owner = replacement.target.rpartition(".")[0]
        holder = self.library.find(owner)
        original = self.library.find(replacement.target)
        if holder.status == "missing":
            yield self._missing("class-missing", owner, holder, replacement.place)
        elif original.status == "missing" and holder.is_class:
            yield self._no_method(replacement, holder)
        elif original.status == "missing":
            yield self._missing("function-missing", replacement.target, original, replacement.place)
        elif original.status == "found":
            yield from self._of_function(replacement, original)

    def _missing(self, kind: str, target: str, found: Found, place: ast.AST) -> Problem:
        gone = found.missing or target
        package = target.partition(".")[0]
        message = fitted("{version} has no `{}`", gone, version=self._version(package))
        name = gone.rpartition(".")[2]
        help = f"Find what took the place of `{name}`, or apply the patch only to versions with it."
        return self._problem(kind, message, help, place, about=target)

    def _added(self, replacement: Replacement, holder: Found) -> Iterator[Problem]:
        """Yield a method that the class lacks, unless another method of the patch calls it."""
        name = replacement.attribute
        others = [each.function for each in self.patch.replacements if each is not replacement]
        read = [attributes_of(each, read=True).names for each in others if each is not None]
        if not any(name in each for each in read):
            yield self._no_method(replacement, holder)

    def _no_method(self, replacement: Replacement, holder: Found) -> Problem:
        version = self._version(holder.dotted.partition(".")[0])
        name = holder.dotted.rpartition(".")[2]
        message = fitted(
            "`{}` has no `{}` in {version}", name, replacement.attribute, version=version
        )
        help = "The library never calls it. Patch the method that replaced it."
        place = replacement.place
        return self._problem(
            "method-missing", message, help, place, original=holder, about=replacement.attribute
        )

    # Functions

    def _of_function(self, replacement: Replacement, original: Found) -> Iterator[Problem]:
        own = replacement.function
        if own is None or not isinstance(original.node, FUNCTIONS):
            return
        kinds = [_descriptor(each) for each in (own, original.node)]
        is_method = original.owner is not None
        # A factory may make a static method of what it returns; nobody can tell.
        if is_method and kinds[0] != kinds[1] and self.patch.form == "class":
            message = fitted(
                "`{}` is {own}, the original is {original}",
                replacement.attribute,
                own=kinds[0],
                original=kinds[1],
            )
            help = f"Make it {kinds[1]}, so that it gets the arguments that callers pass."
            yield self._problem(
                "descriptor-kind", message, help, replacement.place, original=original
            )
            return
        yield from self._dropped(replacement, original)
        if not original.several:
            yield from self._signature(replacement, original)

    def _dropped(self, replacement: Replacement, original: Found) -> Iterator[Problem]:
        if self.patch.form == "factory" or isinstance(replacement.function, ast.Lambda):
            return
        assert replacement.function is not None
        own = {each.removeprefix(PREFIX) for each in decorators(replacement.function)}
        assert original.node is not None
        for name in sorted(decorators(original.node) - own - _OF_DOCS - set(_DESCRIPTORS)):
            message = fitted(
                "`{}` lacks the original's decorator `@{}`", self._name(replacement), name
            )
            help = "Add it, or say in the patch why it is not needed."
            yield self._problem(
                "decorator-dropped", message, help, replacement.place, original=original, about=name
            )

    def _signature(self, replacement: Replacement, original: Found) -> Iterator[Problem]:
        own = replacement.function
        assert own is not None
        assert isinstance(original.node, FUNCTIONS)
        bound = original.owner is not None and _descriptor(original.node) != "a static method"
        signature = Signature.of(own, bound=bound)
        before = Signature.of(original.node, bound=bound)
        use = use_of(own, signature.options, replacement.wraps)
        for each in differences(signature, before, use, most_by_position(original)):
            # What is not taken at all fails for each of them.
            shared = each.kind != "parameter-missing"
            if shared and self._is_of_sibling(replacement, each.parameter):
                continue
            message = fitted("`{}` {difference}", self._name(replacement), difference=each.text)
            yield self._problem(
                each.kind,
                message,
                _help(each.kind, each.parameter),
                replacement.place,
                original=original,
                about=each.parameter,
            )

    def _is_of_sibling(self, replacement: Replacement, parameter: str) -> bool:
        """Return whether another function of the same factory has a parameter of this name."""
        others = [each for each in replacement.siblings if each != replacement.target]
        found = [self.library.find(each).node for each in others]
        return any(
            isinstance(each, FUNCTIONS) and Signature.of(each).get(parameter) is not None
            for each in found
        )

    # self

    def _of_self(self, holder: Found) -> Iterator[Problem]:
        order = self.library.order(holder)
        if not order.complete or holder.several:
            return
        listed = {each.attribute for each in self.patch.replacements} | set(self.patch.undefined)
        known = [attributes_of(each.node, read=True) for each in order.classes if each.node]
        for replacement in self.patch.replacements:
            function = replacement.function
            if not isinstance(function, FUNCTIONS) or _descriptor(function) != _METHOD:
                continue
            read = attributes_read(function, self.patch.names, self.library)
            for name, node in read.items():
                if name in listed or name.startswith("__") or any(name in each for each in known):
                    continue
                if self.library.member(holder, name).status == "missing":
                    yield self._no_attribute(name, node, replacement, holder)

    def _no_attribute(
        self, name: str, node: ast.AST, replacement: Replacement, holder: Found
    ) -> Problem:
        assert self.patch.found is not None
        is_own = self.library.member(self.patch.found, name).status == "found"
        kind = "method-not-listed" if is_own else "attribute-missing"
        version = self._version(holder.dotted.partition(".")[0])
        owner = holder.dotted.rpartition(".")[2]
        message = fitted("`{}` has no `self.{}` in {version}", owner, name, version=version)
        help = f"Find what took the place of `{name}` in the class."
        if is_own:
            message = fitted("`{}` uses `self.{}`, which is not installed", self.patch.name, name)
            help = f"Add `{name}` to `_PATCHES_`: only what is listed there is installed."
        place = node if replacement.place is replacement.function else replacement.place
        return self._problem(kind, message, help, place, original=holder, about=name)

    # Words

    def _version(self, package: str) -> str:
        version = self.library.version(package)
        return package if version is None else f"{package} {version}"

    def _name(self, replacement: Replacement) -> str:
        return (
            self.patch.name
            if self.patch.name.startswith(PREFIX) and self.patch.form != "class"
            else replacement.attribute
        )

    def _problem(  # noqa: PLR0913 - a problem has so many parts
        self,
        kind: str,
        message: str,
        help: str,
        node: ast.AST,
        *,
        original: Found | None = None,
        about: str = "",
    ) -> Problem:
        module = self.patch.names.module
        before = None
        if original is not None and original.module is not None and original.node is not None:
            before = Place.of(original.node, original.module.path, original.module.text)
        place = Place.of(node, module.path, module.text)
        target = self.patch.target
        return Problem(kind, self.patch.name, target, message, help, place, before, about)


def _descriptor(node: ast.AST) -> str:
    return next((_DESCRIPTORS[each] for each in decorators(node) if each in _DESCRIPTORS), _METHOD)


def _help(kind: str, parameter: str) -> str:
    if kind in {"parameter-swallowed", "parameter-forwarded"}:
        return _HELP_KWARGS.format(parameter)
    if kind == "parameter-required":
        return f"Give `{parameter}` the default that callers rely on, or do without it."
    if kind == "parameter-missing":
        return f"Take `{parameter}` as the original does."
    return "Write the parameters as the original has them."
