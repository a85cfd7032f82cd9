"""cog.yaml: the packages of the image that Cog builds of a model, and the commands it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.formats.model import Inclusion, Parts, Problem, Step, Word
from rocmlint.formats.packaging import requirements
from rocmlint.formats.readers import yaml
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.formats.scripts.shell.script import commands_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.formats.model import Command

_IMAGE_OF_GPUS = "nvidia/cuda"
"""What Cog builds on where the model wants a GPU: it knows those of NVIDIA only."""


def parse(text: str) -> Parts:
    """Read a configuration of Cog, lines ended by ``\\n``."""
    documents = yaml.read(Excerpt.of(text))
    if isinstance(documents, Problem):
        return Parts(problems=(documents,))
    for document in documents[:1]:
        build = document.get("build") if isinstance(document, yaml.Mapping) else None
        if isinstance(build, yaml.Mapping):
            return _of_build(build)
    return Parts()


def _of_build(build: yaml.Mapping) -> Parts:
    listed = [requirements.read(_bare(each)) for each in _texts(build.get("python_packages"))]
    path = build.get("python_requirements")
    return Parts(
        commands=tuple(_commands(build)),
        declared=tuple(each for part in listed for each in part.declared),
        indexes=tuple(each for part in listed for each in part.indexes),
        inclusions=(Inclusion(path.text.text, path.text.span()),)
        if isinstance(path, yaml.Scalar) and path.text.text
        else (),
        problems=tuple(each for part in listed for each in part.problems),
    )


def _texts(value: yaml.Value | None) -> Iterator[Excerpt]:
    """Yield the strings of a list; one may be the ``command`` of a mapping with mounts."""
    for each in value.values if isinstance(value, yaml.Sequence) else ():
        written = each.get("command") if isinstance(each, yaml.Mapping) else each
        if isinstance(written, yaml.Scalar):
            yield written.text


def _bare(written: Excerpt) -> Excerpt:
    """Cut off the options behind a requirement, which pip gets for all of them."""
    return written.part(0, len(written.text) if (at := written.text.find(" --")) < 0 else at)


def _commands(build: yaml.Mapping) -> Iterator[Command]:
    """Yield what ``run`` does, each in a shell of its own, before the files are copied."""
    image = _image(build)
    for number, each in enumerate(_texts(build.get("run")), 1):
        yield from commands_of(each, step=Step(number, image))


def _image(build: yaml.Mapping) -> Word | None:
    gpu = build.get("gpu")
    if not isinstance(gpu, yaml.Scalar) or gpu.text.text != "true":
        return None
    return Word(_IMAGE_OF_GPUS, gpu.text.span())
