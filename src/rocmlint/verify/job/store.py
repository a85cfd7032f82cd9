"""The exchange of facts between ranks through torch's TCPStore: no process group, no hanging.

A collective would wait for a rank that hangs; here the first rank stops waiting at a time limit.
"""

from __future__ import annotations

import importlib
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from rocmlint.errors import ConfigError, RocmlintError
from rocmlint.interpreter.inside.job.process import ranks as ranks_of_environment

if TYPE_CHECKING:
    from collections.abc import Mapping

_POLL = 0.1
_FAREWELL = 5.0
"""Seconds for the ranks to fetch the verdict before the one that keeps the store leaves."""


class StoreError(RocmlintError):
    """The store cannot be used."""


@dataclass(frozen=True)
class RankPlace:
    """Which rank this is, of how many, and where they meet."""

    host: str
    port: int
    rank: int
    world_size: int


def place_of(address: str | None, rank: int | None, world_size: int | None) -> RankPlace:
    """Find the place from flags, else from what the launcher set. Raises ConfigError."""
    launched = ranks_of_environment()
    rank = launched["rank"] if rank is None else rank
    world_size = launched["world_size"] if world_size is None else world_size
    if address is None:
        host, port = os.environ.get("MASTER_ADDR", ""), os.environ.get("MASTER_PORT", "")
        if not (host and port):
            message = (
                "verify ranks requires a directory of witnesses, --store HOST:PORT, or a "
                "start by python -m torch.distributed.run (MASTER_ADDR and MASTER_PORT are "
                "not set)"
            )
            raise ConfigError(message)
    else:
        host, _, port = address.rpartition(":")
    if not (host and port.isdecimal() and 0 < int(port) < 1 << 16):
        message = f"--store {host}:{port}: must be HOST:PORT"
        raise ConfigError(message)
    if rank is None or world_size is None:
        missing = "--rank R (or RANK)" if rank is None else "--world-size N (or WORLD_SIZE)"
        message = f"verify ranks --store: {missing} is missing"
        raise ConfigError(message)
    if not 0 <= rank < world_size:
        message = f"rank {rank} is out of range for {world_size} ranks (they are counted from 0)"
        raise ConfigError(message)
    return RankPlace(host.strip("[]"), int(port), rank, world_size)


class Exchange:
    """The messages of one rank to the others, and theirs to it."""

    def __init__(self, place: RankPlace, timeout: float) -> None:
        """Reach the store within ``timeout`` seconds. Raises StoreError."""
        try:
            distributed: Any = importlib.import_module("torch.distributed")  # the user's own
        except ImportError as error:
            message = (
                "verify ranks --store requires torch in the interpreter that runs rocmlint "
                f"({error}); use a directory of witnesses instead: rocmlint verify run "
                "--keep DIR"
            )
            raise StoreError(message) from error
        self.place = place
        # torchrun's agent may keep a store at this address already (rendezvous.py of torch).
        has_agent = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
        self._keeps = place.rank == 0 and not has_agent
        limit = timedelta(seconds=timeout)
        try:
            store = distributed.TCPStore(
                place.host,
                place.port,
                is_master=self._keeps,
                timeout=limit,
                wait_for_workers=False,
            )
        except (RuntimeError, ValueError) as error:  # torch's DistError is a RuntimeError
            message = (
                f"rank {place.rank} cannot reach the store of rank 0 at {place.host}:"
                f"{place.port} within {timeout:g} s: {_first_line(error)}"
            )
            raise StoreError(message) from error
        restart = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
        self._store: Any = distributed.PrefixStore(f"rocmlint/{restart}", store)

    def say(self, document: str) -> None:
        """Publish the facts of this rank."""
        self._store.set(f"facts/{self.place.rank}", document)

    def gather(self, until: float) -> Mapping[int, str]:
        """Return the facts of all ranks, or of those that spoke until a time.monotonic()."""
        missing = set(range(self.place.world_size))
        found = {}
        while missing:
            last = time.monotonic() >= until
            for rank in sorted(missing):
                if self._store.check([f"facts/{rank}"]):
                    found[rank] = self._store.get(f"facts/{rank}").decode(errors="replace")
            missing -= found.keys()
            if last:
                break
            if missing:
                time.sleep(_POLL)
        return found

    def has_spoken(self, rank: int) -> bool:
        """Return whether a rank has published its facts; False too where the store is gone."""
        with suppress(RuntimeError):
            return bool(self._store.check([f"facts/{rank}"]))
        return False

    def conclude(self, code: int, facts: Mapping[int, str]) -> None:
        """Publish how this rank ended, and wait until those that are there have read it."""
        self._store.set("verdict", str(code))
        if not self._keeps:
            return
        until = time.monotonic() + _FAREWELL
        waiting = {rank for rank in facts if rank != self.place.rank}
        while waiting and time.monotonic() < until:
            waiting = {rank for rank in waiting if not self._store.check([f"heard/{rank}"])}
            time.sleep(_POLL / 2)

    def verdict(self, until: float) -> int | None:
        """Wait for the exit code that rank 0 gives; None if it gives none."""
        with suppress(RuntimeError):  # the store is gone
            while time.monotonic() < until:
                if self._store.check(["verdict"]):
                    code = int(self._store.get("verdict"))
                    self._store.set(f"heard/{self.place.rank}", "")
                    return code
                time.sleep(_POLL)
        return None


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
