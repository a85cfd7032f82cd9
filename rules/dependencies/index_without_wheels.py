"""ROC202, index-without-wheels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published.pytorch_index import pytorch_index
from rocmlint.rule import Edit, Fix, PartRule, commands, indexes, strings

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst
    from packaging.requirements import Requirement

    from rocmlint.published.pytorch_index import PytorchIndex
    from rocmlint.rule import Command, File, Finding, Index, Source, Word

_WORDS = ("pytorch.org/whl",)


class IndexWithoutWheels(PartRule["Command | Index | cst.SimpleString"]):
    """A package index for a ROCm that has no wheels, or not those of the torch beside it.

    ## Why it matters
    PyTorch builds each release for one or two versions of ROCm. The index of another one
    (`rocm6.5`) does not exist, and that of an older torch does not get the newer: pip finds no
    torch, or with `--extra-index-url` takes PyPI's, which is built for CUDA.

    In Python, URLs that a function returns or a table has are looked at, too. The versions are
    those of the releases from torch 2.0 on. Not reported: indexes of older ROCm,
    nightly builds of a torch, indexes of other servers.

    ## Example
    ```shell
    pip install torch --index-url https://download.pytorch.org/whl/rocm6.5
    ```

    ## Use instead
    Take an index that has wheels for your torch: `rocmlint stack index-url` prints it. Wheels
    bring their own ROCm libraries; a newer driver runs those of an older ROCm.
    ```shell
    pip install torch --index-url https://download.pytorch.org/whl/rocm6.4
    ```

    ## Fix safety
    To name the nearest ROCm that has the wheels is unsafe: it changes what is installed.

    ## References
    - https://pytorch.org/get-started/previous-versions/
    - https://github.com/pytorch/test-infra
    """

    code = "ROC202"
    name = "index-without-wheels"
    since = "0.1.0"
    on = (
        commands(*_WORDS, described="commands that install from an index of PyTorch")
        | indexes(*_WORDS, described="URLs of PyTorch's package indexes")
        | strings(r"pytorch\.org/whl/", words=_WORDS)
    )

    def check(self, node: Command | Index | cst.SimpleString, source: File) -> Iterator[Finding]:
        """Find indexes without wheels."""
        from rocmlint.rule import Command, Index  # noqa: PLC0415 - few files have any

        if not isinstance(node, (Command, Index)):
            from rocmlint.rule import Source  # noqa: PLC0415 - loads LibCST

            if isinstance(source, Source):
                yield from self._chosen(node, source)
            return
        if isinstance(node, Index):
            index = pytorch_index(node.url)
            if index is not None:
                pins = _declared_beside(node, source)
                is_beside = node.extra and not source.path.endswith(".toml")
                yield from self._judged(node, index, pins, is_beside, source)
            return
        from rocmlint.rule import install_of  # noqa: PLC0415 - loads packaging

        install = install_of(node)
        if install is None:
            return
        pins = [
            each.requirement
            for each in install.requirements
            if each.name == "torch" and each.requirement is not None
        ]
        found = [
            (each.word, index, each.extra)
            for each in install.indexes
            if each.word.known and (index := pytorch_index(each.url)) is not None
        ]
        for word, index, extra in found:
            # where several are asked, one may have what another does not
            yield from self._judged(word, index, pins if len(found) == 1 else [], extra, source)

    def _chosen(self, node: cst.CSTNode, source: Source) -> Iterator[Finding]:
        """Look at the URL that a function of Python returns, or a table has."""
        import libcst as cst  # noqa: PLC0415 - only Python has strings

        from rocmlint.rule import string_value  # noqa: PLC0415

        above = next(source.ancestors(node), None)
        is_result = isinstance(above, (cst.Return, cst.DictElement)) and above.value is node
        if not is_result or "test" in source.kinds or not isinstance(node, cst.SimpleString):
            return
        index = pytorch_index(string_value(node) or "")
        if index is not None:
            yield from self._judged(node, index, [], False, source)

    def _judged(
        self,
        place: Word | Index | cst.SimpleString,
        index: PytorchIndex,
        pins: list[Requirement],
        extra: bool,
        source: File,
    ) -> Iterator[Finding]:
        message, better = _missing(index, extra) or _not_of_pin(index, pins, extra)
        if message:
            yield self.finding(place, source, message, fix=_fix(place, index, better, source))


def _declared_beside(node: Index, source: File) -> list[Requirement]:
    """Give the requirements of torch in the file, where it has no other index of PyTorch's."""
    from rocmlint.text.written import requirement_of  # noqa: PLC0415 - loads packaging

    indexes = [each for each in source.parts.indexes if "pytorch.org/whl" in each.url]
    if len(indexes) > 1 or source.path.endswith(".toml"):
        return []  # an index of uv's or Poetry's is for the packages that name it
    texts = [each.text for each in source.parts.declared if each.name == "torch" and not each.group]
    found = requirement_of(texts[0]) if len(texts) == 1 and node in source.parts.indexes else None
    return [] if found is None else [found]


