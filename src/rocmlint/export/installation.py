"""One patch in force: installed, also wherever else the original was, and undone."""

from __future__ import annotations

import weakref
from types import ModuleType
from typing import TYPE_CHECKING, Any

from rocmlint.export.errors import ExportError
from rocmlint.export.proof import PatchProof
from rocmlint.export.references import MISSING
from rocmlint.export.targets import is_home

if TYPE_CHECKING:
    from rocmlint.export.aliases import Alias, Aliases
    from rocmlint.export.program import Program
    from rocmlint.export.targets import Target


class Installation:
    """A target while a session is open, and what was seen of it."""

    def __init__(self, target: Target) -> None:
        """Take a target that is not installed yet."""
        self.target = target
        self.label = target.patch.label
        self.problems: list[str] = []
        self._was_installed = False
        self._undone: bool | None = None
        self._changes: list[tuple[Alias, Any, Any]] = []
        self._rebound: list[str] = []
        self._stale: list[str] = []
        self._left: list[str] = []
        self._notes: list[str] = []
        if isinstance(target.patch.owner, (type, ModuleType)) and not self.is_searched:
            self._notes.append("only this name is patched: the original is defined elsewhere")
        self._hidden = 0

    @property
    def is_searched(self) -> bool:
        """Whether other references to the original are meant too: those of its own definition.

        Not where the name is inherited, imported from elsewhere or only used: what an attribute
        ``act = torch.relu`` is replaced with must not become ``torch.relu`` everywhere.
        """
        return self.target.before is not MISSING and is_home(self.target)

    @property
    def is_installed(self) -> bool:
        """Whether the target is the replacement now."""
        return self.target.reference.read() is self.target.installed

    def install(self) -> None:
        """Replace the target. Raises ExportError where that is not possible."""
        self.target.reference.write(self.target.installed)
        if not self.is_installed:
            raise ExportError(f"{self.label} cannot be patched: it does not keep what it is set to")

    def replace_aliases(self, aliases: Aliases, *, rebind: bool) -> None:
        """Replace the original in its other places too, or note that it still is there."""
        original, installed = self.target.functions
        self._stale += aliases.fixed
        self._notes += [f"the original is a key in {each}" for each in aliases.keys]
        self._notes += [f"the original is a variable of {each}" for each in aliases.running]
        weak = _weak_references(original)
        self._notes += [f"there are {weak} weak references to the original"] if weak else []
        for alias in aliases.places:
            where = alias.reference.where
            if not rebind:
                self._stale.append(where)
                continue
            change = (alias, alias.reference.read(), alias.around(installed))
            self._changes.append(change)  # first: it is undone even if this is interrupted
            try:
                alias.reference.write(change[2])
                self._rebound.append(where)
            except (ExportError, TypeError, AttributeError, ValueError):
                self._changes.pop()
                self._stale.append(where)

    def add_stale(self, where: str) -> None:
        """Note a place that keeps the original."""
        self._stale.append(where)

    def add_hidden(self, count: int) -> None:
        """Note references to the original that no Python object has."""
        self._hidden = count

    def undo(self) -> None:
        """Put back everything that is still as it was left; what others changed stays theirs."""
        if self._undone is None:
            self._was_installed = self.is_installed
        try:
            self._put_back()
        except BaseException:  # such as an interrupt: it must not leave half of it
            self._put_back()
            raise

    def _put_back(self) -> None:
        while self._changes:
            alias, old, new = self._changes[-1]
            now = alias.reference.read()
            if now is new:
                alias.reference.write(old)
            elif now is not old and now is not MISSING:
                self._note_foreign(alias.reference.where)
            self._changes.pop()
        now = self.target.reference.read()
        if now is self.target.installed:
            self.target.reference.write(self.target.before)
        elif now is not self.target.before:
            self._note_foreign(self.label)
        self._undone = self.target.reference.read() is self.target.before

    def undo_aliases(self, aliases: Aliases) -> None:
        """Put the original wherever the replacement got to meanwhile, such as in new modules."""
        original, _ = self.target.functions
        self._left += aliases.fixed
        self._notes += [f"the patch is a key in {each}" for each in aliases.keys]
        self._notes += [f"the patch is a variable of {each}" for each in aliases.running]
        for alias in aliases.places:
            try:
                alias.reference.write(alias.around(original))
            except (ExportError, TypeError, AttributeError, ValueError):
                self._left.append(alias.reference.where)

    def proof(self, program: Program | None, *, exported_here: bool | None) -> PatchProof:
        """Return what was seen of the patch, and of the program."""
        target = self.target
        calls = target.calls
        return PatchProof(
            target=self.label,
            source=target.patch.source,
            required=target.patch.required,
            rewrites=target.patch.rewrites,
            exported_here=exported_here,
            installed=self.is_installed if self._undone is None else self._was_installed,
            calls=calls.total if calls.counted else None,
            traced_calls=calls.while_tracing(program.mode) if program else 0,
            nodes=program.below(calls.mark) if program else 0,
            original_nodes=program.from_original(target.functions[0], calls.mark)
            if program and self.is_searched
            else 0,
            rebound=tuple(self._rebound),
            stale=tuple(self._stale),
            hidden=self._hidden,
            undone=self._undone,
            left=tuple(self._left),
            notes=tuple(self._notes),
        )

    def _note_foreign(self, where: str) -> None:
        self.problems.append(
            f"{where} was replaced by something else while the session was open; it is left alone"
        )

    @property
    def left(self) -> tuple[str, ...]:
        """What still has the replacement after the session."""
        return tuple(self._left)


def _weak_references(original: Any) -> int:
    try:
        return weakref.getweakrefcount(original)
    except TypeError:
        return 0
