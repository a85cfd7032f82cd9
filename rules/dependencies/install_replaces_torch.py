"""ROC201, install-replaces-torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published import pytorch_index
from rocmlint.rule import PartRule, commands, compile_lazily

from ._installs import conda, locked
from ._installs.commands import TOOLS
from ._installs.consequences import Case, harm, is_alternative, is_build
from ._installs.platform import rocm_evidence
from ._installs.requested import asked_by
from ._installs.rocm_torch import indexes_of, torch_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, File, Finding, Install, Word

    from ._installs.requested import Everything

_PLACED = frozenset({"--target", "-t", "--prefix", "--root"})
_FORCED = frozenset({"--force-reinstall", "--ignore-installed", "-I", "--reinstall"})
_CONFIGURED = compile_lazily(
    r"pip3? config |pip\.conf|PIP_(?:EXTRA_)?INDEX_URL|PIP_CONSTRAINT|PIP_CONFIG_FILE|PIP_NO_DEPS"
    r"|UV_(?:DEFAULT_|EXTRA_)?INDEX|UV_(?:CONSTRAINT|OVERRIDE|TORCH_BACKEND)"
)
_TRITON = compile_lazily(
    r"triton\.git|TRITON_(?:REPO|COMMIT|BRANCH)|cd triton\b|uninstall[^\n]*\btriton"
)


class InstallReplacesTorch(PartRule["Command"]):
    """An install that can replace the ROCm build of torch by PyPI's, which is for CUDA.

    ## Why it matters
    pip and uv take torch from PyPI if not told otherwise, and PyPI has the CUDA build only. Once
    it has taken the place of the ROCm build, the GPU is gone: `torch.cuda.is_available()` is
    False, or the run goes on on the CPU. A package whose metadata pins or caps torch (vllm,
    sglang, xformers) brings this about without torch in the command. PyPI's wheels of vllm,
    xformers and lmdeploy have code for CUDA only, too, whatever torch they go with.

    ## Instead
    Give torch its ROCm index (`rocmlint stack install-command` prints the command). Install a
    package that pins another torch with `--no-deps`, build it for ROCm, or take a release that
    goes with your torch; a constraints file (`-c`) that names your torch makes pip refuse rather
    than replace it. `rocmlint stack survived` shows what an install did.

    What counts is the metadata of the release that would be installed. Not reported: packages
    that any torch satisfies (accelerate, peft), commands with an index that is not PyPI's or
    known only at run time, files and images for CUDA. A project is for ROCm by the image, the
    indexes and builds of torch that it names, the name of the file, or `[tool.rocmlint] rocm`.
    An install of torch in a setup.py is an error in every project. `uv add`, `uv sync`,
    `poetry add` and `pdm add` make the environment what the lock says, whatever is installed;
    conda's channels have no build for ROCm at all.

    With `--preview` also: packages that install PyPI's Triton over that of the ROCm torch, and
    requirements of clones, which cannot be read here.

    ## Source
    Seed 000, "fix ladder"; METADATA of the releases (Requires-Dist).
    """

    code = "ROC201"
    name = "install-replaces-torch"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test"})
    on = commands(*TOOLS, described="commands that install packages")

    def check(self, node: Command, source: File) -> Iterator[Finding]:
        """Find installs that can replace the ROCm torch."""
        from rocmlint.rule import install_of  # noqa: PLC0415 - loads packaging

        install = install_of(node)
        if install is None or install.dry_run:
            return
        if "setup" in source.kinds and source.path.endswith(".py"):
            yield from self._in_setup(install, source)
            return
        case = _case(node, install, source)
        if case is None:
            return
        if install.tool == "conda":
            yield from self._by_conda(case, source)
        elif install.tool in locked.TOOLS:
            for place, message in locked.harms(case, source):
                yield self.finding(place, source, message)
        else:
            yield from self._by_pip(case, source)

    def _by_conda(self, case: Case, source: File) -> Iterator[Finding]:
        found = conda.harm(case.command, case.install, case.torch)
        if found is not None and not is_alternative(case, source):
            place, message = found
            yield self.finding(place, source, f"{message} For ROCm: {case.evidence}.")

    def _by_pip(self, case: Case, source: File) -> Iterator[Finding]:
        seen: set[Word | str] = set()
        for asked in case.everything.asked:
            text = str(asked.requirement)
            if asked.word in seen or text in seen:
                continue
            seen.add(text)
            message = harm(asked, case, source)
            if message:
                seen.add(asked.word)
                place = _place(asked.word, case.command)
                why = f" For ROCm: {case.evidence}." if case.torch is None else ""
                yield self.finding(place, source, message + why)
        if self.with_preview and all(isinstance(each, str) for each in seen):
            yield from self._doubtful(case, source)

    def _in_setup(self, install: Install, source: File) -> Iterator[Finding]:
        if install.indexes or install.torch_backend or install.no_index:
            return
        for each in install.requirements:
            if each.name in pytorch_index.FAMILY and (
                each.requirement is None or not each.requirement.url
            ):
                message = (
                    f"setup.py installs {each.name} from PyPI, the build for CUDA: in a build of "
                    f"its own (PEP 517) always, as torch is never there. Name torch in "
                    f"`build-system.requires` and have users build with `--no-build-isolation`."
                )
                yield self.finding(each.word, source, message, severity="error")
                return

    def _doubtful(self, case: Case, source: File) -> Iterator[Finding]:
        """Find what may take the place of Triton, and lists that are not here to be read."""
        from ._pins.demands import demand_of  # noqa: PLC0415 - loads packaging

        if case.install.no_dependencies:
            return
        in_image = case.torch is not None and not case.torch.from_wheel
        builds_triton = in_image or bool(_TRITON.search(source.text))  # images have it as `triton`
        for asked in case.everything.asked if not builds_triton else ():
            demand = demand_of(asked.requirement)
            if demand is not None and demand.triton and demand.package not in pytorch_index.FAMILY:
                message = (
                    f"{demand.package} {demand.version} requires triton. The wheels of the ROCm "
                    f"torch bring it as pytorch-triton-rocm or triton-rocm, which pip does not "
                    f"count: it writes PyPI's triton over it. Add `--no-deps`, or make sure that "
                    f"`pip show triton` finds one first. For ROCm: {case.evidence}."
                )
                yield self.finding(case.command, source, message)
        if case.torch is None or not case.torch.from_wheel:
            return
        for word in case.everything.missing if _is_first_of_clone(case, source) else ():
            message = (
                f"`{word.text}` of a clone, which is not read here, is installed beside the "
                f"{case.torch.described} without a constraint: where it pins torch, torchvision "
                f"or torchaudio, pip replaces the ROCm build. Add `-c` with a file that names "
                f"your torch (`pip freeze | grep ^torch`)."
            )
            yield self.finding(word, source, message)


def _place(word: Word, command: Command) -> Word | Command:
    """Give what a finding spans: the command where its word stands elsewhere, as in a list."""
    inside = command.span[:2] <= word.span[:2] and word.span[2:] <= command.span[2:]
    return word if inside else command


def _is_first_of_clone(case: Case, source: File) -> bool:
    """Say whether a file clones repositories, and here first installs what one of them lists."""
    before = [
        {word.text for word in each.words}
        for each in source.parts.commands
        if each.span < case.command.span
    ]
    lists = (words & {"-r", "--requirement"} and "install" in words for words in before)
    return any("clone" in words for words in before) and not any(lists)


def _case(command: Command, install: Install, source: File) -> Case | None:
    """Look whether a command takes torch from PyPI, in a place for ROCm."""
    if _PLACED & {each.text for each in command.words} or install.constraints:
        return None
    if install.torch_backend or install.no_index or _CONFIGURED.search(source.text):
        return None
    everything = asked_by(command, install, source)
    if install.unclear or _is_elsewhere(install, everything):
        return None
    evidence = rocm_evidence(command, source)
    if not evidence:
        return None
    if install.tool != "pip" and locked.knows_rocm(install.tool, source):
        return None
    torch, comes_later = torch_at(command, source)
    if comes_later and torch is None:
        return None
    forced = bool(_FORCED & {each.text for each in command.words})
    eager = install.upgrade and (install.tool == "uv" or install.upgrade_strategy == "eager")
    builds = any(is_build(each.requirement) for each in everything.asked)
    return Case(command, install, everything, torch, evidence, forced or eager, builds)


def _is_elsewhere(install: Install, everything: Everything) -> bool:
    """Say whether an index other than PyPI's stands where torch is taken from."""
    for url, extra in indexes_of(install, everything.indexes):
        if url is None or pytorch_index.is_other(url):
            return True
        if pytorch_index.pytorch_index(url) is not None and extra and install.tool == "pip":
            continue  # beside PyPI: the newest of both wins
        if not pytorch_index.is_pypi(url):
            return True
    return False
