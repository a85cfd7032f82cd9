"""What a process is: its interpreter, what is mapped into it, its devices and its rank."""

from __future__ import annotations

import os
import struct
import sys

from ..variables import relevant

TYPE_CHECKING = False  # ``typing`` takes milliseconds, in each process of a job
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

DISTRIBUTIONS = (
    "accelerate",
    "amd-aiter",
    "bitsandbytes",
    "deepspeed",
    "diffusers",
    "flash-attn",
    "numpy",
    "peft",
    "pytorch-triton-rocm",
    "torch",
    "torchvision",
    "transformers",
    "triton",
    "vllm",
    "xformers",
)
"""Whose versions are told: what a kernel or a model comes from."""

_RANKS = {
    "rank": ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"),
    "local_rank": ("LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"),
    "world_size": ("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"),
    "restart": ("TORCHELASTIC_RESTART_COUNT",),
}
"""Set by torchrun, Slurm, Open MPI and MPICH (in this order), each for the processes it starts."""

_HELPERS = (
    ("--multiprocessing-fork", "spawn"),
    ("from multiprocessing.forkserver import main", "forkserver server"),
    ("from multiprocessing.resource_tracker import main", "resource tracker"),
)
"""What multiprocessing writes into the command line of the processes it starts (3.9 to 3.14)."""

_NO_FLAGS = ("__", "n_")
"""How what every named tuple of the interpreter has begins."""

_PREFIXES = ("HF_", "PYTHON", "TRANSFORMERS_", "VLLM_")
_NAMES = ("LD_LIBRARY_PATH", "LD_PRELOAD")
"""What else decides what runs in a process: Python's own variables, and those of the libraries."""

_SECRETS = {"AUTH", "CREDENTIAL", "KEY", "PASSWD", "PASSWORD", "SECRET", "TOKEN"}
"""The words in the name of a variable whose value is nobody's business."""

MASK = "***"
"""Stands for a secret."""

