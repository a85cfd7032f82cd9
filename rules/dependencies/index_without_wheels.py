"""ROC202, index-without-wheels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published.amd_index import amd_index
from rocmlint.published.pytorch_index import pytorch_index
from rocmlint.rule import (
    Edit,
    Fix,
    PartRule,
    commands,
    compile_lazily,
    indexes,
    settings,
    strings,
)

from ._installs.words import SERVERS, VARIABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst
    from packaging.requirements import Requirement

    from rocmlint.published.pytorch_index import PytorchIndex
    from rocmlint.rule import Command, File, Finding, Index, Setting, Source, Word

_WORDS = ("pytorch.org/whl",)
_DEFAULT = compile_lazily(
    r"(?:get|getenv|setdefault)\([^()]*,\s*[\"'](https?:[^\"'\n]*)[\"']|\bor\s+[\"'](https?:[^\"'\n]*)"
)
"""The URL that is a variable's default."""


class IndexWithoutWheels(PartRule["Command | Index | Setting | cst.SimpleString"]):
    """Package index has no wheels for this ROCm or torch.

    ## Why it matters
    PyTorch builds each release for one or two versions of ROCm. The index of another one
    (`rocm6.5`) does not exist, and that of an older torch does not get the newer: pip finds no
    torch, or with `--extra-index-url` takes PyPI's CUDA build.

    Looked at are commands, lists, what uv, Poetry, PDM and Hatch take from an index, each
    combination of a workflow's matrix, `TORCH_COMMAND` and `TORCH_INDEX_URL` where a script, an
    image or a service sets them, and in Python the URLs and commands that a function returns, a
    table has, or a variable is by default. The versions are those of the releases from torch 2.0
    on. Of AMD's own indexes (repo.amd.com) those are looked at that are named by a ROCm, as only
    PyTorch's are, and labels such as `+rocm7.13`, which AMD writes `+rocm7.13.0`. Not reported:
    indexes of older ROCm, nightly builds of a torch, indexes of other servers.

    ## Example
    ```shell
    pip install torch --index-url https://download.pytorch.org/whl/rocm6.5
    ```

    ## Use instead
    Take an index that has wheels for your torch: `rocmlint stack index-url` prints it. Wheels
    have their own ROCm libraries; a newer driver runs those of an older ROCm.
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
    skips = frozenset({"archive"})
    tiers = {  # noqa: RUF012 - a constant of the class, like its code
        "error": "the index does not exist, or does not have the torch that is asked for",
        "warning": "no torch of the index has code for the GPU that the file names",
    }
    on = (
        commands(*SERVERS, described="commands that install from an index of PyTorch or AMD")
        | indexes(*SERVERS, described="URLs of the package indexes of PyTorch and AMD")
        | settings(*VARIABLES, described="variables that hand on a command or an index")
        | strings(r"pytorch\.org/whl/", words=_WORDS)
    )

    def check(
        self, node: Command | Index | Setting | cst.SimpleString, source: File
    ) -> Iterator[Finding]:
        """Find indexes without wheels."""
        from rocmlint.rule import Command, Index, Setting  # noqa: PLC0415 - few files have any

        if isinstance(node, Setting):
            from ._installs.handed_on import handed_on  # noqa: PLC0415 - loads a parser

            for url, pins in handed_on(node, source):
                handed = pytorch_index(url)
                if handed is not None and node.value is not None:
                    yield from self._judged(node.value, handed, pins, False, source)
        elif isinstance(node, Index):
            index = pytorch_index(node.url)
            if index is not None:
                is_beside = node.extra and node.takes is None
                yield from self._judged(node, index, _pins_of(node, source), is_beside, source)
            yield from self._of_amd(node, node.url, _pins_of(node, source), source)
        elif isinstance(node, Command):
            yield from self._asked(node, source)
        else:
            from rocmlint.rule import Source  # noqa: PLC0415 - loads LibCST

            if isinstance(source, Source):
                yield from self._chosen(node, source)

    def _asked(self, node: Command, source: File) -> Iterator[Finding]:
        """Look at the indexes that a command asks."""
        from rocmlint.rule import install_of  # noqa: PLC0415 - loads packaging

        from ._installs.index_faults import without_code  # noqa: PLC0415

        install = install_of(node)
        if install is None:
            return
        pins = install.required("torch")
        found = [
            (each.word, index, each.extra)
            for each in install.indexes
            if each.word.known and (index := pytorch_index(each.url)) is not None
        ]
        for word, index, extra in found:
            if _is_default_elsewhere(word, index, source):
                continue
            # where several are asked, one may have what another does not
            asked = pins if len(found) == 1 else []
            faults = list(self._judged(word, index, asked, extra, source))
            without = None if faults else without_code(index, asked, node, source)
            yield from faults
            if without is not None:
                yield self.finding(
                    word, source, without.message, help=without.help, severity="warning"
                )
        for each in install.indexes if not found else ():
            asked = pins if len(install.indexes) == 1 else []
            yield from self._of_amd(each.word, each.known_url or "", asked, source)

    def _chosen(self, node: cst.CSTNode, source: Source) -> Iterator[Finding]:
        """Look at the URL that a function returns, a table has, or a variable is by default.

        A table, or a function, may have commands with such a URL, too.

        The variable is one of the environment: what is run with it may be anywhere.
        """
        import libcst as cst  # noqa: PLC0415 - only Python has strings

        from rocmlint.rule import is_default, string_value  # noqa: PLC0415

        from ._installs.handed_on import asked_in  # noqa: PLC0415 - loads a parser

        if "test" in source.kinds or not isinstance(node, cst.SimpleString):
            return
        above = next(source.ancestors(node), None)
        is_result = isinstance(above, (cst.Return, cst.DictElement)) and above.value is node
        if not is_result and not is_default(node, source):
            return
        value = string_value(node) or ""
        asked = [(value, []), *(asked_in(value) if is_result else ())]
        for url, pins in asked:
            index = pytorch_index(url)
            if index is not None:
                yield from self._judged(node, index, pins, False, source)

    def _of_amd(
        self, place: Word | Index, url: str, pins: list[Requirement], source: File
    ) -> Iterator[Finding]:
        """Look at an index of AMD's."""
        from ._installs.index_faults import fault_of_amd  # noqa: PLC0415 - loads packaging

        index = amd_index(url)
        fault = None if index is None else fault_of_amd(index, pins)
        if fault is not None:
            yield self.finding(place, source, fault.message, help=fault.help)

    def _judged(
        self,
        place: Word | Index | cst.SimpleString,
        index: PytorchIndex,
        pins: list[Requirement],
        extra: bool,
        source: File,
    ) -> Iterator[Finding]:
        from ._installs.index_faults import fault_of_pytorch  # noqa: PLC0415 - loads packaging

        fault = fault_of_pytorch(index, pins, extra)
        if fault is not None:
            fix = _fix(place, index, fault.better, source)
            yield self.finding(place, source, fault.message, help=fault.help, fix=fix)


