"""``session``: apply patches, registrations and rewrites, prove what they did, and undo them.

A session changes modules and classes, so it is in force for the whole process: every thread runs
the patched code. Sessions are stacked: one may be opened inside another, in the same thread, and
is undone first. A second thread cannot open one meanwhile, because the order of undoing them would
be left to chance.
"""

from __future__ import annotations

import secrets
import threading
import warnings
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocmlint.export.containers import registries
from rocmlint.export.dump import write_dump
from rocmlint.export.errors import ExportError, PatchNotProvenError
from rocmlint.export.installation import Installation
from rocmlint.export.modes import Modes, forget
from rocmlint.export.patch import patches_of
from rocmlint.export.patches import patches_for
from rocmlint.export.program import Program
from rocmlint.export.proof import Proof, RegistrationProof
from rocmlint.export.propagation import replace_aliases, undo_aliases
from rocmlint.export.rewriting import rewrites_of
from rocmlint.export.static_sizes import stop_if_static
from rocmlint.export.targets import target_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from types import TracebackType

    from rocmlint.export.containers.registration import Registration
    from rocmlint.export.containers.registries import Registered
    from rocmlint.export.patch import Patch
    from rocmlint.export.rewriting import Rewrite, RewrittenFile

_LOCK = threading.RLock()
_OPEN: list[Session] = []


@dataclass(frozen=True)
class Options:
    """What a session does; see ``session``."""

    model: Any
    patches: Any
    register: Any
    rewrite: Any
    dump: str | os.PathLike[str] | None
    rebind: bool
    stop_if_static: bool


def session(  # noqa: PLR0913 - all but the first are named by the caller
    model: Any = None,
    *,
    patches: Any = None,
    register: bool | Registration | Iterable[Registration] = (),
    rewrite: Any | Rewrite = None,
    dump: str | os.PathLike[str] | None = None,
    rebind: bool = True,
    stop_if_static: bool = False,
) -> Session:
    """Return a context manager in which a model is exported.

    - ``model`` is what is exported; ``patches=True`` and ``rewrite=True`` need it.
    - ``patches`` are in any of the forms of ``rocmlint.export.patch``; True means the built-in ones
      that the model needs.
    - ``register`` are the classes that the model takes or returns. True means the caches and
      outputs of transformers and diffusers, as far as they are loaded.
    - ``rewrite`` names functions whose control flow depends on tensors: classes, functions, pairs
      of a class and a name, a model, which means all of its modules, or a ``Rewrite`` with options.
      True means ``model``.
    - ``dump`` is a directory for the rewritten files, their differences, and what was refused.
    - ``stop_if_static`` raises StaticSizeError at the line that makes a dynamic size static.
    - ``rebind=False`` leaves other references to a patched function alone and only reports them.

    Nothing happens before the session is entered. It can be entered again once it was left. Raises
    ExportError from ``with``, and then nothing was changed.
    """
    return Session(Options(model, patches, register, rewrite, dump, rebind, stop_if_static))


