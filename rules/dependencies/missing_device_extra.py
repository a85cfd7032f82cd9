"""ROC220, missing-device-extra."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published.amd_index import amd_index
from rocmlint.rule import PartRule, commands, compile_lazily, indexes, occurs, once_per_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement

    from rocmlint.rule import Command, File, Finding, Index, Install, Word

    Place = Index | Word

_WORDS = ("whl-multi-arch", "whl-staging-multi-arch", "whl-next")
_BUILDS = compile_lazily(r"\bbdist_wheel\b|-m build\b|\bpip3? wheel\b|\buv build\b|cibuildwheel")
_IN_CODE = compile_lazily(r"\btorch\[[^\]\n]*(?:device-|\{)|amd[-_]torch[-_]device")
_DEVICE = "device-"
_PACKAGE = "amd-torch-device-"


def comes_otherwise(place: Place, file: File) -> bool:
    """Files in which another command or requirement asks for the code for a GPU.

    Written for AMD-AGI/Primus, .github/workflows/docker-release/Dockerfile.primus-v26.5.
    """
    del place
    return _asks_for_device(file)


def builds_wheels(place: Place, file: File) -> bool:
    """Files that build wheels, for which no GPU is needed."""
    del place
    return occurs(_BUILDS, file)


class MissingDeviceExtra(PartRule["Command | Index"]):
    """AMD's torch is installed without the device code of any GPU.

    ## Why it matters
    In AMD's index for all GPUs the wheel of torch has the code that runs on the host only. The
    kernels come with an extra that names the GPU. Without it pip installs torch and `import torch`
    works; every kernel that is launched fails with `hipErrorInvalidImage`, the device kernel image
    is invalid. The same holds for torchvision. The extra of `rocm`, such as `rocm[device-gfx942]`,
    installs code for AMD's libraries, but none for torch.

    ## Example
    ```shell
    pip install torch torchvision --index-url https://repo.amd.com/rocm/whl-multi-arch/
    ```

    ## Use instead
    Name your GPU, or all of them: `device-all` is several times as large.
    ```shell
    pip install "torch[device-gfx942]" "torchvision[device-gfx942]" \\
        --index-url https://repo.amd.com/rocm/whl-multi-arch/
    ```

    ## References
    - https://github.com/ROCm/TheRock/blob/main/RELEASES.md
    - https://github.com/ROCm/TheRock/issues/7839
    """

    code = "ROC220"
    name = "missing-device-extra"
    since = "0.1.0"
    skips = frozenset({"test", "archive"})
    on = commands(*_WORDS, described="commands that install torch from AMD's index") | indexes(
        *_WORDS, described="URLs of AMD's package index for all GPUs"
    )
    excuses = (comes_otherwise,)
    doubts = (builds_wheels,)

    def check(self, node: Command | Index, source: File) -> Iterator[Finding]:
        """Find torch without an extra for a GPU."""
        from rocmlint.rule import Index  # noqa: PLC0415 - few files have any

        place = _in_list(node, source) if isinstance(node, Index) else _in_command(node)
        severity = None if place is None else self.severity_of(place, source)
        if place is not None and severity is not None:
            yield self.finding(
                place,
                source,
                "`torch` from AMD's index for all GPUs has no GPU code without a `device-` extra",
                help="Every kernel fails with hipErrorInvalidImage. Name your GPU, as in "
                "`torch[device-gfx942]`, for torchvision too; `device-all` has the code for all "
                "GPUs.",
                severity=severity,
            )


def _in_list(index: Index, file: File) -> Index | None:
    """Return an index for all GPUs, if a list takes torch from it without an extra."""
    if not _is_for_all(index.url):
        return None
    from ._installs.index_faults import torch_from  # noqa: PLC0415 - loads packaging
    from ._installs.requested import is_build  # noqa: PLC0415

    is_alone = index.takes is not None or not index.extra
    asked = [each for each in torch_from(index, file) if is_alone or is_build(each)]
    return index if asked and all(map(_is_bare, asked)) else None


def _in_command(command: Command) -> Word | None:
    """Return the word of torch, if a command takes it from an index for all GPUs without an extra.

    uv takes a package from the first index that has it, PyPI is the last.
    """
    from rocmlint.rule import install_of  # noqa: PLC0415 - loads packaging

    from ._installs.requested import is_build  # noqa: PLC0415

    install = install_of(command)
    if install is None or install.dry_run or install.no_dependencies or install.unclear:
        return None
    if not all(each.word.known for each in install.indexes):
        return None
    options = [each for each in install.indexes if _is_for_all(each.url)]
    for each in install.requirements if options else ():
        if each.name == "torch" and each.requirement is not None and _is_bare(each.requirement):
            is_alone = _is_only(install) or install.tool.startswith("uv")
            return each.word if is_alone or is_build(each.requirement) else None
    return None


def _is_only(install: Install) -> bool:
    return all(not each.extra and _is_for_all(each.url) for each in install.indexes)


def _is_for_all(url: str) -> bool:
    index = amd_index(url)
    return index is not None and not index.family


def _is_bare(requirement: Requirement) -> bool:
    return not requirement.url and not any(each.startswith(_DEVICE) for each in requirement.extras)


@once_per_file
def _asks_for_device(file: File) -> bool:
    """Return whether something in a file asks for torch's code for a GPU, whichever."""
    if _IN_CODE.search(file.text) and file.path.endswith((".py", ".ipynb")):
        return True
    from rocmlint.rule import installs_of  # noqa: PLC0415 - loads packaging

    asked = [each.text for each in file.parts.declared]
    for _, install in installs_of(file.parts.commands):
        asked += [each.word.text for each in install.requirements]
        asked += [each.text for each in install.unclear]
    return any(_is_for_device(each) for each in asked)


def _is_for_device(text: str) -> bool:
    name, bracket, extras = text.replace("_", "-").partition("[")
    is_extra = bool(bracket) and name.strip() == "torch" and (_DEVICE in extras or "$" in extras)
    return is_extra or text.replace("_", "-").startswith(_PACKAGE)
