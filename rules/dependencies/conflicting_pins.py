"""ROC203, conflicting-pins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PartRule, commands, declared

from ._installs.words import PIP_AND_UV
from ._names.missing import first_fitting
from ._pins.excuses import has_own_triton, ignores_requirements, is_other_build, is_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.rule import Command, Declared, File, Finding, Word

    from ._pins.conflicts import Conflict
    from ._pins.installed_together import Part

_PACKAGES = (
    "torch", "transformers", "diffusers", "accelerate", "peft", "trl", "huggingface-hub", "vllm",
    "sglang", "xformers", "lmdeploy", "bitsandbytes", "triton", "tokenizers", "deepspeed",
)  # fmt: skip

_MOST = 100
"""Requirements of one command that are looked at."""


class ConflictingPins(PartRule["Command | Declared"]):
    """Requirements cannot be installed together.

    ## Why it matters
    pip refuses such a list, hours later on a fresh machine, or it installs packages that do not
    work together: transformers 5.23.0 with torch 2.4.1 installs, as only the extra `torch` of
    transformers says what torch it needs, and then runs without PyTorch.

    Only what is proven is reported: every release that a requirement allows is tried, for every
    Python, on Linux. Counted together are a group or a command, what a file includes, and the
    base with one extra or group; markers are respected. The extra `torch` counts where torch is
    required beside it, but only what it asks at least.

    ## Example
    ```text
    torch==2.4.1
    transformers==5.23.0
    ```

    ## Use instead
    Move one of the two; the message names the newest release that goes with the other.
    `rocmlint stack compatible --torch 2.4.1` lists the newest libraries for a torch.
    ```text
    torch==2.8.0
    transformers==5.23.0
    ```

    ## References
    - https://packaging.python.org/en/latest/specifications/core-metadata/#requires-dist-multiple-use
    - https://pip.pypa.io/en/stable/topics/dependency-resolution/
    """

    code = "ROC203"
    name = "conflicting-pins"
    since = "0.1.0"
    on = commands(*PIP_AND_UV, described="commands that install packages") | declared(
        *_PACKAGES, described="requirements of the stack"
    )
    excuses = (ignores_requirements, is_other_build, has_own_triton, is_record)

    def check(self, node: Command | Declared, source: File) -> Iterator[Finding]:
        """Find requirements that exclude each other."""
        from rocmlint.rule import Declared  # noqa: PLC0415 - few files have any

        if isinstance(node, Declared):
            yield from self._declared(node, source)
            return
        from rocmlint.rule import install_of  # noqa: PLC0415 - loads packaging

        install = install_of(node)
        if install is None or len(install.requirements) < 2:
            return
        from ._pins.installed_together import Part, known  # noqa: PLC0415 - loads packaging

        found: dict[str, tuple[Word, Part]] = {}
        for each in install.requirements:
            requirement, text = each.requirement, each.word.text
            if each.name in known() and requirement is not None and not requirement.url:
                if text not in found and len(found) < _MOST:
                    part = Part(each.name, requirement, "this command", command=node)
                    found[text] = each.word, part
        parts = [part for _, part in found.values()]
        for at, (word, part) in enumerate(found.values()):
            conflict = self._first(part, parts[:at], source)
            if conflict is not None:
                yield self._finding(word, part, conflict, parts, source)

    def _declared(self, node: Declared, source: File) -> Iterator[Finding]:
        from ._pins.installed_together import installed_with, part_of  # noqa: PLC0415 - loads packaging

        part = part_of(node)
        if part is None or node.constraint or not part.requirement.specifier:
            return
        conflict = self._first(part, installed_with(node, source), source)
        if conflict is not None:
            listed = installed_with(node, source, behind=True)
            yield self._finding(node, part, conflict, listed, source)

    def _finding(
        self,
        place: Declared | Word,
        part: Part,
        conflict: Conflict,
        listed: Sequence[Part],
        source: File,
    ) -> Finding:
        message, help = _message(conflict, part), _help(conflict, listed, source)
        return self.finding(place, source, message, help=help)

    def _first(self, part: Part, others: Iterable[Part], source: File) -> Conflict | None:
        """Return the first conflict of a requirement with others."""
        proven = (self._proven(part, other, source) for other in others)
        return next((each for each in proven if each is not None), None)

    def _proven(self, one: Part, two: Part, source: File) -> Conflict | None:
        """Return the first conflict, where every Python has one that nothing excuses."""
        from ._pins.conflicts import conflicts  # noqa: PLC0415 - loads packaging

        found = None
        for each in conflicts(one, two):
            conflict = next((it for it in each if not self.is_excused(it, source)), None)
            if conflict is None:
                return None
            found = found or conflict
        return found


def _message(conflict: Conflict, part: Part) -> str:
    owner, other = conflict.owner, conflict.other
    texts = (_text(owner), _text(other))
    if not conflict.demanded:
        return f"No release satisfies both `{texts[0]}` and `{texts[1]}` ({other.where})"
    demand = f"{other.name}{_that_excludes(conflict)}"
    where = (_where(owner, part), _where(other, part))
    return first_fitting(
        f"`{texts[0]}`{where[0]} requires {demand}, which `{texts[1]}`{where[1]} excludes",
        # what is needed has the name of the other
        f"`{texts[0]}`{where[0]} requires {demand}, which `{other.requirement.specifier}`"
        f"{where[1]} excludes",
    )


def _that_excludes(conflict: Conflict) -> str:
    """Return what is demanded, without the single releases that have nothing to do with it."""
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415 - loads packaging

    from rocmlint.published.requirements import pin  # noqa: PLC0415

    demanded = conflict.demanded.split(",")
    pinned = pin(conflict.other.requirement.specifier)
    kept = [
        each
        for each in demanded
        if not each.startswith("!=") or (pinned is not None and pinned not in SpecifierSet(each))
    ]
    return ",".join(kept or demanded)


def _help(conflict: Conflict, listed: Sequence[Part], source: File) -> str:
    """Return what to do; ``listed`` is what is installed together with both."""
    if not conflict.demanded:
        return "pip refuses to install them together: keep one of the two."
    from rocmlint.project.python_version import python_version  # noqa: PLC0415 - loads packaging

    from ._pins.conflicts import candidates  # noqa: PLC0415
    from ._pins.cures import cure  # noqa: PLC0415

    owner = conflict.owner
    allowed = candidates(owner)
    wanted = cure(conflict, listed, str(python_version(source.project) or conflict.python))
    if conflict.implied:
        said = f"{owner.name} then disables PyTorch, or fails when it is imported"
        return f"pip installs both, but {said}. {wanted}"
    if len(allowed) > 1:
        said = f"{owner.name} {allowed[-1]} requires another {conflict.other.name}, and no older "
        said += "release is compatible either"
        return f"pip cannot install them together: {said}. {wanted}"
    return f"pip refuses to install them together. {wanted}"


def _text(part: Part) -> str:
    """Return a requirement without its marker."""
    requirement = part.requirement
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return f"{requirement.name}{extras}{requirement.specifier}"


def _where(part: Part, here: Part) -> str:
    return "" if part is here or part.where == here.where else f" ({part.where})"
