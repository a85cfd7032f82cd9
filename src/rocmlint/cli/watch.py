"""``--watch``: lint again whenever a source or a configuration changes."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from contextlib import suppress
from multiprocessing import get_context
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.cli.flags import overrides
from rocmlint.cli.job import job_of
from rocmlint.config.configuration import NAMES
from rocmlint.errors import ConfigError, RocmlintError
from rocmlint.lint.discovery.discover import may_be_linted
from rocmlint.text.secrets import without_credentials
from rocmlint.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType, SimpleNamespace

    Check = Callable[[SimpleNamespace], int]

_OTHERS = (*NAMES, ".gitignore", ".lock")
"""Endings of further files that decide what is found, in addition to those that are linted."""
_PAUSE = 100
"""Milliseconds after which the other folders are looked at."""
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"
_SHOWN = 3
"""How many files that changed are named."""


class WatchedFolders(NamedTuple):
    """The folders to watch: a file alone would be lost when an editor replaces it."""

    whole: Sequence[str]
    """With all that is below."""
    alone: Sequence[str]
    """Those of named files, and those above, which may configure or pin something."""


def watch(flags: SimpleNamespace, check: Check) -> int:
    """Check, wait for a change, and so on until Ctrl-C. Raises ConfigError."""
    read = _read_by(flags)
    changes = _changes(_folders(flags.paths or ["."], read), read, _interrupted())
    next(changes)  # from here on nothing that changes is missed
    _check(flags, check, ())
    for changed in changes:
        if changed:
            _check(flags, check, changed)
    return 0


def _interrupted() -> Event:
    """Return what is set by Ctrl-C, whose exception is lost where Python clears something away."""
    event = Event()

    def interrupt(number: int, frame: FrameType | None) -> None:
        event.set()
        signal.default_int_handler(number, frame)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    return event


def _read_by(flags: SimpleNamespace) -> frozenset[str]:
    """Return the files that the first run reads but does not lint: configuration, baseline."""
    with suppress(RocmlintError):  # the run says what is wrong
        settings = job_of(flags, overrides(flags)).settings
        return frozenset({*settings.sources, *filter(None, [settings.baseline])})
    return frozenset()


def _folders(paths: Sequence[str], read: frozenset[str]) -> WatchedFolders:
    whole = [os.path.abspath(each) for each in paths if os.path.isdir(each)]
    around = [*paths, *read]
    alone = {above for each in around for above in _above(os.path.dirname(os.path.abspath(each)))}
    return WatchedFolders(whole, sorted(each for each in alone - {*whole} if os.path.isdir(each)))


def _above(folder: str) -> Iterator[str]:
    """Yield a folder and those above it in its repository."""
    found = [folder]
    while not os.path.exists(os.path.join(found[-1], ".git")):
        above = os.path.dirname(found[-1])
        if above == found[-1]:
            yield folder
            return
        found.append(above)
    yield from found


def _changes(
    folders: WatchedFolders, read: frozenset[str], interrupted: Event
) -> Iterator[Sequence[str]]:
    """Yield again and again the files that changed, often none. Raises ConfigError."""
    try:
        from watchfiles import watch as changes_in  # noqa: PLC0415 - an extra
    except ImportError as error:
        message = "--watch needs the package watchfiles: pip install 'rocmlint[watch]'"
        raise ConfigError(message) from error
    watchers = [
        changes_in(*each, recursive=recursive, rust_timeout=_PAUSE, yield_on_timeout=True)
        for each, recursive in ((folders.whole, True), (folders.alone, False))
        if each
    ]
    if not watchers:
        message = "--watch: there is nothing to watch: no such file or directory"
        raise ConfigError(message)
    while not interrupted.is_set():
        changed = {path for each in watchers for _, path in next(each)}
        yield sorted(path for path in changed if _counts(path, read))
    raise KeyboardInterrupt


def _counts(path: str, read: frozenset[str]) -> bool:
    return path in read or path.endswith(_OTHERS) or may_be_linted(path)


def _check(flags: SimpleNamespace, check: Check, changed: Sequence[str]) -> None:
    """Check in a process of its own: nothing that it remembers of files and rules outlives it."""
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        sys.stdout.write(_CLEAR)
        sys.stdout.flush()
    if changed and not flags.quiet:
        print(f"{time.strftime('%H:%M:%S')} {_summary_of(changed)} changed", file=sys.stderr)
    context = get_context("fork") if sys.platform == "linux" else get_context("spawn")
    process = context.Process(target=_checked, args=(flags, check))
    process.start()
    process.join()
    if not flags.quiet:
        print("Watching for changes (Ctrl-C to stop)", file=sys.stderr)


def _summary_of(changed: Sequence[str]) -> str:
    """Name what changed; what an editor has made and removed only if nothing else did."""
    changed = list(filter(os.path.exists, changed)) or changed
    names = ", ".join(visible(os.path.relpath(each)) for each in changed[:_SHOWN])
    more = len(changed) - _SHOWN
    return f"{names} and {more} more" if more > 0 else names


def _checked(flags: SimpleNamespace, check: Check) -> None:
    """Check; whatever goes wrong, the next change may fix it."""
    try:
        check(flags)
    except RocmlintError as error:
        print(f"error: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        os._exit(0)  # who waits for this process says it
    except Exception:  # noqa: BLE001 - the last place to tell what happened
        print(without_credentials(traceback.format_exc()), file=sys.stderr)
