"""Checks that are made to say always the same: how code does it, and what excuses it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import libcst as cst

from rocmlint.project.packages import known_packages
from rocmlint.rule import (
    AttributePatch,
    attribute_patches,
    compile_lazily,
    conditions,
    constant,
    dotted_text,
    last_name,
    nodes,
    shortened,
    statements,
    string_value,
    walk,
)

from ._circumstances import (
    is_conditional,
    is_reasoned,
    is_taken_back,
    is_undone,
)
from ._fakes import (
    answer,
    has_made_up_spec,
    hides_packages,
    is_mock,
    is_stub,
    makes_up_specs,
    passes_checks,
)
from ._kernel_stubs import (
    calls_of,
    fills_a_gap,
    has_mocked_members,
    is_for_other_machine,
    is_gone,
    is_hollow_module,
    names_of,
    only_raises,
    stubbed_kernel,
)
from ._patches import PATCH_CHECK, PATCH_WORDS, imported_module, index_of, local_definition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

_CHECK_BY_SETATTR = rf"(?:is)?_\w+_available|{PATCH_CHECK}"
"""Others are set by ``setattr`` too seldom to look at every file with a ``setattr``."""
_CHECK = rf"is_\w+_available|_\w+_available|{PATCH_CHECK}|check_\w+|get_imports"
_IMPORT_CHECKS = frozenset({"check_imports", "get_imports"})
"""Checks that give a list of what is missing or needed: an empty one is a yes."""
_IMPORTS_PYTEST = compile_lazily(r"^[ \t]*(?:import|from)[ \t]+pytest\b", re.MULTILINE)
_IS_TESTED = compile_lazily(
    r"^\s*(?:(?:import|from)\s+(?:pytest|unittest)\b(?!\s*\.\s*mock\b)|def\s+test_|class\s+Test)",
    re.MULTILINE,
)
_IS_RUN = compile_lazily(r"^if[\s(]+__name__\s*==", re.MULTILINE)
FAST_PATH = compile_lazily(r"aiter|causal_conv1d|flash|flex_attention|liger|mamba|triton|xformers")
"""Names of checks for fast paths."""
ATTENTION = compile_lazily(r"aiter|flash|sageattention|xformers")
"""Names of packages whose kernels are attention."""
FAST_PACKAGES = ("aiter", "apex", "deepspeed", "flash_attn", "triton", "xformers")
"""Packages that bring fast kernels."""
_SET_CHECK = compile_lazily(
    rf"\.(?<!\bself\.)\s*(?:{_CHECK}|find_spec)(?:\s*\.\s*return_value)?[ \t]*=(?!=)"
)


def _set_checks(source: Source) -> Iterator[re.Match[str]]:
    """Find attributes with the name of a check that are set."""
    return _SET_CHECK.finditer(source.text)


SETS_CHECKS = nodes(
    "Assign",
    words=(
        "_available =",
        "_available=",
        "_imports =",
        "= lambda",
        "=lambda",
        "find_spec =",
        "find_spec=",
        ".check_",
        *PATCH_WORDS,
    ),
    suspects=_set_checks,
    described="assignments to functions that check",
) | nodes(
    "Call",
    words=('_available", ', "_available', ", *PATCH_WORDS),
    where=r"setattr\s*\(",
    described="`setattr` of functions that check",
)
"""Where :func:`fixed_answers` and :func:`made_up_finders` may find something."""
PUTS_MODULES = nodes(
    "Assign",
    "Call",
    words=(
        'modules["',
        "modules['",
        "modules[\n",
        "modules [",
        "modules.update",
        "ModuleType",
        "MagicMock",
    ),
    where=r"modules\s*(?:\[(?!__name__)[^\]]*\][ \t]*=(?!=)|\.\s*(?:setdefault|update)\s*\()",
    described="modules put into `sys.modules`",
)
"""Where :func:`stubs` may find something."""


@dataclass(frozen=True, eq=False)
class Fake:
    """A check that is made to say always the same.

    ``answer``: a function of another module gets one that gives ``said``. ``flag``: so does the
    constant that keeps a result. ``finder``: ``find_spec`` makes specs up, or hides a package.
    ``module``: the check's whole module is a stub, called ``name``. ``kernel``: so is a package of
    kernels, with functions that compute nothing. ``hollow``: a real package's module is hidden by
    an empty one. ``spec``: an empty module for a fast package has a made-up spec.
    """

    node: cst.Assign | cst.Call
    kind: Literal["answer", "flag", "finder", "module", "kernel", "hollow", "spec"]
    name: str
    target: str = ""
    said: str = "True"
    owner: cst.BaseExpression | None = None
    patch: AttributePatch | None = None

    @property
    def shown(self) -> str:
        """The end of the target's name, as it stands in a message."""
        return shortened(".".join(self.target.split(".")[-2:]))

    @property
    def is_patch_check(self) -> bool:
        """Whether the name says that patched files are looked for."""
        return re.fullmatch(PATCH_CHECK, self.name) is not None


