"""What a session saw of its patches and registrations: facts, and what follows from them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

VERSION = 1
_NOT_COMPARED = "rewritten; its results were not compared: see rocmlint verify export"


@dataclass(frozen=True)
class PatchProof:
    """What was seen of one patch.

    - ``required``: it must have been used; a patch that was only offered to a model need not be.
    - ``rewrites``: the replacement is the original, rewritten. That it gives the same was decided
      from its text; no session runs the two.
    - ``exported_here``: this program was exported while the session was open, as far as it shows;
      None without a program.
    - ``installed``: the target is the replacement now; after the session, that it was when the
      session ended.
    - ``calls``: how often it was called since the session began; None if that cannot be counted.
    - ``traced_calls``: how many of them while the program was exported.
    - ``nodes``: how many nodes of the program come from below the replacement.
    - ``original_nodes``: how many come from the original, called around the replacement.
    - ``rebound``: other places that had the original and have the replacement while the session is
      open. ``stale``: those that still have the original. ``hidden``: how many references to it
      belong to compiled code, which no Python object shows.
    - ``undone``: the target is what it was before; None as long as the session is open.
    - ``left``: what still has the replacement after the session.
    - ``notes``: where else the two were seen, without consequences for the verdict.
    """

    target: str
    source: str
    required: bool
    rewrites: bool
    exported_here: bool | None
    installed: bool
    calls: int | None
    traced_calls: int | None
    nodes: int
    original_nodes: int
    rebound: tuple[str, ...]
    stale: tuple[str, ...]
    hidden: int
    undone: bool | None
    left: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def contradictions(self) -> tuple[str, ...]:
        """Return what shows that the patch did not take effect everywhere, or was not undone."""
        found = []
        if not self.installed:
            found.append("something else replaced the patch while the session was open")
        if self.original_nodes:
            found.append(f"{self.original_nodes} nodes of the program come from the original")
        found += [f"the original is still in {each}" for each in self.stale]
        if self.undone is False:
            found.append("the target is not what it was before the session")
        found += [f"after the session the patch is still in {each}" for each in self.left]
        return tuple(found)

    @property
    def doubts(self) -> tuple[str, ...]:
        """Return what was not seen and would have to be."""
        doubts = []
        if self.hidden:
            doubts.append(f"{self.hidden} references to the original belong to compiled code")
        if self.nodes or self.traced_calls:
            pass
        elif self.calls is None:
            doubts.append("its calls cannot be counted, and no node of the program comes from it")
        elif self.calls:
            doubts.append("it was called, but not while this program was exported")
        else:
            doubts.append("it was never called")
        if not self.required and self.exported_here is False:
            doubts.append("the program does not show that it was exported in this session")
        return tuple(doubts)

    @property
    def verdict(self) -> str:
        """Return ``contradicted``, ``unproven``, ``unused``, ``applied`` or ``proven``.

        A rewritten function is applied at best: what it gives was not compared.
        """
        if self.contradictions:
            return "contradicted"
        if self._is_unused:
            return "unused"
        if self.doubts:
            return "unproven"
        return "applied" if self.rewrites else "proven"

    @property
    def _is_unused(self) -> bool:
        """Whether a patch that need not be used is neither in this program nor missing there.

        Not if it cannot be known: for a program from elsewhere, uncounted calls, and where compiled
        code may have called the original.
        """
        if self.required or self.calls is None or self.exported_here is False or self.hidden:
            return False
        used = self.calls if self.exported_here is None else self.traced_calls
        return not used and not self.nodes


@dataclass(frozen=True)
class RegistrationProof:
    """What was seen of one registration: in the registries while open, as before afterwards."""

    cls: str
    registered: bool
    undone: bool | None

    @property
    def verdict(self) -> str:
        """Return ``contradicted`` or ``proven``."""
        return "proven" if self.registered and self.undone is not False else "contradicted"


@dataclass(frozen=True)
class Proof:
    """What a session saw; ``open`` says whether it was still open, so that nothing was undone."""

    open: bool
    patches: tuple[PatchProof, ...]
    registrations: tuple[RegistrationProof, ...]

    @property
    def proven(self) -> bool:
        """Return whether all patches and registrations are proven, except for unused ones.

        Not with a rewritten function in the program: see ``holds``.
        """
        return self._verdicts <= {"proven", "unused"}

    @property
    def holds(self) -> bool:
        """Return whether all took effect: each one is proven, applied or unused."""
        return self._verdicts <= {"proven", "applied", "unused"}

    @property
    def _verdicts(self) -> set[str]:
        found = {each.verdict for each in self.patches}
        return found | {each.verdict for each in self.registrations}

    def summary(self) -> str:
        """Return a line for each patch and registration that is not proven, with the reasons."""
        lines = []
        for patch in self.patches:
            if patch.verdict == "applied":
                lines.append(f"{patch.target}: applied: {_NOT_COMPARED}")
            elif patch.verdict not in {"proven", "unused"}:
                reasons = "; ".join((*patch.contradictions, *patch.doubts))
                lines.append(f"{patch.target}: {patch.verdict}: {reasons}")
        for each in self.registrations:
            if each.verdict != "proven":
                what = "was not undone" if each.registered else "was registered differently"
                lines.append(f"{each.cls}: {each.verdict}: its registration {what}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """Return the proof as JSON: the fields of the classes, and a verdict for each."""
        return {
            "version": VERSION,
            "open": self.open,
            "proven": self.proven,
            "holds": self.holds,
            "patches": [
                {
                    **asdict(each),
                    "verdict": each.verdict,
                    "contradictions": each.contradictions,
                    "doubts": each.doubts,
                }
                for each in self.patches
            ],
            "registrations": [
                {**asdict(each), "verdict": each.verdict} for each in self.registrations
            ],
        }
