"""A model or tokenizer that the installed transformers does not know yet, or no longer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.text.written import minor_release
from rocmlint.why.answer import Action
from rocmlint.why.facts.packages.package_names import (
    change_of,
    history_of,
    imported_release,
    in_words,
    requirement_for,
    saw_index,
    table,
)
from rocmlint.why.generic.parts import OwnedFrame, later_importer, made, python_of, releases_with
from rocmlint.why.generic.reader import near

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.packages.package_names import NameChange, Release

_TYPE = re.compile(
    r"has model type [`'\"](?P<type>[\w-]+)[`'\"] but Transformers does not recognize this"
)
_KEY = re.compile(r"KeyError: ['\"](?P<type>[a-z][\w-]*)['\"]")
_CLASS = re.compile(
    r"(?:Tokenizer class|Could not find(?: module)?) "
    r"(?P<name>[A-Z]\w+) (?:does not exist or is not currently imported|neither in|in <module)"
)
_ENGINES = frozenset({"vllm", "sglang", "lmdeploy"})
_WEIGHT = 40


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain a type of model, or a class, that the installed transformers lacks."""
    found = _TYPE.search(near(text, "does not recognize this"))
    if found is None and text.startswith("KeyError") and _reads_configuration(context):
        found = _KEY.match(text)
    if found is not None:
        kind = found["type"]
        dotted = f"transformers.models.{kind.replace('-', '_')}"
        yield from _explained(context, dotted, f"the model type {kind}", found[0])
        return
    found = _CLASS.search(near(text, "Tokenizer class") or near(text, "Could not find"))
    if found is not None:
        yield from _explained(context, f"transformers.{found['name']}", found["name"], found[0])


def _reads_configuration(context: Context) -> bool:
    """Return whether transformers was looking a model type up."""
    files = [each.file.replace("\\", "/") for each in context.frames[-2:]]
    return any(each.endswith("auto/configuration_auto.py") for each in files)


def _explained(context: Context, dotted: str, what: str, message: str) -> Iterator[Explanation]:
    release = imported_release(context, "transformers")
    change = change_of(history_of(dotted), release.version)
    if not change.explains:
        return
    saw_index(context, dotted, change)
    version = str(release) if release.version else f"the installed {release}"
    yet = "" if change.gone else " yet"
    engine = _engine(context)
    other = f"; {engine.owner} has code of its own for each model" if engine is not None else ""
    yield made(
        context,
        "unknown-model",
        f"{version} does not have {what}{yet}: {in_words(change)}{other}",
        weight=_WEIGHT,
        actions=(
            *_releases(context, release, change, engine),
            Action("or load a checkpoint whose config.json names a model that it has"),
        ),
        confirm=f"{python_of(context)} -c 'import {_module(dotted)}'",
        missing=(release.unread,),
        table=table(),
        message=message,
    )


def _engine(context: Context) -> OwnedFrame | None:
    """Return the frame of an engine that loads the model with its own code, not transformers'."""
    for chain in context.log.chains:
        for frame in (frame for each in chain.raised for frame in each.frames):
            owner = context.owner(frame)
            if owner.kind == "package" and owner.name.lower() in _ENGINES:
                return OwnedFrame(frame, owner)
    return None


def _releases(
    context: Context, release: Release, change: NameChange, engine: OwnedFrame | None
) -> Iterator[Action]:
    """Yield which release to install: of an engine, as transformers alone does not suffice."""
    if engine is None or change.comes is None:
        yield from releases_with(context, change, release, requirement_for(release.name, change))
        return
    later = later_importer(engine, release.name, change.comes)
    after = (
        f" ({later} is from after {release.name} {minor_release(change.comes)})" if later else ""
    )
    name = engine.owner.name
    yield Action(f"upgrade {name} to a release that lists the model{after}, with its transformers")


def _module(dotted: str) -> str:
    return dotted if ".models." in dotted else "transformers"