class Stub(NamedTuple):
    """A module that is made here and put into ``sys.modules``; its name is "" if not known."""

    node: cst.Assign | cst.Call
    name: str
    value: cst.BaseExpression


def fixed_answers(node: cst.Assign | cst.Call, source: Source) -> Iterator[Fake]:
    """Yield the checks of other modules that always give one constant from here on."""
    for patch in attribute_patches(node):
        owner, name, is_return_value = patch.owner, patch.name, False
        if name == "return_value" and isinstance(owner, cst.Attribute):
            name, owner, is_return_value = owner.attr.value, owner.value, True
        names = _CHECK if isinstance(node, cst.Assign) else _CHECK_BY_SETATTR
        if not re.fullmatch(names, name) or dotted_text(owner) == "self":
            continue
        if not re.fullmatch(PATCH_CHECK, name) and not _is_third_party(owner, source):
            continue
        stored = None if is_return_value else constant(patch.value)
        said = constant(patch.value) or answer(patch.value, source)
        if said == "[]":
            said = "True" if name in _IMPORT_CHECKS else None
        if said is not None:
            kind: Literal["answer", "flag"] = "answer" if stored is None else "flag"
            target = f"{source.text_of(owner)}.{name}"
            yield Fake(node, kind, name, target, said, owner, patch)


def made_up_finders(node: cst.Assign | cst.Call, source: Source) -> Iterator[Fake]:
    """Yield where ``find_spec`` gets to find what is missing, or to hide a package."""
    for patch in attribute_patches(node):
        owner = source.resolve(patch.owner) or ""
        if patch.name == "find_spec" and owner.endswith("importlib.util"):
            if makes_up_specs(patch.value, source):
                yield Fake(node, "finder", patch.name, patch=patch)
            elif hides_packages(patch.value, source):
                yield Fake(node, "finder", patch.name, said="None", patch=patch)


def stubs(node: cst.Assign | cst.Call, source: Source) -> Iterator[Stub]:
    """Yield the mocks, empty modules and classes that are put into ``sys.modules``."""
    for key, value in _registrations(node, source):
        if is_stub(value, source):
            yield Stub(node, _text(key, source), value)


def filled_by_callers(node: cst.Assign | cst.Call, source: Source) -> Iterator[Fake]:
    """Yield the stubs that a helper registers, where a caller gives it a check that always passes.

    ``ghost_module("kaolin.utils.testing", {"check_tensor": lambda *args: None})``
    """
    function, registered = source.function(node), list(_registrations(node, source))
    if function is None or not registered or "setattr" not in source.text_of(function):
        return
    names = [source.text_of(each.name) for each in function.params.params]
    for key, value in registered:
        if key is not None and source.text_of(key) in names and is_stub(value, source):
            for call in calls_of(function.name.value, source):
                if any(_holds_check(each.value, source) for each in call.args):
                    name = string_value(call.args[names.index(source.text_of(key))].value)
                    yield Fake(node, "module", name or "", said="None")
                    return


def _holds_check(members: cst.BaseExpression, source: Source) -> bool:
    """Return whether the members that a call gives for a stub are checks that always pass."""
    return isinstance(members, cst.Dict) and any(
        isinstance(each, cst.DictElement)
        and re.fullmatch(_CHECK, string_value(each.key) or "") is not None
        and answer(each.value, source) in {"None", "True"}
        for each in members.elements
    )


