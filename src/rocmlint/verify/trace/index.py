"""The index of kernels: which installed files hold device code with a kernel of a given name.

A kernel ``f`` has a descriptor, which is the exported symbol ``f.kd`` of its code object (LLVM,
"User Guide for AMDGPU Backend", code object symbols). Profilers print the name of C++ kernels
demangled, kineto by ``__cxa_demangle`` of the C++ library (libkineto/src/Demangle.cpp); cxxfilt
calls the same function.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from getpass import getuser
from hashlib import sha256
from io import BytesIO
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.interpreter.inside import write_json
from rocmlint.verify.code_objects import device_elf
from rocmlint.verify.code_objects.bundle import read_bundles
from rocmlint.verify.code_objects.file_errors import MissingExtraError, UnreadableError, extra
from rocmlint.verify.code_objects.file_report import code_objects
from rocmlint.verify.code_objects.find import find_files, holds_code_objects
from rocmlint.verify.code_objects.host_elf import read_strings
from rocmlint.verify.code_objects.kpack import read_archive
from rocmlint.verify.code_objects.mapped import map_file
from rocmlint.verify.trace import stores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rocmlint.gpus.target import Target
    from rocmlint.interpreter.ask import Interpreter

_DESCRIPTOR = b".kd"
_VERSION = 2
"""Of the cache: grows when the same file would be read otherwise."""
_SUFFIX = re.compile(r"(\.kd| \[clone \.kd\])$")
_TTIR_SOURCE = re.compile(r'loc\("(?P<path>[^"\n]+\.py)":')
_RUNTIME_KERNEL = re.compile(rb"__amd_rocclr_\w+")
_TTIR_LONGEST = 1 << 22


@dataclass(frozen=True)
class KernelHolder:
    """A file that holds a kernel, for these targets.

    ``made_of`` is the file that the kernel came from, if that says more: the library whose code was
    moved into a kpack archive, the Python file that Triton compiled into its cache.
    """

    path: str
    targets: tuple[str, ...]
    made_of: str = ""


class KernelGroup(NamedTuple):
    """Kernels of a file that are there for the same targets and came from the same file."""

    names: Sequence[str]
    targets: tuple[str, ...]
    made_of: str = ""


@dataclass(frozen=True)
class Contents:
    """The kernels in a file, and why that may not be all."""

    groups: tuple[KernelGroup, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class KernelIndex:
    """Kernels of files, by path; ``refused`` are paths that could not even be looked at."""

    files: Mapping[str, Contents]
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def problems(self) -> dict[str, str]:
        """Return the files whose kernels are not, or not all, known, and why."""
        broken = {path: each.error for path, each in self.files.items() if each.error}
        return {**self.refused, **broken}

    @cached_property
    def names(self) -> Mapping[str, tuple[KernelHolder, ...]]:
        """Return the holders of each kernel, by the name that its symbol has."""
        found: defaultdict[str, list[KernelHolder]] = defaultdict(list)
        for path, contents in self.files.items():
            for names, targets, made_of in contents.groups:
                holder = KernelHolder(path, tuple(targets), made_of)
                for name in names:
                    found[name].append(holder)
        return {name: tuple(holders) for name, holders in found.items()}

    @cached_property
    def _readable(self) -> Mapping[str, tuple[str, ...]]:
        """Return the symbols by their demangled names, with and without parameters."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for name in self.names:
            if name.startswith("_Z"):
                readable = demangled(name)
                for key in {_squeezed(readable), _squeezed(without_parameters(readable))}:
                    found[key].append(name)
        return {key: tuple(names) for key, names in found.items()}

    def holders(self, name: str) -> tuple[KernelHolder, ...]:
        """Return the files that hold the kernel which a profiler calls ``name``."""
        name = _SUFFIX.sub("", name.strip())
        if name in self.names:
            return self.names[name]
        if name.isidentifier():  # no demangled name with parameters or a namespace
            return ()
        symbols = self._readable.get(_squeezed(name), ())
        return tuple(dict.fromkeys(each for one in symbols for each in self.names[one]))


