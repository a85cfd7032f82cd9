"""Runs of programs in processes that need not start Python: forks of one that has loaded them.

Each is a process of its own, with the folder, the variables and the streams that it is given, and
nothing is shared but imports and rocmlint's own data. Only what happens before ``main`` is left
out: variables that Python itself reads have no effect.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from functools import cache
from importlib import import_module
from io import BytesIO, TextIOWrapper
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from pkgutil import walk_packages
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PATIENCE = 600
"""Seconds after which a run counts as hung."""
STREAMS = ("stdin", "stdout", "stderr")
OPENED = (os.O_RDONLY, os.O_WRONLY | os.O_APPEND, os.O_WRONLY | os.O_APPEND)
READ_BY_PYTHON = ("PYTHON", "LANG", "LC_")
"""How the names of variables begin that count when Python starts, unless they are empty."""
OBEYED = NO_BYTECODE, SEARCHED = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")
"""Those of them that a fork can obey."""
LEFT_OUT = (
    *("rocmlint.__main__", "rocmlint.editors.", "rocmlint.engines."),
    *("rocmlint.interpreter.inside", "rocmlint.export.agreement"),
)
"""Modules that do something when they are imported, need an extra, or run in other interpreters."""
USED_SOON = (
    *("ahocorasick_rs", "ast", "difflib", "hashlib", "json", "libcst", "libcst.native"),
    *("shutil", "tempfile"),
)
PROGRAMS = {
    "rocmlint": ("rocmlint.cli.main",),
    "flake8": ("flake8.main.cli", "mccabe", "pycodestyle", "pyflakes.checker"),
}
"""What can be run, and the modules to load for it: ``main`` of the first starts it."""


class Run(NamedTuple):
    """A program, where it is run, and the folder of the files that are its streams."""

    program: str
    arguments: Sequence[str]
    folder: str
    variables: Mapping[str, str]
    streams: str


def is_enough_for(variables: Mapping[str, str]) -> bool:
    """Return whether a fork is what a process with these variables would be."""
    can_fork = hasattr(os, "fork")
    return can_fork and _read_by_python(variables) == _read_by_python(os.environ)


def run(
    arguments: Sequence[str], folder: Path, variables: Mapping[str, str], stdin: str
) -> subprocess.CompletedProcess[str]:
    """Run the command as ``subprocess.run`` would, with text and all output captured."""
    ran = run_program("rocmlint", arguments, folder, variables, stdin.encode())
    stdout, stderr = (TextIOWrapper(BytesIO(each)).read() for each in (ran.stdout, ran.stderr))
    return subprocess.CompletedProcess(ran.args, ran.returncode, stdout, stderr)


def run_program(
    program: str,
    arguments: Sequence[str],
    folder: Path,
    variables: Mapping[str, str],
    stdin: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:
    """Run one of ``PROGRAMS`` as ``subprocess.run`` would run ``python -m``, with bytes."""
    with TemporaryDirectory() as streams:
        files = [Path(streams, name) for name in STREAMS]
        for file, data in zip(files, (stdin, b"", b""), strict=True):
            file.write_bytes(data)
        code = _run(Run(program, arguments, str(folder), dict(variables), streams))
        _, stdout, stderr = (file.read_bytes() for file in files)
    return subprocess.CompletedProcess([program, *arguments], code, stdout, stderr)


def _run(job: Run) -> int:
    server = _server(os.getpid())
    server.send(tuple(job))  # no class: it is `__main__.Run` over there
    child = server.recv()
    is_done = False
    try:
        is_done = server.poll(PATIENCE)
    finally:
        if not is_done:
            os.kill(child, signal.SIGKILL)
        code: int = server.recv()
    if not is_done:
        raise subprocess.TimeoutExpired([job.program, *job.arguments], PATIENCE)
    return code


@cache
def _server(_process: int) -> Connection:
    """Start the process to fork; it ends when nobody can ask it any more."""
    here, there = Pipe()
    with there:
        command = [sys.executable, __file__, str(there.fileno())]
        subprocess.Popen(command, pass_fds=[there.fileno()])
    return here


def _read_by_python(variables: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in variables.items()
        if value and name.startswith(READ_BY_PYTHON) and name not in OBEYED
    }


def _serve(requests: Connection) -> Run | None:
    """Fork for each run that is asked for; give it where it is to be run, and None at the end."""
    while True:
        try:
            job = Run(*requests.recv())
        except EOFError:
            return None
        for module in PROGRAMS[job.program]:
            import_module(module)
        child = os.fork()
        if not child:
            requests.close()
            return job
        requests.send(child)
        requests.send(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def _load() -> None:
    import_module("rocmlint.rule.registry").load_rules()  # first: it decides how LibCST is loaded
    rocmlint = import_module("rocmlint")
    for module in walk_packages(rocmlint.__path__, "rocmlint."):
        if not module.name.startswith(LEFT_OUT):
            import_module(module.name)
    for name in USED_SOON:
        import_module(name)
    _remember()
    gc.freeze()


def _remember() -> None:
    """Let functions remember what they read of rocmlint's own files, which is so in each run."""
    import_module("rocmlint.rule.errors").errors_of("")
    facts = import_module("rocmlint.why.facts.all").NAMES
    import_module("rocmlint.why.entries.load").built_in(facts)
    settings = import_module("rocmlint.config.settings").Settings()
    import_module("rocmlint.lint.linter").Linter(settings)


def _become(job: Run) -> None:
    """Make this process the one that ``python -m rocmlint`` would be."""
    os.chdir(job.folder)
    before = len(_searched(os.environ))
    sys.path[: 1 + before] = [job.folder, *_searched(job.variables)]
    sys.dont_write_bytecode = bool(job.variables.get(NO_BYTECODE))
    os.environ.clear()
    os.environ.update(job.variables)
    for number, (name, flags) in enumerate(zip(STREAMS, OPENED, strict=True)):
        opened = os.open(os.path.join(job.streams, name), flags)
        os.dup2(opened, number)
        os.close(opened)
    sys.argv[1:] = job.arguments


def _searched(variables: Mapping[str, str]) -> list[str]:
    folders = variables.get(SEARCHED)
    return [os.path.abspath(each) for each in folders.split(os.pathsep)] if folders else []


if __name__ == "__main__":
    with Connection(int(sys.argv[1])) as asked:
        _load()
        wanted = _serve(asked)
    if wanted is not None:
        _become(wanted)
        code = import_module(PROGRAMS[wanted.program][0]).main()
        sys.stdout.flush()
        os._exit(code)  # to take down all that was loaded lasts longer than a run