def pretended_modules(node: cst.Assign | cst.Call, source: Source) -> Iterator[Fake]:
    """Yield the stubs of packages of kernels, and those that hide a module of a real package."""
    for key, value in _registrations(node, source):
        if not is_stub(value, source):
            continue
        names = names_of(key, source)
        kernel = stubbed_kernel(names)
        if kernel and has_mocked_members(value, source):
            yield Fake(node, "kernel", kernel)
        elif len(names) == 1 and is_hollow_module(next(iter(names)), value, source):
            yield Fake(node, "hollow", next(iter(names)))


def passes_every_check(stub: Stub, source: Source) -> bool:
    """Return whether a stub has a check that says yes, or is one and says yes to everything."""
    is_check = re.search(r"(?:^|[._])checks?$", stub.name) is not None
    return passes_checks(stub.value, _CHECK, source) or (is_check and is_mock(stub.value, source))


def weak_answers(node: cst.Assign | cst.Call, source: Source) -> Iterator[Fake]:
    """Yield the checks of known packages that do nothing from here on, and their flags."""
    for fake in fixed_answers(node, source):
        if fake.is_patch_check or fake.owner is None:
            continue
        if _package(fake.owner, source) not in known_packages():
            continue
        is_flag = fake.kind == "flag" and re.fullmatch(r"_\w+_available", fake.name) is not None
        if fake.said == "None" if fake.kind == "answer" else is_flag:
            if fake.said != "False" or FAST_PATH.search(fake.name) is not None:
                yield fake


def made_up_specs(node: cst.Assign | cst.Call, source: Source) -> Iterator[Fake]:
    """Yield the empty modules for fast packages that every look for a spec takes for installed."""
    for stub in stubs(node, source):
        if stub.name in FAST_PACKAGES and has_made_up_spec(stub.value, source):
            yield Fake(node, "spec", stub.name)


def is_in_test(fake: Fake, source: Source) -> bool:
    """Tests, what is next to them unless it is a program, and code that imports pytest."""
    del fake
    if _IMPORTS_PYTEST.search(source.code) is not None:
        return True
    is_program = _IS_RUN.search(source.code) is not None and not _IS_TESTED.search(source.code)
    return "test" in source.kinds and not is_program


def is_program_of_tests(fake: Fake, source: Source) -> bool:
    """Programs that are called tests or lie among them."""
    del fake
    return "test" in source.kinds


def is_for_lack(fake: Fake, source: Source) -> bool:
    """Stubs for what is not there: no such GPU, docs, an older release; those that raise."""
    if fake.kind == "answer" and _is_yes(fake):
        return _is_loud(fake, source)
    if fake.kind not in {"kernel", "hollow"}:
        return False
    if "docs" in source.kinds or is_for_other_machine(fake.node, source):
        return True
    if fake.kind == "kernel":
        return is_gone(fake.name, source)
    return fills_a_gap(fake.node, source) or _is_of_mocked_package(fake, source)


def _is_loud(fake: Fake, source: Source) -> bool:
    """Check whether the code there replaces the package of a check with stubs that only raise."""
    function = source.function(fake.node)
    inside = walk(function.body if function is not None else source.module)
    puts = (each for each in inside if isinstance(each, (cst.Assign, cst.Call)))
    found = [stub for each in puts for stub in stubs(each, source)]
    own = [each.value for each in found if each.name.partition(".")[0] == _package_of(fake)]
    return bool(own) and all(only_raises(each, source) for each in own)


def _is_of_mocked_package(fake: Fake, source: Source) -> bool:
    """Check whether the file replaces the package as a whole: it runs without that package."""
    package = re.escape(fake.name.partition(".")[0])
    key = rf"""modules\s*(?:\[|\.\s*setdefault\s*\()\s*["']{package}["']\s*(?:,|\]\s*=(?!=))"""
    text = source.text.replace("\\\n", "  ")
    return re.search(key, text) is not None


def is_put_back(fake: Fake, source: Source) -> bool:
    """What is taken back: assigned again, in a context manager, or named again in `finally`.

    Written for intel/auto-round, auto_round/utils/device.py.
    """
    if fake.patch is not None:
        return is_taken_back(fake.patch, source)
    return is_undone(fake.node, "modules", source)


def is_off_for_a_reason(fake: Fake, source: Source) -> bool:
    """What is off, or a flag: under a condition, or with a comment that says why."""
    if fake.said == "True" and fake.kind not in {"flag", "spec"}:
        return False
    decided = fake.kind == "flag" or (fake.kind == "answer" and fake.said == "False")
    return is_reasoned(fake.node, source) or (decided and is_conditional(fake.node, source))