def demangled(symbol: str) -> str:
    """Return the readable form of a C++ symbol; itself where it is none, or there is no libstdc++.

    Raises MissingExtraError.
    """
    cxxfilt = extra("cxxfilt")
    try:
        return str(cxxfilt.demangle(symbol))
    except (cxxfilt.Error, UnicodeDecodeError):
        return symbol


def without_parameters(readable: str) -> str:
    """Leave out the last pair of parentheses: ``void f<int>(int*)`` gives ``void f<int>``."""
    if not readable.endswith(")"):
        return readable
    depth = 0
    for at in range(len(readable) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(readable[at], 0)
        if depth == 0:
            return readable[:at]
    return readable


def _squeezed(readable: str) -> str:
    """Leave out white space, which demanglers set differently (``> >`` and ``>>``)."""
    return "".join(readable.split())


def default_roots(interpreter: Interpreter) -> list[str]:
    """Return where an interpreter gets kernels from: its packages, ROCm, and the caches of JITs.

    Raises InterpreterError.
    """
    environment = {**os.environ, **interpreter.environment}
    home = os.path.expanduser("~")
    rocm = environment.get("ROCM_PATH") or "/opt/rocm"
    folders = [
        *interpreter.ask("devices", "folders")["folders"],
        *(os.path.join(rocm, each) for each in ("lib", "core/lib", "share/miopen/db")),
        environment.get("TRITON_CACHE_DIR") or os.path.join(home, ".triton", "cache"),
        environment.get("TORCHINDUCTOR_CACHE_DIR")
        or os.path.join(gettempdir(), f"torchinductor_{_user()}"),
        environment.get("AITER_JIT_DIR") or os.path.join(home, ".aiter"),
        environment.get("MIOPEN_CUSTOM_CACHE_DIR") or os.path.join(home, ".cache", "miopen"),
    ]
    return [each for each in folders if os.path.isdir(each)]


def _user() -> str:
    try:
        return re.sub(r'[\\/:*?"<>|]', "_", getuser())
    except (OSError, KeyError, ImportError):
        return ""


def cache_folder() -> str:
    """Return the folder of this user in which indexes are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "rocmlint", "kernels")


def build(roots: Iterable[str], cache: str | None = None) -> KernelIndex:
    """Read the files below some folders; ``cache`` is a folder in which results are kept.

    Raises MissingExtraError.
    """
    files: dict[str, Contents] = {}
    refused: dict[str, str] = {}
    for root in dict.fromkeys(os.path.abspath(each) for each in roots):
        remembered = _Cache(cache, root)
        for found in find_files([root], _wanted):
            if found.error:
                refused[found.path] = found.error
            elif found.path not in files:
                files[found.path] = remembered.get(found.path, _read)
        remembered.save()
    return KernelIndex(files, refused)


def _wanted(path: str) -> bool:
    return holds_code_objects(path) or stores.is_store(path)


def _read(path: str) -> Contents:
    targets_of: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    error = ""
    try:
        for made_of, target, image in _images(path):
            named = str(target)
            for name in _kernels(image):
                targets_of[made_of, name].add(named)
        for name in _runtime_kernels(path):
            targets_of["", name].add("any GPU")
    except UnreadableError as problem:
        error = str(problem)
    except OSError as problem:
        error = problem.strerror or type(problem).__name__
    except MissingExtraError:
        raise
    except Exception as problem:  # noqa: BLE001 - no file may hide what is known of the others
        error = f"cannot be read: {type(problem).__name__}: {problem}"
    alike: defaultdict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for (made_of, name), targets in targets_of.items():
        alike[made_of, tuple(sorted(targets))].append(name)
    groups = (KernelGroup(names, targets, made_of) for (made_of, targets), names in alike.items())
    return Contents(tuple(groups), error)


def _images(path: str) -> Iterator[tuple[str, Target, memoryview | bytes]]:
    """Yield each code object, and before it what it was made of."""
    if stores.is_store(path):
        for image in stores.images(path):
            for each in read_bundles(memoryview(image), lambda _: True):
                yield "", each.target, each.image
    elif path.endswith(".kpack"):
        archive = read_archive(memoryview(map_file(path)))
        for name, target in archive.places:
            code = archive.code_object(name, target)
            yield name.rpartition("#")[0], code.target, code.image
    else:
        source = _triton_source(path)
        for each in code_objects(path):
            yield source, each.target, each.image


def _kernels(image: memoryview | bytes) -> Iterator[str]:
    """Yield the names of the kernels of a code object.

    The table of dynamic names is enough: descriptors are always exported, and lld does not share
    the ends of names in this table (1,281 files of AITER, 350 code objects of bitsandbytes: the
    same names as from the table of symbols, at twice the speed).
    """
    if not device_elf.is_device_code(image):
        return  # SPIR-V, which is compiled when it is loaded
    for name in read_strings(BytesIO(image), ".dynstr").split(b"\0"):
        if name.endswith(_DESCRIPTOR):
            yield name[: -len(_DESCRIPTOR)].decode("utf-8", "replace")


def _triton_source(path: str) -> str:
    """Return the Python file that Triton compiled, from the ``.ttir`` in its cache, or nothing."""
    base, ending = os.path.splitext(path)
    if ending != ".hsaco" or not os.path.isfile(f"{base}.json"):
        return ""
    try:
        with open(f"{base}.ttir", encoding="utf-8", errors="replace") as file:
            match = _TTIR_SOURCE.search(file.read(_TTIR_LONGEST))
    except OSError:
        match = None
    return match["path"] if match else base


def _runtime_kernels(path: str) -> Iterator[str]:
    """Yield the kernels with which the HIP runtime copies and fills memory.

    It holds their source and compiles it when it starts (rocclr/device/blitcl.cpp of ROCm/clr; seen
    in libamdhip64.so of Debian's 5.2.3).
    """
    if os.path.basename(path).startswith("libamdhip64.so"):
        data = memoryview(map_file(path))
        for name in sorted({match[0] for match in _RUNTIME_KERNEL.finditer(data)}):
            yield bytes(name).decode()


class _Cache:
    """Facts that are remembered of the files below one root: a file of JSON, named by the root."""

    def __init__(self, folder: str | None, root: str) -> None:
        self._path = folder and os.path.join(
            folder, f"{sha256(root.encode()).hexdigest()[:24]}.json"
        )
        self._old: dict[str, Any] = _load(self._path) if self._path else {}
        self._new: dict[str, Any] = {}
        self._changed = False

    def get(self, path: str, read: Callable[[str], Contents]) -> Contents:
        """Return what is remembered of a file that is as it was, else read it."""
        try:
            status = os.stat(path)
        except OSError:
            return read(path)
        state = [status.st_size, status.st_mtime_ns, status.st_ctime_ns]
        entry = self._old.get(path)
        contents = _from_json(entry, state)
        if contents is None:
            contents = read(path)
            entry = [state, contents.groups, contents.error]
            self._changed = True
        self._new[path] = entry
        return contents

    def save(self) -> None:
        """Write what was learnt; an index that cannot be kept is only slower next time."""
        if not self._path or not (self._changed or len(self._new) != len(self._old)):
            return
        try:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            write_json(self._path, {"version": _VERSION, "files": self._new})
        except OSError:
            return


def _load(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            stored = json.load(file)
        files = stored["files"] if stored["version"] == _VERSION else {}
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return {}
    return files if isinstance(files, dict) else {}


def _from_json(entry: Any, state: list[int]) -> Contents | None:
    """Read an entry of the cache; None if it is of another state of the file, or broken."""
    try:
        old, groups, error = entry
        if old != state:
            return None
        return Contents(tuple(KernelGroup(*each) for each in groups), error)
    except (TypeError, ValueError):
        return None