_NOTE = 4
_BUILD_ID = 3
_LARGEST_NOTE = 1 << 16


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of the child that answers; ``distributions`` and ``devices`` as below."""
    return facts(request.get("distributions", ()), devices=request.get("devices", False))


def facts(distributions: Iterable[str] = (), *, devices: bool = False) -> dict[str, Any]:
    """Return all that should be equal in all processes of a job, and what tells them apart.

    ``distributions`` are those whose versions are looked up besides ``DISTRIBUTIONS``. A GPU is
    only touched with ``devices``: in the user's program that would take memory, and break forks.
    """
    names = sorted({*DISTRIBUTIONS, *distributions})
    return {**identity(), "versions": _versions(names), "torch": _torch(devices=devices)}


def identity() -> dict[str, Any]:
    """Return what can be told in a millisecond, at the start of a process."""
    return {**personal(), "libraries": libraries(), "path": list(sys.path)}


def personal() -> dict[str, Any]:
    """Return all but what a fork has from its parent and would only repeat."""
    return {
        "host": host(),
        "pid": os.getpid(),
        "parent": os.getppid(),
        "command": command(),
        "start": start_method(),
        **ranks(),
        "executable": sys.executable,
        "binary": os.path.realpath(sys.executable) if sys.executable else "",
        "prefix": sys.prefix,
        "python": sys.version.split()[0],
        "implementation": sys.implementation.name,
        "flags": _flags(),
        "environment": environment(),
    }


def environment(names: Iterable[str] = ()) -> dict[str, str]:
    """Return the variables that decide what runs here, and those of the ``names``; no secrets."""
    wanted = set(names)
    return {
        name: without_password(value)
        for name, value in sorted(os.environ.items())
        if (name in wanted or name in _NAMES or name.startswith(_PREFIXES) or relevant(name))
        and not is_secret(name)
    }


def is_secret(name: str) -> bool:
    """Return whether the name of a variable says that its value is a secret."""
    words = name.replace("-", "_").replace(".", "_").split("_")
    return any(part.upper().rstrip("S") in _SECRETS for part in words)


def without_secrets(words: Iterable[str]) -> list[str]:
    """Return a command line without the values of options, variables and URLs that are secret."""
    kept: list[str] = []
    is_value = False
    for word in words:
        if is_value and not word.startswith("-"):
            kept.append(word if word.isdigit() else MASK)
        else:
            kept.append(_option(word))
        is_value = word.startswith("-") and "=" not in word and is_secret(word)
    return kept


def _option(word: str) -> str:
    """Return ``--name=value`` or another word of a command line without its secret."""
    name, sign, value = word.partition("=")
    is_name = name.replace("-", "").replace(".", "").replace("_", "").isalnum()
    if sign and is_name and is_secret(name) and not value.isdigit():
        return f"{name}={MASK}"
    return without_password(word)


def without_password(text: str) -> str:
    """Return a text without the logins of URLs, and without the values of what is secret in it."""
    upper = text.upper()
    if "://" not in text and not any(each in upper for each in _SECRETS):
        return text
    import re  # noqa: PLC0415 - takes milliseconds, in each process of a job

    def masked(match: re.Match[str]) -> str:
        is_kept = match[3].isdigit() or not is_secret(match[1])
        return match[0] if is_kept else f"{match[1]}{match[2]}{MASK}"

    text = re.sub(r"(?<=://)[^/@\s'\"]+@", f"{MASK}@", text)
    # name=value and name: value, as in a query, a literal and the code of -c
    return re.sub(r"([\w-]+)(['\"]?\]?\s*[=:]\s*['\"]?)([^\s'\"&;,)?]+)", masked, text)


def host() -> str:
    """Return the name of this machine."""
    return os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")


def command() -> list[str]:
    """Return the command line without its secrets.

    Empty where the system does not tell it (before 3.10, no Linux).
    """
    original = getattr(sys, "orig_argv", None)
    if original:
        return without_secrets(original)
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return without_secrets(os.fsdecode(each) for each in file.read().split(b"\0")[:-1])
    except OSError:
        return []


def start_method() -> str:
    """Return how this process came to be, as far as its command line tells; forks are not in it."""
    line = " ".join(command())
    return next((kind for mark, kind in _HELPERS if mark in line), "program")


def ranks() -> dict[str, int | None]:
    """Return the place of this process in a distributed job; None where no launcher set it."""
    return {
        name: next((int(os.environ[it]) for it in names if os.environ.get(it, "").isdigit()), None)
        for name, names in _RANKS.items()
    }


def _flags() -> dict[str, int | bool]:
    flags = {name: getattr(sys.flags, name) for name in dir(sys.flags) if name[:2] not in _NO_FLAGS}
    return {name: value for name, value in flags.items() if isinstance(value, int)}


def _versions(distributions: Iterable[str]) -> dict[str, str]:
    """Return the versions of distributions, by the names of their .dist-info where they have one.

    ``importlib.metadata`` takes longer to import than everything else here together. The name of
    the folder has the version (Recording installed projects, PyPA specifications).
    """
    wanted = {name.replace("-", "_").replace(".", "_").lower(): name for name in distributions}
    found: dict[str, str] = {}
    for entry in sys.path:
        for file in _listed(entry):
            stem, suffix = os.path.splitext(file)
            if suffix not in (".dist-info", ".egg-info"):
                continue
            key, _, version = stem.partition("-")
            name = wanted.get(key.replace(".", "_").lower())
            if name is None or name in found:
                continue
            if suffix == ".dist-info" and os.path.isfile(os.path.join(entry, file, "METADATA")):
                found[name] = version
            else:
                found[name] = _version_in(name)
    return found


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder or os.curdir))
    except OSError:
        return []  # an archive, or nothing


def _version_in(name: str) -> str:
    """Return what the metadata of a distribution say, which may be damaged."""
    from importlib import metadata  # noqa: PLC0415 - slow, and seldom needed

    try:
        return metadata.version(name)
    except Exception as error:  # noqa: BLE001 - one broken dist-info must not hide the others
        return f"unreadable: {type(error).__name__}: {error}"


def libraries() -> list[dict[str, Any]]:
    """Return the shared libraries that are mapped: path, inode, whether replaced, build id.

    ``deleted`` says that the file was taken away or replaced since it was loaded: what runs is not
    what lies there. The build id (ELF note NT_GNU_BUILD_ID) is that of the file; None without.
    """
    found = {}
    for mapped, inode in _mapped():
        path, deleted = _split(mapped)
        if path not in found and ".so" in os.path.basename(path):
            build = None if deleted else build_id(path)
            found[path] = {"path": path, "inode": inode, "deleted": deleted, "build": build}
    return list(found.values())


def _split(path: str) -> tuple[str, bool]:
    mark = " (deleted)"
    return (path[: -len(mark)], True) if path.endswith(mark) else (path, False)


def _mapped() -> Iterator[tuple[str, int]]:
    """Yield the files of /proc/self/maps (proc_pid_maps(5)) with their inode."""
    try:
        with open("/proc/self/maps", "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return
    for line in lines:
        fields = line.split(None, 5)
        if len(fields) == 6 and fields[5].startswith(b"/"):
            yield os.fsdecode(fields[5]), int(fields[4])


def build_id(path: str) -> str | None:
    """Read the build id of a 64-bit little-endian ELF file; None for anything else."""
    try:
        with open(path, "rb") as file:
            head = file.read(64)
            if len(head) < 64 or head[:6] != b"\x7fELF\x02\x01":
                return None
            (at,) = struct.unpack_from("<Q", head, 32)
            size, number = struct.unpack_from("<HH", head, 54)
            for index in range(number):
                file.seek(at + index * size)
                kind, _, offset, _, _, length = struct.unpack("<IIQQQQ", file.read(40))
                if kind == _NOTE and length <= _LARGEST_NOTE:
                    file.seek(offset)
                    found = _gnu_note(file.read(length))
                    if found:
                        return found
    except (OSError, ValueError, struct.error):
        return None
    return None


def _gnu_note(notes: bytes) -> str | None:
    at = 0
    while at + 12 <= len(notes):
        name_size, size, kind = struct.unpack_from("<III", notes, at)
        name_at = at + 12
        value_at = name_at + (name_size + 3) // 4 * 4
        if kind == _BUILD_ID and notes[name_at : name_at + name_size] == b"GNU\0":
            return notes[value_at : value_at + size].hex()
        at = value_at + (size + 3) // 4 * 4
    return None


def _torch(*, devices: bool) -> dict[str, Any] | None:
    """Describe the torch of this process, without importing it; None where it is not loaded."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return None
    version = getattr(torch, "version", None)
    told = {
        "version": str(getattr(torch, "__version__", None)),
        "file": getattr(torch, "__file__", None),
        "hip": getattr(version, "hip", None),
        "device": None,
    }
    try:
        if devices or torch.cuda.is_initialized():
            told["device"] = _device(torch)
    except Exception as error:  # noqa: BLE001 - no driver, no device, half an import
        told["device_error"] = f"{type(error).__name__}: {error}"
    return told


def _device(torch: Any) -> dict[str, str | None] | None:
    """Return which GPU this process uses; None without one."""
    if not torch.cuda.is_available():
        return None
    local = ranks()["local_rank"]
    chosen = torch.cuda.current_device()
    if not chosen and local is not None and local < torch.cuda.device_count():
        chosen = local  # what a program does that has not yet chosen
    properties = torch.cuda.get_device_properties(chosen)
    uuid = getattr(properties, "uuid", None)
    return {
        "name": properties.name,
        "architecture": getattr(properties, "gcnArchName", None),
        "uuid": None if uuid is None else str(uuid),
    }
