"""What a rule is: what it looks at, what it finds, and what it leaves alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, get_args

from rocmlint.config.option import Option, problem
from rocmlint.findings import Claim, Finding, Fix, Related, Severity
from rocmlint.rule.claims import placed, works_as_printed
from rocmlint.rule.triggers import On
from rocmlint.text.secrets import without_credentials

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import libcst as cst

    from rocmlint.formats.model import Located
    from rocmlint.source.file import File
    from rocmlint.source.python import Comment, Source

SEVERITY = Option("string", "error", "How sure a finding is to matter.", get_args(Severity))
Node = TypeVar("Node")
Candidate = TypeVar("Candidate")
Candidate_contra = TypeVar("Candidate_contra", contravariant=True)
AnyFile = TypeVar("AnyFile")
AnyFile_contra = TypeVar("AnyFile_contra", contravariant=True)


class Excusing(Protocol[Candidate_contra, AnyFile_contra]):
    """A rule whose excuses all take the same candidate: a type checker proves it of each rule."""

    @property
    def severity(self) -> Severity:
        """How sure a finding is to matter that nothing excuses or doubts."""

    @property
    def excuses(self) -> tuple[Callable[[Candidate_contra, AnyFile_contra], bool], ...]:
        """Why a candidate is left alone."""

    @property
    def doubts(self) -> tuple[Callable[[Candidate_contra, AnyFile_contra], bool], ...]:
        """Why a candidate is only a note."""

    def is_excused(self, candidate: Candidate_contra, file: AnyFile_contra) -> bool:
        """Check whether one of the ``excuses`` holds."""


class Rule(Generic[Node]):
    """A pure function from a node to findings; the docstring is its documentation.

    Derive from ``PythonRule`` or ``PartRule``, with the type of the nodes that ``on``
    selects: ``class MyRule(PythonRule["cst.Call"])``. A rule keeps nothing between files.

    The first line of the docstring says what it finds. The headings ``## Why it matters``,
    ``## Example``, ``## Use instead``, ``## Fix safety`` (if it has fixes) and ``## References``
    follow; the two examples are code of at most ten lines, which the tests lint.
    """

    code: ClassVar[str]
    """Capital letters and a number, such as ``ACME101``; never changes its meaning.

    ``ROC`` begins the codes of the built-in rules.
    """
    name: ClassVar[str]
    """kebab-case; says what is wrong, and may be used wherever the code may."""
    since: ClassVar[str]
    """The version, of rocmlint or of your rules, that first had the rule."""
    on: On = On()
    """What the rule looks at: see ``rocmlint.rule.triggers``. Empty for the rules of the engine."""
    severity: ClassVar[Severity] = "error"
    """error: the run is wrong or will break; warning: it costs or breaks here; note: it is true,
    and whether it matters the project does not tell."""
    retired: ClassVar[Mapping[str, str]] = {}
    """Codes that the rule took over, and their names: they still select and suppress it."""
    preview: ClassVar[bool] = False
    """Off until ``--preview`` or selected by code or name."""
    profile: ClassVar[str] = ""
    """The purpose that it is for, such as "export": off unless ``profile`` names it, or a selector
    with at least the digit of its family, or its name, selects it."""
    skips: ClassVar[frozenset[str]] = frozenset()
    """Kinds of file that the rule leaves alone: "test", "benchmark", "example", "script", …"""
    options: ClassVar[Mapping[str, Option]] = {}
    """Options that ``[tool.rocmlint.<name>]`` may set."""
    needs: ClassVar[str] = ""
    """The option without which the rule finds nothing: until it is set, the rule is off."""

    excuses: ClassVar[tuple[Callable[[Any, Any], bool], ...]] = ()
    """Why a candidate is left alone: functions of a candidate and its file, in the order asked.

    The first line of each docstring is a line of "Silent" in "When it is reported" on its page.
    """
    doubts: ClassVar[tuple[Callable[[Any, Any], bool], ...]] = ()
    """Why a finding is only a note: functions like those of ``excuses``, asked after them.

    The first line of each docstring is a line of "Note" in "When it is reported" on its page.
    """
    tiers: ClassVar[Mapping[Severity, str]] = {}
    """When ``check`` gives a finding another severity than ``severity``, in one line for each."""

    def __init__(self, *, settings: Mapping[str, object]) -> None:
        """Make a rule with the values of its options."""
        self.settings = settings

    def check(self, node: Node, file: Any) -> Iterator[Finding]:
        """Yield what is wrong with the node; see ``PythonRule`` and ``PartRule``."""
        raise NotImplementedError

    def is_excused(self: Excusing[Candidate, AnyFile], candidate: Candidate, file: AnyFile) -> bool:
        """Check whether one of the ``excuses`` holds for what ``check`` would report."""
        holds = next((each for each in self.excuses if each(candidate, file)), None)
        if holds is not None:
            _note_excuse(self, candidate, holds, file)
        return holds is not None

    def severity_of(
        self: Excusing[Candidate, AnyFile], candidate: Candidate, file: AnyFile
    ) -> Severity | None:
        """Return how sure a candidate is to matter: a note in doubt, None where it is excused."""
        if self.is_excused(candidate, file):
            return None
        return "note" if any(doubt(candidate, file) for doubt in self.doubts) else self.severity

    def finding(  # noqa: PLR0913 - a finding has so many parts, most of them rare
        self,
        node: cst.CSTNode | Comment | Located,
        source: File,
        message: str,
        *,
        help: str = "",
        fix: Fix | None = None,
        severity: Severity | None = None,
        claims: Iterable[Claim] = (),
        related: Iterable[Related] = (),
    ) -> Finding:
        """Make the finding of this rule that spans the node.

        ``message`` names the fault: one sentence of at most 100 characters, without a full stop.
        ``help`` says what to do, in at most two sentences; the rule's page says why it matters.
        ``claims`` are the statements that would have to hold if nothing were wrong, ``related`` the
        other places that it comes from. Raises ValueError for a severity that is not valid.
        """
        wrong = None if severity is None else problem("severity", SEVERITY, severity)
        if wrong is not None:
            raise ValueError(wrong)
        span = source.span(node)
        return Finding(
            path=source.path,
            line=span.line,
            column=span.column,
            end_line=span.end_line,
            end_column=span.end_column,
            code=self.code,
            name=self.name,
            message=without_credentials(message),
            severity=severity or self.severity,
            help=without_credentials(help),
            fix=fix and replace(fix, title=without_credentials(fix.title)),
            claims=tuple(self._placed(each, node, source, span.line) for each in claims),
            related=tuple(
                replace(each, message=without_credentials(each.message)) for each in related
            ),
        )

    def _placed(
        self, claim: Claim, node: cst.CSTNode | Comment | Located, source: File, line: int
    ) -> Claim:
        """Return a claim its place; it has no command where none works as it is printed."""
        function = getattr(source, "function", None)
        in_function = function is not None and _is_node(node) and function(node) is not None
        if not works_as_printed(claim, source, in_function=in_function):
            claim = replace(claim, command="")
        return placed(claim, source.path, line)


def _note_excuse(rule: Any, candidate: object, excuse: Callable[..., bool], file: Any) -> None:
    """Note with the file what keeps a candidate of a rule back, where somebody asks for it."""
    if file.kept_back is not None:
        from rocmlint.source.found_in import note_excuse  # noqa: PLC0415 - few runs ask

        note_excuse(rule.code, rule.name, candidate, excuse, file)


def _is_node(what: object) -> bool:
    """Check whether this is a node of a tree, and not a comment or a part."""
    return type(what).__module__.startswith("libcst")


class PythonRule(Rule[Node]):
    """A rule on Python code: ``check`` gets nodes of LibCST, or comments, and their Source."""

    def check(self, node: Node, source: Source) -> Iterator[Finding]:
        """Yield what is wrong with the node."""
        raise NotImplementedError


class PartRule(Rule[Node]):
    """A rule on commands, declared requirements and index URLs, in any format.

    ``check`` gets the part and its File, which is a Source where Python code runs the command.
    """

    def check(self, node: Node, file: File) -> Iterator[Finding]:
        """Yield what is wrong with the part."""
        raise NotImplementedError


class EngineRule(Rule[None]):
    """A rule that rocmlint itself applies, about files and comments."""

    def check(self, node: None, file: File) -> Iterator[Finding]:
        """Yield nothing: the engine makes these findings."""
        del node, file
        return iter(())


class ClaimRule(Generic[Node]):
    """A pure function from a node to what the code there claims about the running system.

    It lies in a file ``claim_*.py`` beside the rules, and only ``rocmlint verify`` asks it.
    """

    on: ClassVar[On]
    """What it looks at: see ``rocmlint.rule.triggers``."""
    skips: ClassVar[frozenset[str]] = frozenset({"test"})
    """Kinds of file that it leaves alone."""

    def check(self, node: Node, source: Source) -> Iterator[Claim]:
        """Yield what the node claims, each with its place (see ``at``)."""
        raise NotImplementedError

    def at(self, node: cst.CSTNode, source: Source, claim: Claim) -> Claim:
        """Return that a claim is made by a node."""
        return placed(claim, source.path, source.span(node).line)
