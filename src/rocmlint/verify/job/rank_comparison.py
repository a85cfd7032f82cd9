"""In what the ranks of a job differ from each other: shown with the groups, never by majority."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from rocmlint.text.words import few
from rocmlint.verify.job.same_across_ranks import SHOWN, ranks, together
from rocmlint.verify.job.variables import ABSENT, for_kernels, for_python
from rocmlint.verify.result import Evidence, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rocmlint.verify.job.witness_report import WitnessReport
    from rocmlint.verify.result import Strength

CHECK = "ranks"
_ROCM = re.compile(
    r"lib(amd|aotriton|c10|hip|hsa|magma|MIOpen|nccl|rccl|roc|torch|triton)[\w-]*\.so"
)


@dataclass(frozen=True)
class _Topic:
    """Something that must be equal: ``read`` gives it by name, from the facts of a witness."""

    claim: str
    strength: Strength
    facts: str
    """The part of the facts that it is in; a rank killed early may not have reported it."""
    read: Callable[[Mapping[str, Any]], Mapping[str, str]]
    reason: str
    action: str
    common: bool = False
    """Only compare what several ranks have: the rest may still come."""
    key: Callable[[str], str] = str
    """Gives what counts of a value."""


def alike(leading: Mapping[int, WitnessReport]) -> Iterator[Result]:
    """Yield a result for each thing in which all ranks must be equal, and for the GPUs."""
    # What a rank that was killed would have set later is not known.
    variables = _variables(at_start=not all(each.is_known for each in leading.values()))
    for topic in (*_TOPICS, *variables):
        values = {
            rank: topic.read(each.facts)
            for rank, each in leading.items()
            if each.facts.get(topic.facts) is not None
        }
        if len(values) > 1 and any(values.values()):
            yield _compared(topic, values)
    yield from together(_two_copies(leading))
    yield from together(_replaced(leading))
    yield from _shared_devices(leading)


def modules_alike(leading: Mapping[int, WitnessReport], judged: Iterable[str]) -> Iterator[Result]:
    """Compare the sources of the modules that no manifest has judged."""
    values = {
        rank: {
            name: str(seen["now"].get("sha256"))
            for name, seen in each.modules.items()
            if name not in judged and isinstance(seen.get("now"), dict)
        }
        for rank, each in leading.items()
        if each.modules
    }
    if len(values) > 1 and any(values.values()):
        yield _compared(_MODULES, values)


def _compared(topic: _Topic, values: Mapping[int, Mapping[str, str]]) -> Result:
    names = sorted({name for each in values.values() for name in each})
    differing = []
    for name in names:
        groups: dict[str, list[int]] = {}
        for rank, its in values.items():
            if name in its or not topic.common:
                groups.setdefault(topic.key(its.get(name, ABSENT)), []).append(rank)
        if len(groups) > 1:
            first = ((values[own[0]].get(name, ABSENT), own) for own in groups.values())
            lines = [f"{ranks(own)}: {value}" for value, own in first]
            if len(lines) > SHOWN:
                lines[SHOWN:] = [f"and {len(lines) - SHOWN:,} more values"]
            differing.append(Evidence(name, "\n".join(lines)))
    if not differing:
        return Result(
            CHECK, topic.claim, ranks(values), "proven", topic.strength, _seen(names, values)
        )
    return Result(
        CHECK,
        topic.claim,
        ranks(values),
        "contradicted",
        topic.strength,
        few([each.name for each in differing], 2),
        _first(differing),
        topic.reason,
        topic.action,
    )


def _first(differing: list[Evidence]) -> tuple[Evidence, ...]:
    more = len(differing) - SHOWN
    rest = (Evidence("more", f"{more:,} others differ too"),) if more > 0 else ()
    return (*differing[:SHOWN], *rest)


def _seen(names: list[str], values: Mapping[int, Mapping[str, str]]) -> str:
    if len(names) > 1:
        return f"{len(names)} equal"
    return f"{names[0]} {next(iter(values.values())).get(names[0])}"


def _interpreter(facts: Mapping[str, Any]) -> Mapping[str, str]:
    names = ("binary", "prefix", "implementation", "python")
    return {name: str(facts[name]) for name in names if name in facts}


def _flags(facts: Mapping[str, Any]) -> Mapping[str, str]:
    return {f"sys.flags.{name}": str(value) for name, value in facts.get("flags", {}).items()}


def _versions(facts: Mapping[str, Any]) -> Mapping[str, str]:
    return {name: str(value) for name, value in facts.get("versions", {}).items()}


def _torch(facts: Mapping[str, Any]) -> Mapping[str, str]:
    torch = facts.get("torch") or {}
    device = torch.get("device") or {}
    known = {
        "torch": torch.get("version"),
        "HIP": torch.get("hip"),
        "architecture": device.get("architecture"),
        "GPU": device.get("name"),
    }
    return {name: str(value) for name, value in known.items() if value is not None}


def _stem(path: str) -> str:
    """Return a library's name without its version, "libamdhip64.so"; a module's folder too.

    Many packages have an extension module of the same name ("torch/_C.cpython-312.so").
    """
    folder, name = os.path.split(path)
    if name.startswith("lib"):
        return name[: name.rindex(".so") + 3]
    return f"{os.path.basename(folder)}/{name}"


def _libraries(facts: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for each in facts.get("libraries", ()):
        path = str(each.get("path", ""))
        if ".so" in os.path.basename(path):
            yield _stem(path), each


def _builds(facts: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the build id and the path of each library."""
    found: dict[str, list[str]] = {}
    for stem, each in _libraries(facts):
        build = each.get("build") or "unknown build"
        found.setdefault(stem, []).append(f"{build} {each.get('path')}")
    return {stem: "; ".join(sorted(builds)) for stem, builds in found.items()}


