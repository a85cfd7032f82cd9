"""Attributes that a class lacks as the library's class that it is built on has none, or no more."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rocmlint.disk.read import read_small
from rocmlint.published.names import names_of
from rocmlint.text.written import version_of
from rocmlint.why.answer import Action
from rocmlint.why.facts.packages.configurations import (
    ENDED_WITH,
    is_of_generation,
    names_it,
    was_of_all,
)
from rocmlint.why.facts.packages.moved import modules_with
from rocmlint.why.facts.packages.package_names import (
    change_of,
    in_words,
    indexed,
    module_file,
    release_of,
    requirement_for,
    saw_index,
    table,
)
from rocmlint.why.facts.project.inheritance import derived
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.generic.parts import (
    OwnedFrame,
    in_place,
    innermost,
    install,
    made,
    older_remote_code,
    where,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.packages.package_names import NameChange
    from rocmlint.why.facts.project.inheritance import Derived

_WEIGHT = 26
_LARGEST = 2_000_000
_MODEL = "transformers.PreTrainedModel"
_OF_MODELS = re.compile(r"(?:For[A-Z]\w+|LMHead\w*|Model)\Z")
"""How classes of models are named; wrappers of models are not."""
_CALL = "self.post_init()"


def of_derived(
    context: Context, holder: str, attribute: str, message: str
) -> Iterator[Explanation]:
    """Explain an attribute that a class of the project, of remote code or a package lacks."""
    place = innermost(context)
    if place is None:
        return
    if asks_a_configuration(context):
        yield from _of_configuration(context, holder, attribute, message)
        return
    found = derived(context, holder)
    if found is None:
        yield from _of_unread_class(context, holder, attribute, message)
        return
    known = names_of(found.base.partition(".")[0])
    history = known.member(found.base, attribute) if known is not None else None
    change = change_of(history, found.release.version)
    if change.gone is not None:
        yield _gone(context, found, attribute, change, message)
    elif place.distribution == "transformers" and _set_by_post_init(context, attribute):
        yield from _without_post_init(context, found, attribute, message)


def _gone(
    context: Context, found: Derived, attribute: str, change: NameChange, message: str
) -> Explanation:
    """Explain a method that the library's class no longer has."""
    place, base = innermost(context), found.base.rpartition(".")[2]
    context.saw(found.place, f"class {found.definition.name}({base})", str(found.owner))
    saw_index(context, f"{found.base}.{attribute}", change)
    edit = f"write {attribute} in {found.definition.name}, or do without it"
    if attribute == "generate":
        edit = f"let {found.definition.name} inherit from GenerationMixin as well"
    wanted = requirement_for(found.release.name, change)
    return made(
        context,
        "missing-attribute",
        f"{found.definition.name} is built on {base} of {found.release}, which does not have"
        f" {attribute}: {in_words(change)}",
        weight=_WEIGHT,
        where=where(place),
        actions=in_place(context, change, found.release, wanted, edit),
        missing=(found.release.unread,),
        rules=("ROC204",),
        table=table(),
        message=message,
    )


def _of_unread_class(
    context: Context, holder: str, attribute: str, message: str
) -> Iterator[Explanation]:
    """Explain a method that all models had, asked of a model that is defined in no file here."""
    from rocmlint.why.facts.project.definitions import definitions  # noqa: PLC0415 - it reads the project

    known, release = names_of("transformers"), release_of(context, "transformers")
    if known is None or _OF_MODELS.search(holder) is None or _is_of_library(context, holder):
        return
    if any(True for _ in definitions(context.project, holder)):
        return
    owners = [context.owner(each) for each in context.frames]
    if not any(each.kind == "hub" or each.name == "transformers" for each in owners):
        return
    change = change_of(known.member(_MODEL, attribute), release.version)
    if change.gone is None or release.version is None:
        return
    saw_index(context, f"{_MODEL}.{attribute}", change)
    edit = "take code of the model that is written for the installed transformers"
    if attribute == "generate":
        edit = f"let {holder} inherit from GenerationMixin as well"
    wanted = requirement_for(release.name, change)
    yield made(
        context,
        "missing-attribute",
        f"PreTrainedModel of {release} does not have {attribute}: {in_words(change)}; {holder} was"
        " written for an older release",
        weight=_WEIGHT,
        sure=False,
        where=where(innermost(context)),
        actions=in_place(context, change, release, wanted, edit),
        missing=(
            release.unread,
            UnreadFact(f"the definition of {holder}", f"print({holder}.__mro__)"),
        ),
        rules=("ROC204",),
        table=table(),
        message=message,
    )


