"""Files of Docker Compose: images, commands, arguments of builds, Dockerfiles inside."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.formats.images import dockerfile
from rocmlint.formats.model import Command, Index, Mounted, Parts, Problem, Setting, Step, Word
from rocmlint.formats.readers import yaml
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.formats.scripts.shell.folders import led_to
from rocmlint.formats.scripts.shell.word_list import Item, commands_in, split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocmlint.text.text import Span

_REFERENCE = re.compile(r"\$\$|\$\{\w+(?::?-(?P<default>[^{}$]*))?[^}]*\}|\$\w+")
"""What Compose replaces, by variables that stand elsewhere."""
_INDEX = re.compile(r"https?://\S+?/(?:whl|simple)(?:/\S*)?\Z")
_MOST_STEPS = 1000
"""Instructions of a Dockerfile that stands inside."""
_RUNS = ("entrypoint", "command")

Variables = dict[str, "str | None"]


def parse(text: str) -> Parts:
    """Read a Compose file, lines ended by ``\\n``."""
    documents = yaml.read(Excerpt.of(text))
    if isinstance(documents, Problem):
        return Parts(problems=(documents,))
    commands: list[Command] = []
    images: dict[object, Word] = {}
    indexes: dict[object, Index] = {}
    problems: list[Problem] = []
    settings: dict[Span, Setting] = {}
    for number, service in enumerate(_services(documents)):
        image = _word(service.get("image"))
        build = service.get("build")
        if image is not None and build is None:
            images[image.span] = image
        if isinstance(build, yaml.Mapping):
            indexes.update((each.span, each) for each in _indexes(build.get("args")))
            inside = _dockerfile(build)
            commands += (_numbered(each, _MOST_STEPS * (number + 1)) for each in inside.commands)
            images.update((each.span, each) for each in inside.images)
            problems += inside.problems
        commands += _commands(service, number, image if build is None else None)
        settings.update((each.span, each) for each in _settings(service.get("environment")))
    found = {each.span: each for each in commands}  # what an alias repeats counts once
    return Parts(
        commands=tuple(sorted(found.values(), key=lambda each: each.span)),
        indexes=tuple(indexes.values()),
        images=tuple(images.values()),
        settings=tuple(settings.values()),
        mounted=tuple(each for service in _services(documents) for each in _mounted(service)),
        problems=tuple(problems),
    )


def _services(documents: list[yaml.Value]) -> Iterator[yaml.Mapping]:
    for document in documents:
        services = document.get("services") if isinstance(document, yaml.Mapping) else None
        for _, each in services.pairs if isinstance(services, yaml.Mapping) else ():
            if isinstance(each, yaml.Mapping):
                yield each


def _filled(text: Excerpt) -> Excerpt:
    """Put in what Compose replaces: its defaults, as far as there are any."""
    return text.filled_in(
        (*match.span(), "$" if match[0] == "$$" else match["default"])
        for match in _REFERENCE.finditer(text.text)
    )


def _word(value: yaml.Value | None) -> Word | None:
    if not isinstance(value, yaml.Scalar) or not value.text.text.strip():
        return None
    text = _filled(value.text)
    return Word(text.text, value.text.span(), known=not text.unknown)


def _pairs(value: yaml.Value | None) -> Iterator[tuple[str, Excerpt]]:
    """Yield what a mapping, or a list of ``NAME=value``, sets."""
    if isinstance(value, yaml.Mapping):
        for name, each in value.pairs:
            if isinstance(each, yaml.Scalar):
                yield name.text, _filled(each.text)
    for each in value.values if isinstance(value, yaml.Sequence) else ():
        if isinstance(each, yaml.Scalar) and "=" in each.text.text:
            key = each.text.text.partition("=")[0]
            yield key, _filled(each.text.part(len(key) + 1, len(each.text.text)))


def _known(value: yaml.Value | None) -> Variables:
    return {name: None if text.unknown else text.text for name, text in _pairs(value)}


def _settings(environment: yaml.Value | None) -> Iterator[Setting]:
    """Yield what a service finds in its environment."""
    found = [
        (name, Word(text.text, text.span(), known=not text.unknown))
        for name, text in _pairs(environment)
    ]
    for name, word in found:
        yield Setting(name, word, word.span, found[0][1].span)


def _indexes(arguments: yaml.Value | None) -> Iterator[Index]:
    """Yield the arguments of a build that are the URL of a package index."""
    for name, text in _pairs(arguments):
        if not text.unknown and _INDEX.match(text.text):
            yield Index(text.text, text.span(), extra="EXTRA" in name.upper())


def _dockerfile(build: yaml.Mapping) -> Parts:
    inline = build.get("dockerfile_inline")
    if not isinstance(inline, yaml.Scalar):
        return Parts()
    return dockerfile.read(_filled(inline.text), _known(build.get("args")))


def _mounted(service: yaml.Mapping) -> Iterator[Mounted]:
    """Yield what a service mounts into the image that it builds from a Dockerfile here."""
    sources = tuple(_bound(service.get("volumes")))
    build = service.get("build")
    words = {"context": _word(build)}
    if isinstance(build, yaml.Mapping):
        words = {name: _word(build.get(name)) for name in ("context", "dockerfile")}
        if build.get("dockerfile_inline") is not None:
            return
    given = {name: each for name, each in words.items() if each is not None}
    texts = {name: each.text for name, each in given.items()}
    context = texts.get("context", ".")
    if build is not None and sources and "://" not in context and _are_known(given.values()):
        path = posixpath.join(context, texts.get("dockerfile", "Dockerfile"))
        yield Mounted(sources, posixpath.normpath(path))


def _are_known(words: Iterable[Word]) -> bool:
    return all(each.known for each in words)


def _bound(volumes: yaml.Value | None) -> Iterator[str]:
    """Yield the paths of the project that are mounted: ``./a:/b:ro``, or a mapping."""
    for each in volumes.values if isinstance(volumes, yaml.Sequence) else ():
        word = _word(each.get("source") if isinstance(each, yaml.Mapping) else each)
        source = "" if word is None else word.text.partition(":")[0]
        if source.startswith(".") and "$" not in source:
            yield posixpath.normpath(source)


def _numbered(command: Command, first: int) -> Command:
    """Return a step of a Dockerfile a number apart from those of other services."""
    return replace(command, step=replace(command.step, number=first + command.step.number))


def _commands(service: yaml.Mapping, number: int, image: Word | None) -> Iterator[Command]:
    """Yield what a service runs: a string is split at blanks, and no shell reads it."""
    folder = service.text("working_dir")
    here = led_to("", folder, known="$" not in folder) if folder else ""
    step = Step(number, image, folder=here)
    variables = _known(service.get("environment"))
    for key in _RUNS:
        value = service.get(key)
        items: list[Item] = []
        if isinstance(value, yaml.Scalar):
            items = split(_filled(value.text))
        elif isinstance(value, yaml.Sequence):
            texts = (each.text for each in value.values if isinstance(each, yaml.Scalar))
            items = [Item.of(_filled(each)) for each in texts]
        if items:
            yield from commands_in(items, items[0].word.span, variables, step)