def _missing(index: PytorchIndex, extra: bool) -> tuple[str, str] | None:
    """Say that there are no wheels for a ROCm, and which one to take."""
    from packaging.version import Version  # noqa: PLC0415 - few files name an index

    from rocmlint.published import rocm_wheels  # noqa: PLC0415

    known = rocm_wheels.rocm_versions()
    if index.version in known or Version(index.version) < Version(known[0]):
        return None
    if Version(index.version) > Version(known[-1]):
        return None  # newer than what is known here
    if index.kind and any(each.startswith(f"{index.version}.") for each in known):
        return None  # nightly builds of 5.4 came before the release for 5.4.2
    nearest = rocm_wheels.nearest(index.version)
    message = (
        f"There are no wheels for ROCm {index.version}: this index does not exist, and "
        f"{_effect(extra)}. The nearest that has wheels is ROCm {nearest} (torch "
        f"{_listed(rocm_wheels.torch_for(nearest))}): {_url(index, nearest)}"
    )
    return message, nearest


def _not_of_pin(index: PytorchIndex, pins: list[Requirement], extra: bool) -> tuple[str, str]:
    """Say that the index of a ROCm does not have the torch that is pinned beside it."""
    from rocmlint.published import requirements as published  # noqa: PLC0415
    from rocmlint.published import rocm_wheels  # noqa: PLC0415
    from rocmlint.text.written import minor_release  # noqa: PLC0415

    minors = rocm_wheels.torch_for(index.version)
    if index.kind or not minors or len(pins) != 1 or pins[0].url:
        return "", ""
    specifier = pins[0].specifier
    pinned = published.pin(specifier)
    is_build = pinned is not None and pinned.local is not None  # of which PyPI has none
    if pinned is not None:
        wanted = {minor_release(pinned)}
        local = (pinned.local or "").removeprefix("rocm")
        is_other = (pinned.local or "").startswith("rocm") and local != index.version
    else:
        admitted = [each for each in published.releases("torch") if specifier.contains(each)]
        wanted = {minor_release(each) for each in admitted}
        is_other = False
    rocm = [each for minor in sorted(wanted) for each in rocm_wheels.rocm_for(minor)]
    if not rocm or (wanted & set(minors) and not is_other):
        return "", ""
    message = (
        f"The index of ROCm {index.version} has torch {_listed(minors)}, not `{pins[0]}`: "
        f"{_effect(extra and not is_build)}. That torch has wheels for ROCm "
        f"{_listed(tuple(dict.fromkeys(rocm)))}."
    )
    better = _nearest_of(index.version, rocm) if pinned is not None and not is_other else ""
    return message, better


def _nearest_of(asked: str, versions: list[str]) -> str:
    from packaging.version import Version  # noqa: PLC0415

    ascending = sorted(versions, key=Version)
    below = [each for each in ascending if Version(each) <= Version(asked)]
    return (below or ascending[:1])[-1]


def _effect(extra: bool) -> str:
    return "PyPI's torch is taken, built for CUDA" if extra else "no torch is found there"


def _url(index: PytorchIndex, version: str) -> str:
    return index._replace(version=version).url


def _listed(versions: tuple[str, ...]) -> str:
    return " and ".join([", ".join(versions[:-1]), versions[-1]]) if versions[1:] else versions[0]


def _fix(
    place: Word | Index | cst.SimpleString, index: PytorchIndex, better: str, source: File
) -> Fix | None:
    """Name another ROCm in the URL, where that stands in the file as it is."""
    span, old = source.span(place), f"rocm{index.version}"
    written = source.text_at(span)
    if not better or written.count(old) != 1:
        return None
    edit = Edit(*span, written.replace(old, f"rocm{better}"), was=written)
    return Fix(f"Take the index of ROCm {better}", (edit,), safe=False)
