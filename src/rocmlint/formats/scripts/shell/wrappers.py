"""Commands that run another command: what they run is what counts."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocmlint.formats.model import Word

SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ash", "ksh"})
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)\Z", re.DOTALL)
_SCRIPT_FLAG = re.compile(r"-[a-z]*c\Z")


class Wrapper(NamedTuple):
    """How a wrapper's own arguments look."""

    valued: frozenset[str] = frozenset()
    """Options that the next word belongs to."""
    positional: int = 0
    """Words of its own before the command: the time limit of ``timeout``."""
    verb: str = ""
    """What must come first: ``run`` of ``poetry run``."""
    stops: frozenset[str] = frozenset()
    """Options with which it runs nothing: ``command -v pip``."""


def _wrapper(valued: str = "", positional: int = 0, verb: str = "", stops: str = "") -> Wrapper:
    return Wrapper(frozenset(valued.split()), positional, verb, frozenset(stops.split()))


_CONDA = _wrapper("-n --name -p --prefix --cwd -e --env", verb="run")
_DOCKER = _wrapper("-e --env -u --user -w --workdir --env-file --detach-keys", 1, "exec")
_WRAPPERS = {
    "builtin": _wrapper(),
    "chroot": _wrapper("--userspec --groups", 1),
    "command": _wrapper(stops="-v -V"),
    "conda": _CONDA,
    "docker": _DOCKER,
    "doas": _wrapper("-u -C"),
    "env": _wrapper("-u --unset -C --chdir -S"),
    "exec": _wrapper("-a"),
    "gosu": _wrapper(positional=1),
    "hatch": _wrapper("-e --env", verb="run"),
    "ionice": _wrapper("-c -n -p --class --classdata"),
    "mamba": _CONDA,
    "micromamba": _CONDA,
    "nice": _wrapper("-n --adjustment"),
    "nohup": _wrapper(),
    "pdm": _wrapper("-p --project", verb="run"),
    "pipenv": _wrapper(verb="run"),
    "pixi": _wrapper("-e --environment --manifest-path", verb="run"),
    "podman": _DOCKER,
    "poetry": _wrapper("-C --directory -P --project", verb="run"),
    "retry": _wrapper("-n -t -d"),
    "runuser": _wrapper("-u --user -g --group"),
    "setsid": _wrapper(),
    "stdbuf": _wrapper("-i -o -e"),
    "sshpass": _wrapper("-d -f -p -P"),
    "su-exec": _wrapper(positional=1),
    "sudo": _wrapper("-u --user -g --group -h --host -p -C -D -R -T -U", stops="-l -v -k -K"),
    "time": _wrapper("-f --format -o --output"),
    "timeout": _wrapper("-k --kill-after -s --signal", 1),
    "uv": _wrapper(
        "-w --with --extra --group --python -p --with-requirements --with-editable --directory"
        " --project --package --index --default-index --index-url -i --extra-index-url"
        " --env-file --no-group --only-group",
        verb="run",
    ),
    "xargs": _wrapper("-I -n -P -L -d -a -E -s --max-args --max-procs --delimiter --arg-file"),
}

_SSH = _wrapper(
    "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -P -p -Q -R -S -W -w", 1, stops="-V -Q -O -G"
)
_NO_FUNCTIONS: Mapping[str, Wrapper] = {}


def program(word: Word) -> str:
    """Return the name of a program without its folder: ``pip`` for ``"$VENV"/bin/pip``."""
    name = os.path.basename(word.text)
    return name.removesuffix(".exe")


def unwrapped(
    words: Sequence[Word], functions: Mapping[str, Wrapper] = _NO_FUNCTIONS
) -> tuple[Sequence[Word], dict[str, str | None]]:
    """Take wrappers off the front of a command; give the rest and the variables set on the way.

    ``functions`` are the script's own that run what they are given: ``retry 3 pip install x``.
    """
    variables: dict[str, str | None] = {}
    while words:
        name = program(words[0])
        wrapper = functions.get(name) or _WRAPPERS.get(name)
        rest = None if wrapper is None else _after(wrapper, words[1:], variables)
        if not rest:
            return words, variables
        words = rest
    return words, variables


def brought(words: Sequence[Word], run: Sequence[Word]) -> Sequence[Word]:
    """Return what stands before a command that ``uv run --with x`` runs; () where it is no such.

    It installs packages for that command. ``run`` is what is left without wrappers.
    """
    before = words[: len(words) - len(run)]
    for index, word in enumerate(before[:-1]):
        if program(word) == "uv" and before[index + 1].text == "run":
            found = before[index:]
            return found if any(each.text.startswith("--with") for each in found) else ()
    return ()


def script(words: Sequence[Word]) -> int | None:
    """Find the word that a shell among the words is given to run: behind ``bash -c``."""
    anywhere = bool(words) and program(words[0]) in ("docker", "podman")  # --entrypoint bash
    for position, word in enumerate(words):
        if word.known and program(word) in SHELLS:
            for index in range(position + 1, len(words) - 1):
                if not anywhere and not words[index].text.startswith(("-", "+")):
                    break
                if _SCRIPT_FLAG.match(words[index].text):
                    return index + 1
    return None


def remote(words: Sequence[Word]) -> int | None:
    """Find where in a command of ``ssh`` that begins which runs elsewhere.

    That is the end where the other shell reads its input; None where nothing runs elsewhere.
    """
    if not words or program(words[0]) != "ssh":
        return None
    rest = _after(_SSH, words[1:], {})
    return None if rest is None else len(words) - len(rest)


def _after(
    wrapper: Wrapper, words: Sequence[Word], variables: dict[str, str | None]
) -> Sequence[Word] | None:
    """Return the command that a wrapper runs; None if it runs none."""
    position = 0
    if wrapper.verb:
        if not words or words[0].text != wrapper.verb:
            return None
        position = 1
    remaining = wrapper.positional
    while position < len(words):
        word = words[position]
        assignment = _ASSIGNMENT.match(word.text)
        if word.text in wrapper.stops:
            return None
        if word.text == "--":
            position += 1
            break
        if word.text.startswith("-"):
            position += 2 if word.text in wrapper.valued else 1
        elif assignment:
            variables[assignment[1]] = assignment[2] if word.known else None
            position += 1
        elif remaining or word.text.isdigit():  # retry 3 …
            remaining -= bool(remaining)
            position += 1
        else:
            break
    return words[position:]
