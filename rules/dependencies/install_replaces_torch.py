"""ROC201, install-replaces-torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published.pytorch_index import FAMILY
from rocmlint.rule import PartRule, commands, declared

from ._installs.excuses import OF_EVERY_INSTALL, OF_TORCH
from ._installs.words import CUDA_OF_CONDA, PACKAGES, TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, Declared, File, Finding

    from ._installs.cases import Harm


class InstallReplacesTorch(PartRule["Command | Declared"]):
    """Install can replace the ROCm build of torch with PyPI's CUDA build.

    ## Why it matters
    pip and uv take torch from PyPI unless told otherwise, and PyPI has the CUDA build only. Once
    it has replaced the ROCm build, the GPU is gone: `torch.cuda.is_available()` is False, or the
    run continues on the CPU. A package whose metadata pins or caps torch (vllm, sglang) does this
    without torch in the command, and so does one that requires such a package: unsloth requires
    xformers, whose wheels need PyPI's torch, and timm requires torchvision. PyPI's wheels of vllm,
    xformers, lmdeploy and transformer-engine hold code for CUDA only, whatever torch they go with.

    What counts is the metadata of the releases that would be installed: any torch satisfies
    accelerate or peft. A project is for ROCm by the image, the indexes and builds of torch that
    it names, the name of the file, a README or Dockerfile that names the file, or
    `[tool.rocmlint] rocm`. An install of torch in a setup.py is an error in every project.
    `uv add`, `uv sync`, `poetry add` and `pdm add` make the environment what the lock says,
    whatever is installed; conda's channels have no build for ROCm at all.

    ## Example
    ```shell
    rocm-smi
    pip install torch torchvision
    ```

    ## Use instead
    Give torch its ROCm index (`rocmlint stack install-command` prints the command). Install a
    package that pins another torch with `--no-deps`, build it for ROCm, or take a release that
    goes with your torch; a constraints file (`-c`) that names your torch makes pip refuse rather
    than replace it. `rocmlint stack survived` shows what an install did.
    ```shell
    rocm-smi
    pip install torch torchvision --index-url https://download.pytorch.org/whl/rocm6.4
    ```

    ## References
    - https://pytorch.org/get-started/locally/
    - https://rocm.docs.amd.com/projects/install-on-linux/en/latest/install/3rd-party/pytorch-install.html
    """

    code = "ROC201"
    name = "install-replaces-torch"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test", "archive"})
    on = commands(*TOOLS, described="commands that install packages") | declared(
        *CUDA_OF_CONDA,
        *PACKAGES,
        described="lists that a command for ROCm installs, and packages of conda for CUDA",
    )
    excuses = (*OF_EVERY_INSTALL, *OF_TORCH)

    def check(self, node: Command | Declared, source: File) -> Iterator[Finding]:
        """Find installs that can replace the ROCm torch."""
        from rocmlint.rule import Declared  # noqa: PLC0415 - few files have any

        from ._installs.installers import finding_at_command, finding_in_list  # noqa: PLC0415
        from ._installs.platform import is_cuda_of_conda, is_in_setup  # noqa: PLC0415

        if isinstance(node, Declared):
            if is_cuda_of_conda(node, source):
                yield self.finding(
                    node,
                    source,
                    f"`{node.name}` makes conda install a CUDA build of PyTorch, in a project for "
                    "ROCm",
                    help="conda has no build for ROCm. Install torch with pip, from the index that "
                    "`rocmlint stack index-url` prints.",
                )
            elif (listed := finding_in_list(node, self, source)) is not None:
                yield listed
            return
        if is_in_setup(source):
            yield from self._in_setup(node, source)
            return
        for harm in self.harms_in(node, source):
            # A loop of Python's runs a command for torch and one for torchvision at one place.
            place = f"{self.code} {source.path} {source.span(harm.place)}"
            once = place if harm.kind == "torch" else ""
            yield finding_at_command(harm, self, source, once=once)

    def harms_in(self, command: Command, file: File) -> Iterator[Harm]:
        """Yield what a command does to torch, where nothing excuses it."""
        from ._installs.cases import case_of  # noqa: PLC0415 - loads packaging
        from ._installs.harms import harms  # noqa: PLC0415

        case = case_of(command, file)
        return iter(()) if case is None else harms(case, file, self.is_excused)

    def _in_setup(self, node: Command, source: File) -> Iterator[Finding]:
        from rocmlint.rule import install_of  # noqa: PLC0415 - loads packaging

        install = install_of(node)
        if install is None or install.dry_run:
            return
        if install.indexes or install.torch_backend or install.no_index:
            return
        for each in install.requirements:
            if each.name in FAMILY and (each.requirement is None or not each.requirement.url):
                yield self.finding(
                    each.word,
                    source,
                    f"setup.py installs {each.name} from PyPI, the CUDA build",
                    help="torch is never installed in an isolated build: name it in "
                    "`build-system.requires`, and have users build with `--no-build-isolation`.",
                    severity="error",
                )
                return