def is_doubtful_flag(fake: Fake, source: Source) -> bool:
    """A library's flag for a fast path is set to False."""
    del source
    return fake.kind == "flag" and fake.said == "False"


def is_asked_first(fake: Fake, source: Source) -> bool:
    """A yes in a function that imports the package, or asks for the check, before it."""
    function = source.function(fake.node)
    if not _is_yes(fake):
        return False
    check, package = re.escape(fake.name), re.escape(_package_of(fake))
    asks = rf"\b(?:import|from)\s+{package}|\b{check}\s*\(|\bhasattr\s*\([^)]*\b{check}\b"
    tested = (local_definition(each.func, source) for each in _tests(fake.node, source))
    looked = [source.text_of(each) for each in tested if each is not None]
    if function is not None:
        first, last = source.span(function).line, source.span(fake.node).line
        looked.append("\n".join(source.lines[first : last - 1]))
    return any(re.search(asks, each.replace("\\\n", "  ")) for each in looked)


def _package_of(fake: Fake) -> str:
    """Return the package that a check looks for, by its name."""
    return re.sub(r"^_?(?:is_)?|(?:_\d+)?_available$", "", fake.name)


def _tests(node: cst.CSTNode, source: Source) -> Iterator[cst.Call]:
    """Yield the functions of this project that decide, as a whole test, on a statement.

    ``if works(): …`` is around it, or ``if not works(): return`` is above it in the function.
    """
    decisive = [each.test for each in conditions(node, source) if each.holds]
    function = source.function(node)
    for each in walk(function.body) if function is not None else ():
        if each is node:
            break
        if isinstance(each, cst.If) and isinstance(each.test, cst.UnaryOperation):
            left = statements(each.body)[-1:]
            if each.orelse is None and isinstance(next(iter(left), None), (cst.Return, cst.Raise)):
                decisive.append(each.test.expression)
    for test in decisive:
        if isinstance(test, cst.Call) and _is_of_project(test.func, source):
            yield test


def _is_of_project(function: cst.BaseExpression, source: Source) -> bool:
    """Check whether a function is of a package of this project, or of a module next to the file."""
    top = (source.resolve(function) or ".").partition(".")[0]
    beside = os.path.join(os.path.dirname(os.path.abspath(source.path)), f"{top}.py")
    return source.is_first_party(top) or source.exists(beside)


def is_conditional_yes(fake: Fake, source: Source) -> bool:
    """A yes under a condition, or in a function that is only called under one."""
    if not _is_yes(fake):
        return False
    function = source.function(fake.node)
    calls = [] if function is None else calls_of(function.name.value, source)
    in_called = bool(calls) and all(is_conditional(each, source) for each in calls)
    return in_called or is_conditional(fake.node, source) or any(_tests(fake.node, source))


def _is_yes(fake: Fake) -> bool:
    is_answer = fake.kind in {"answer", "flag"} and not fake.is_patch_check
    return is_answer and fake.said == "True"


def _registrations(
    node: cst.Assign | cst.Call, source: Source
) -> Iterator[tuple[cst.BaseExpression | None, cst.BaseExpression]]:
    """Yield the keys and values that are put into ``sys.modules``."""
    if isinstance(node, cst.Assign):
        for each in node.targets:
            target = each.target
            if isinstance(target, cst.Subscript) and source.resolve(target.value) == "sys.modules":
                yield index_of(target), node.value
    elif last_name(node.func) in {"setdefault", "update"} and node.args:
        method = source.resolve(node.func)
        if method == "sys.modules.setdefault" and len(node.args) == 2:
            yield node.args[0].value, node.args[1].value
        elif method == "sys.modules.update" and isinstance(node.args[0].value, cst.Dict):
            for element in node.args[0].value.elements:
                if isinstance(element, cst.DictElement):
                    yield element.key, element.value


def _text(node: cst.BaseExpression | None, source: Source) -> str:
    if node is None:
        return ""
    return string_value(node) or string_value(source.value_of(node)) or ""


def _package(owner: cst.BaseExpression, source: Source) -> str:
    return (imported_module(owner, source) or "").partition(".")[0]


def _is_third_party(owner: cst.BaseExpression, source: Source) -> bool:
    package = _package(owner, source)
    return package != "" and not source.is_first_party(package)
