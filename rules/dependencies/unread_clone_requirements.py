"""ROC210, unread-clone-requirements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published.pytorch_index import FAMILY
from rocmlint.rule import PartRule, commands

from ._installs.excuses import OF_EVERY_INSTALL
from ._installs.words import TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, File, Finding

    from ._installs.cases import Harm


def has_all_of_torch(harm: Harm, source: File) -> bool:
    """Files that install torch, torchvision and torchaudio for ROCm: few lists pin any of these."""
    del source
    return harm.case.torch is not None and set(FAMILY) <= harm.case.torch.packages


class UnreadCloneRequirements(PartRule["Command"]):
    """Requirements of a clone are installed without constraining the ROCm torch.

    ## Why it matters
    The list lies in a repository that is not here, so nobody can read it. Where it pins torch,
    torchvision or torchaudio, pip replaces the ROCm build with PyPI's CUDA build.

    ## Example
    ```shell
    pip install torch --index-url https://download.pytorch.org/whl/rocm6.4
    git clone https://github.com/example/trainer && cd trainer
    pip install -r requirements.txt
    ```

    ## Use instead
    ```shell
    pip install torch --index-url https://download.pytorch.org/whl/rocm6.4
    pip freeze | grep ^torch > torch.txt
    git clone https://github.com/example/trainer && cd trainer
    pip install -r requirements.txt -c ../torch.txt
    ```

    ## References
    - https://pip.pypa.io/en/stable/user_guide/#constraints-files
    """

    code = "ROC210"
    name = "unread-clone-requirements"
    since = "0.1.0"
    severity = "warning"
    preview = True
    skips = frozenset({"test"})
    on = commands(*TOOLS, described="commands that install packages")
    excuses = (*OF_EVERY_INSTALL, has_all_of_torch)

    def check(self, node: Command, source: File) -> Iterator[Finding]:
        """Find lists that are not here to be read."""
        from ._installs.cases import Harm, case_of  # noqa: PLC0415 - loads packaging

        case = case_of(node, source)
        if case is None or case.torch is None or not case.torch.from_wheel or not case.is_by_pip:
            return
        is_first = case.state.is_cloned and not case.state.is_listed
        for word in case.everything.missing if is_first else ():
            name = word.text
            message = f"`{name}` from a cloned repository may replace the {case.torch.described}"
            advice = (
                "rocmlint cannot read it: if it pins torch or torchvision, pip installs PyPI's "
                "CUDA build. Add `-c` with a file that pins your torch, from `pip freeze`."
            )
            harm = Harm(case, "clone", word, message, advice)
            if not self.is_excused(harm, source):
                yield self.finding(harm.place, source, harm.message, help=harm.help)