def _is_of_library(context: Context, holder: str) -> bool:
    """Return whether an indexed package has the class, such as a wrapper of models."""
    installed = [each for each in indexed() if context.packages.get(each) is not None]
    return any(modules_with(each, holder, release_of(context, each).version) for each in installed)


# Attributes that transformers sets in post_init.


def _set_by_post_init(context: Context, attribute: str) -> bool:
    """Return whether post_init of the installed transformers sets it, by its file."""
    path = module_file(context, "transformers.modeling_utils")
    try:
        tree = ast.parse(read_small(path, _LARGEST))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "post_init":
            written = [
                ast.unparse(each) for each in ast.walk(node) if isinstance(each, ast.Attribute)
            ]
            if f"self.{attribute}" in written:
                context.saw(f"{path}:{node.lineno}", f"post_init sets {attribute}", "transformers")
                return True
    return False


def _without_post_init(
    context: Context, found: Derived, attribute: str, message: str
) -> Iterator[Explanation]:
    """Explain an attribute that the class does not get, as its __init__ ends without post_init."""
    if _calls_post_init(found):
        return
    name = found.definition.name
    context.saw(found.place, f"{name} does not call {_CALL}", str(found.owner))
    edit = f"call {_CALL} at the end of {name}.__init__"
    is_own = found.owner.kind == "project"
    text = f"upgrade {found.owner.name} to a release for {found.release}"
    yield made(
        context,
        "missing-attribute",
        f"{found.release} sets {attribute} in post_init, and {name} ({found.place}) does not"
        " call that",
        weight=_WEIGHT,
        where=f"{found.place} ({found.owner})" + (": change this class" if is_own else ""),
        actions=(Action(edit),) if is_own else (Action(text), Action(f"or {edit}")),
        missing=(found.release.unread,),
        message=message,
    )


def _calls_post_init(found: Derived) -> bool:
    return "post_init" in ast.unparse(found.definition.node)


# Configurations.


def asks_a_configuration(context: Context) -> bool:
    """Return whether transformers looked the attribute up in a configuration."""
    files = [each.file.replace("\\", "/") for each in context.frames[-1:]]
    return any(each.endswith("transformers/configuration_utils.py") for each in files)


def _of_configuration(
    context: Context, holder: str, attribute: str, message: str
) -> Iterator[Explanation]:
    """Explain an attribute that each configuration had until transformers 5."""
    release = release_of(context, "transformers")
    ended = version_of(ENDED_WITH)
    asking = _asking(context)
    if release.version is None or ended is None or asking is None:
        return
    is_ended = release.version >= ended and was_of_all(attribute)
    if not is_ended or names_it(context, attribute):
        if asking.owner.kind == "hub":
            yield _of_remote_configuration(context, asking, holder, attribute, message)
        return
    edits = [Action(f'write getattr(config, "{attribute}", None) where it is read')]
    if is_of_generation(attribute):
        edits.append(Action("or read it from model.generation_config, which has it"))
    if asking.owner.kind in {"package", "hub"}:
        named = asking.owner.name or "the code that asks"
        what = "revision" if asking.owner.kind == "hub" else "release"
        edits = [Action(f"take a {what} of {named} that is written for transformers {ENDED_WITH}")]
    yield made(
        context,
        "missing-attribute",
        f"configurations of {release} have no {attribute} of their own, as each had before"
        f" {ENDED_WITH}; {asking.owner} asks {holder} for it",
        weight=_WEIGHT,
        sure=False,
        where=where(asking),
        actions=(*edits, install(context, f"transformers<{ENDED_WITH}")),
        missing=(
            release.unread,
            UnreadFact(
                f"whether config.json of the model sets {attribute}",
                f"grep {attribute} config.json",
            ),
        ),
        message=message,
    )


def _asking(context: Context) -> OwnedFrame | None:
    """Return the frame that read the configuration: the last that is not in transformers."""
    for each in reversed(context.frames):
        owner = context.owner(each)
        if owner.name != "transformers":
            return OwnedFrame(each, owner)
    return None


def _of_remote_configuration(
    context: Context, asking: OwnedFrame, holder: str, attribute: str, message: str
) -> Explanation:
    return older_remote_code(
        context,
        "missing-attribute",
        f"{asking.owner} reads {attribute} of {holder}, which config.json and the installed"
        " transformers do not set",
        weight=_WEIGHT,
        remote=asking.owner,
        message=message,
    )
