"""What is wrong with a configuration of DeepSpeed, for the versions that may read it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.project.environment import site_folders
from rocmlint.published.deepspeed import KnownSettings, known_to, releases, words
from rocmlint.published.deepspeed_sources import FILES, read_model
from rocmlint.rule import fitted, once_per_file, shortened

from ._deepspeed_types import fits, taken_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.project.versions import Candidate
    from rocmlint.rule import DeepSpeedConfig, Entry, File, Severity

    Section = Mapping[str, str]

_PYDANTIC_2 = (0, 15)
"""The first release that needs it."""
_LIKE = 0.85
"""How near a word at the top must be to a setting, to be nothing but a mistake."""
_TOP = frozenset(
    [
        *("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"),
        *("gradient_clipping", "steps_per_print", "wall_clock_breakdown", "zero_optimization"),
        *("optimizer", "scheduler", "activation_checkpointing", "flops_profiler"),
        *("communication_data_type", "prescale_gradients", "zero_allow_untested_optimizer"),
    ]
)
"""KnownSettings at the top that people write; those of single releases may be others' words."""


@dataclass(frozen=True)
class Fault:
    """A setting that a version of DeepSpeed refuses or ignores."""

    setting: Entry
    message: str
    help: str
    severity: Severity


@dataclass(frozen=True)
class Reader:
    """A version of DeepSpeed that may read a configuration, and what it knows."""

    candidate: Candidate
    known: tuple[KnownSettings, ...]

    def sections(self, name: str) -> list[Section] | None:
        """Return a section as it may be; None if it may take whatever it is given."""
        found = [each.section(name) for each in self.known]
        return None if None in found else [each for each in found if each is not None]


@once_per_file
def readers(file: File) -> tuple[Reader, ...]:
    """Return the versions that a file's configurations may be for; none if one is unknown."""
    found = []
    for candidate in file.versions("deepspeed"):
        installed = _installed(file)
        known = known_to(candidate.version) if installed is None else (installed,)
        if not known:
            return ()
        found.append(Reader(candidate, known))
    return tuple(found)


def faults(configuration: DeepSpeedConfig, file: File) -> Iterator[Fault]:
    """Yield what no version that may read a configuration takes."""
    found = readers(file)
    if not found:
        return
    yield from _both_types(configuration)
    for setting in configuration.entries:
        yield from _misspelt(setting, configuration)
        parts = [each.sections(setting.name) for each in found]
        known = [each for each in parts if each is not None]
        if setting.kind == "dict" and len(known) == len(parts):
            sections = [section for each in known for section in each]
            yield from _in_section(setting, sections, setting.name, found)


def _both_types(configuration: DeepSpeedConfig) -> Iterator[Fault]:
    half = configuration.get("fp16", "enabled")
    brain = configuration.get("bf16", "enabled")
    if half is not None and brain is not None and half.kind == brain.kind == "bool":
        if half.text.lower() == brain.text.lower() == "true":
            help = "Enable one of them: DeepSpeed refuses a configuration with both."
            yield Fault(brain, "`fp16` and `bf16` are both enabled", help, "error")


def _misspelt(setting: Entry, configuration: DeepSpeedConfig) -> Iterator[Fault]:
    """Find a setting at the top that DeepSpeed ignores, and that is nearly one that it has."""
    name = setting.name
    present = {each.name for each in configuration.entries}
    if name in words() or name in _TOP:
        return
    near = _near(name, _TOP - present, _LIKE)
    if near:
        message = fitted("DeepSpeed ignores `{}`, which is not one of its settings", name)
        yield Fault(setting, message, f"The setting is called `{near}`.", "error")


def _in_section(
    around: Entry, sections: Sequence[Section], name: str, found: Sequence[Reader]
) -> Iterator[Fault]:
    """Find unknown settings and wrong values in a section, and in the sections in it."""
    for setting in around.entries:
        kinds = [section[setting.name] for section in sections if setting.name in section]
        if not kinds:
            yield _unknown(setting, sections, name, found)
        elif not any(fits(setting, each) for each in kinds):
            if setting.kind != "float" or not _truncates(found):
                yield _wrong(setting, kinds[0], name, found)
        elif setting.kind == "dict":
            inner = [each for kind in kinds for each in _classes(kind, found)]
            if inner:
                yield from _in_section(setting, inner, setting.name, found)


def _truncates(found: Sequence[Reader]) -> bool:
    """Check whether one may use pydantic 1, which makes 2 of 2.5."""
    return any(each.candidate.version.release < _PYDANTIC_2 for each in found)


def _classes(kind: str, found: Sequence[Reader]) -> Iterator[Section]:
    for reader in found:
        for known in reader.known:
            section = known.classes.get(kind.removesuffix("?"))
            if section is not None:
                yield section


def _unknown(
    setting: Entry, sections: Sequence[Section], name: str, found: Sequence[Reader]
) -> Fault:
    candidate = found[0].candidate
    message = fitted(
        "DeepSpeed {version} refuses `{}` in `{}`: it has no such setting",
        setting.name,
        name,
        version=str(candidate.version),
    )
    present = {each for section in sections for each in section}
    near = _near(setting.name, present, 0.75)
    advice = f"Write `{near}`" if near else "Remove it"
    return Fault(setting, message, f"{advice}. {_said(candidate)}", _severity(setting, name, found))


def _wrong(setting: Entry, kind: str, name: str, found: Sequence[Reader]) -> Fault:
    candidate = found[0].candidate
    what = {"dict": "a mapping", "null": "null"}.get(setting.kind)
    written = what or f"`{shortened(setting.text, 20)}`"
    message = fitted(
        "`{}` in `{}` takes {taken}, not {written}",
        setting.name,
        name,
        taken=taken_by(kind),
        written=written,
    )
    help = f"DeepSpeed refuses a value of another type. {_said(candidate)}"
    return Fault(setting, message, help, _severity(None, name, found))


def _said(candidate: Candidate) -> str:
    return f"DeepSpeed {candidate.version} is {candidate.said}."


def _severity(unknown: Entry | None, section: str, found: Sequence[Reader]) -> Severity:
    """Return an error where no version that can be installed takes it, else a warning.

    Older versions read some sections without a class, and took whatever they were given.
    """
    if not all(each.candidate.declared for each in found):
        return "warning"
    if all(each.candidate.certain for each in found):
        return "error"
    known = [settings.section(section) for settings in releases().values()]
    takes = any(each is None or (unknown is not None and unknown.name in each) for each in known)
    return "warning" if takes else "error"


def _near(name: str, names: frozenset[str] | set[str], likeness: float) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only mistakes pay for it

    return next(iter(get_close_matches(name, sorted(names), n=1, cutoff=likeness)), "")


def _installed(file: File) -> KnownSettings | None:
    """Return what the installed DeepSpeed knows, where the settings name an environment."""
    environment = file.settings.environment
    for folder in () if environment is None else site_folders(environment):
        paths = (os.path.join(folder, "deepspeed", *each.split("/")) for each in FILES)
        texts = [file.read(path) for path in paths if file.exists(path)]
        if texts:
            try:
                return KnownSettings.of(read_model(texts))
            except SyntaxError:
                return None
    return None