def _is_default_elsewhere(word: Word, index: PytorchIndex, source: File) -> bool:
    """Return whether a word stands for the default of a variable, which is reported itself.

    That is so where the index does not exist; whether it has the torch, the command tells.
    """
    from ._installs.index_faults import missing  # noqa: PLC0415 - loads packaging

    is_written = index.url in source.text_at(word.span)
    return not is_written and missing(index, False) is not None and _is_a_default(index, source)


def _is_a_default(index: PytorchIndex, source: File) -> bool:
    from rocmlint.rule import Source  # noqa: PLC0415 - loads LibCST

    defaults = (each[1] or each[2] for each in _DEFAULT.finditer(source.text))
    return isinstance(source, Source) and any(pytorch_index(each) == index for each in defaults)


def _pins_of(node: Index, source: File) -> list[Requirement]:
    """Return the requirements of torch that come from an index and say which."""
    from ._installs.index_faults import torch_from  # noqa: PLC0415 - loads packaging

    return [each for each in torch_from(node, source) if each.specifier or each.url]


def _fix(
    place: Word | Index | cst.SimpleString, index: PytorchIndex, better: str, source: File
) -> Fix | None:
    """Name another ROCm in the URL, where that stands in the file as it is."""
    span, old = source.span(place), f"rocm{index.version}"
    written = source.text_at(span)
    if not better or written.count(old) != 1:
        return None
    edit = Edit(*span, written.replace(old, f"rocm{better}"), was=written)
    return Fix(f"Use the index for ROCm {better}", (edit,), safe=False)