def _without_paths(builds: str) -> str:
    """Return what counts of them: one build may lie in different folders on different nodes."""
    each = [one if one.startswith("unknown") else one.split(" ")[0] for one in builds.split("; ")]
    return "; ".join(each)


def _two_copies(leading: Mapping[int, WitnessReport]) -> Iterator[tuple[int, Result]]:
    for rank, witness in leading.items():
        found: dict[str, set[str]] = {}
        for stem, each in _libraries(witness.facts):
            if _ROCM.fullmatch(stem):
                found.setdefault(stem, set()).add(str(each.get("path")))
        for stem, paths in found.items():
            if len(paths) > 1:
                result = Result(
                    CHECK,
                    f"{stem} is mapped once",
                    f"rank {rank}",
                    "contradicted",
                    "mapped",
                    f"{len(paths)} copies",
                    tuple(Evidence("mapped", path) for path in sorted(paths)),
                    f"two copies of {stem} are in one process: each has its own state, and "
                    "the load order decides which one a call reaches",
                    "remove the directory of one of them from LD_LIBRARY_PATH, or remove "
                    "the package that includes its own",
                )
                yield rank, result


def _replaced(leading: Mapping[int, WitnessReport]) -> Iterator[tuple[int, Result]]:
    for rank, witness in leading.items():
        gone = [str(it.get("path")) for _, it in _libraries(witness.facts) if it.get("deleted")]
        if gone:
            result = Result(
                CHECK,
                "maps the libraries that are on disk",
                f"rank {rank}",
                "contradicted",
                "mapped",
                few([os.path.basename(path) for path in gone], 2),
                tuple(Evidence("replaced or removed", path) for path in gone),
                "these files were replaced after the process had loaded them: it runs the "
                "old code, and ranks that start later run the new",
                "restart the job, and install nothing into its environment while it runs",
            )
            yield rank, result


def _shared_devices(leading: Mapping[int, WitnessReport]) -> Iterator[Result]:
    users: dict[tuple[str, str], list[int]] = {}
    for rank, witness in leading.items():
        uuid = ((witness.facts.get("torch") or {}).get("device") or {}).get("uuid")
        if uuid:
            users.setdefault((witness.host, str(uuid)), []).append(rank)
    shared = {device: its for device, its in users.items() if len(its) > 1}
    if users and not shared:
        several = [rank for its in users.values() for rank in its]
        claim = "each rank has a GPU of its own"
        yield Result(CHECK, claim, ranks(several), "proven", "live", f"{len(users)} GPUs")
    for (host, uuid), its in shared.items():
        yield Result(
            CHECK,
            "each rank has a GPU of its own",
            ranks(its),
            "contradicted",
            "live",
            f"the same GPU on {host}",
            (Evidence("uuid", uuid),),
            f"{ranks(its).capitalize()} use one GPU, so they wait for each other and share "
            "its memory",
            "call torch.cuda.set_device(int(os.environ['LOCAL_RANK'])) before anything "
            "else, and check HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES",
        )


_MODULES = _Topic(
    "the same source of the watched modules",
    "hashed",
    "modules",
    lambda _: {},
    "the ranks run different code, and no manifest says which is right",
    "write a manifest of the right files (rocmlint verify manifest) and compare with it",
)

_TOPICS = (
    _Topic(
        "the same interpreter",
        "located",
        "python",
        _interpreter,
        "the ranks run different interpreters, so a package or patch that is installed in "
        "one is not what the others import",
        "start them with python -m torch.distributed.run from one environment; torchrun "
        "uses the interpreter in its own first line",
    ),
    _Topic(
        "the same interpreter flags",
        "live",
        "flags",
        _flags,
        "the interpreters were started differently, which changes what they import",
        "start all ranks with one command, and compare the PYTHON* variables of the nodes",
    ),
    _Topic(
        "the same versions installed",
        "located",
        "versions",
        _versions,
        "the ranks have different versions of a package installed",
        "install one lock file on all nodes, or use one container image",
    ),
    _Topic(
        "the same torch, HIP and GPU architecture",
        "live",
        "torch",
        _torch,
        "the ranks run different builds or GPUs, so different kernels",
        "use one container image and one kind of GPU for a job",
        common=True,
    ),
    _Topic(
        "the same builds of the libraries mapped",
        "mapped",
        "libraries",
        _builds,
        "the ranks have loaded different builds of a library",
        "compare LD_LIBRARY_PATH and the ROCm version of the nodes",
        common=True,
        key=_without_paths,
    ),
)


def _variables(*, at_start: bool) -> tuple[_Topic, ...]:
    """Return what is compared of the variables: as they were at the start, or also later."""
    action = "set these variables where all ranks are started, not in the profile of a node"
    return (
        _Topic(
            "the same variables that choose kernels",
            "live",
            "environment",
            partial(for_kernels, at_start=at_start),
            "the ranks choose kernels or communication by different settings",
            action,
        ),
        _Topic(
            "the same variables of Python and of the libraries",
            "live",
            "environment",
            partial(for_python, at_start=at_start),
            "the ranks load or configure Python and its libraries by different settings",
            action,
        ),
    )