class Session:
    """A session; see ``session``."""

    def __init__(self, options: Options) -> None:
        """Take what to do; nothing is done yet."""
        self.options = options
        self.thread = 0
        """The thread that has it open."""
        self.rewritten: list[RewrittenFile] = []
        """The files of which functions are rewritten, with what was refused and why."""
        self._stack: ExitStack | None = None
        self._installations: list[Installation] = []
        self._registered: list[Registered] = []
        self._registrations: list[RegistrationProof] = []
        self._modes = Modes()

    def __enter__(self) -> Session:  # noqa: PYI034 - Self is new in Python 3.11
        """Apply everything, or nothing. Raises ExportError."""
        with _LOCK:
            self._refuse()
            self._installations, self._registered, self._registrations = [], [], []
            with ExitStack() as stack:
                stack.callback(_forget, self)
                _OPEN.append(self)
                self.thread = threading.get_ident()
                self._apply(stack)
                self._modes = Modes()
                self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Undo everything, also of sessions that were opened inside and are still open.

        Raises ExportError if something else changed what the session had changed, unless an
        exception is already on its way: then it is a warning. A patch that is still in a place that
        cannot be changed is always a warning.
        """
        with _LOCK:
            if self._stack is None:
                return  # an outer session was left first, and has undone this one
            inner = _OPEN[_OPEN.index(self) + 1 :]
            for each in reversed(inner):
                each.undo()
            self.undo()
        problems = [problem for each in self._installations for problem in each.problems]
        problems += [] if not inner else ["a session that was opened inside of it was still open"]
        self._warn()
        if problems and kind is None:
            raise ExportError("; ".join(problems))
        for problem in problems:
            warnings.warn(problem, RuntimeWarning, stacklevel=2)

    def proof(self, program: Any = None) -> Proof:
        """Return what was seen of each patch and registration so far.

        With an exported program also what it shows of them. After the session it includes whether
        everything was undone. Raises ExportError if ``program`` is not an exported program.
        """
        read = Program(program) if program is not None else None
        here = None if read is None else self._has_exported(read)
        return Proof(
            open=self._stack is not None,
            patches=tuple(each.proof(read, exported_here=here) for each in self._installations),
            registrations=tuple(self._registrations)
            or tuple(_proof_of(each) for each in self._registered),
        )

    def prove(self, program: Any) -> Proof:
        """Return the proof that every patch took effect in an exported program.

        It says nothing about the results of the program. Rewritten functions are ``applied``, and
        the proof as a whole is then not ``proven``: ``rocmlint verify export`` compares results.

        Inside the session: each patch is installed, was called while this program was traced or is
        in its graph, and no other reference still calls the original. A built-in patch, and what
        was rewritten without being named, may be unused instead, if this session exported the
        program. After the session: also that all was undone. Raises PatchNotProvenError, with the
        proof, if one of them does not hold or was not seen, and ExportError if ``program`` is not
        an exported program.
        """
        proof = self.proof(program)
        if not proof.holds:
            raise PatchNotProvenError(proof.summary(), proof)
        return proof

    def _has_exported(self, program: Program) -> bool:
        marks = (each.target.calls.mark for each in self._installations)
        return self._modes.has(program.mode) or any(map(program.below, marks))

    def _refuse(self) -> None:
        if self._stack is not None:
            raise ExportError("this session is already open: use another one inside of it")
        other = next((e for e in _OPEN if e.thread != threading.get_ident()), None)
        if other is not None:
            raise ExportError(
                "another thread has a session open: patches are in force for the whole process, "
                "so export in one thread after the other, or in several processes"
            )

    def _apply(self, stack: ExitStack) -> None:
        token = secrets.token_hex(4)
        for registration in registries.registrations_of(self.options.register, self.options.model):
            registered = registries.register(registration)
            stack.callback(registries.unregister, registered)
            self._registered.append(registered)
        wanted = self._wanted()
        targets = [
            target_of(patch, f"patch {token}.{number}: {patch.label}")
            for number, patch in enumerate(wanted, 1)
        ]
        self._installations = [Installation(each) for each in targets]
        stack.callback(forget)
        stack.callback(undo_aliases, self._installations)
        for each in self._installations:
            stack.callback(each.undo)
            each.install()
        replace_aliases(self._installations, rebind=self.options.rebind)
        forget()

    def _wanted(self) -> list[Patch]:
        model, given = self.options.model, self.options.patches
        if given is True:
            if model is None:
                raise ExportError("patches=True needs the model: session(model, patches=True)")
            given = patches_for(model)
        rewritten, self.rewritten = rewrites_of(self.options.rewrite, model)
        if self.options.dump is not None:
            write_dump(self.rewritten, self.options.dump)
        stops = [stop_if_static()] if self.options.stop_if_static else []
        return patches_of([given, *rewritten, *stops])

    def undo(self) -> None:
        """Undo everything, also if something fails or an interrupt comes; leaving does it."""
        if self._stack is None:
            return
        stack, self._stack = self._stack, None
        self._modes.end()
        was = [each.is_registered() for each in self._registered]
        stack.close()
        self._registrations = [
            _proof_of(each, was=is_registered, undone=each.is_undone())
            for each, is_registered in zip(self._registered, was, strict=True)
        ]

    def _warn(self) -> None:
        for each in self._installations:
            for where in each.left:
                message = f"the patch of {each.label} is still in {where}, which cannot be changed"
                warnings.warn(message, RuntimeWarning, stacklevel=3)


def _forget(session: Session) -> None:
    if session in _OPEN:
        _OPEN.remove(session)


def _proof_of(
    registered: Registered, *, was: bool | None = None, undone: bool | None = None
) -> RegistrationProof:
    cls = registered.registration.cls
    name = f"{cls.__module__}.{cls.__qualname__}"
    return RegistrationProof(name, registered.is_registered() if was is None else was, undone)
