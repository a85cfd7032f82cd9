"""One file as a rule sees it, whatever its format: its path, its text, what lies around it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from rocmlint.config.settings import Settings
from rocmlint.disk.disk import Disk, DiskView
from rocmlint.findings import Edit
from rocmlint.formats import is_notebook
from rocmlint.formats.model import Parts
from rocmlint.paths import relative
from rocmlint.project.project import Project
from rocmlint.source.decoding import text_of
from rocmlint.source.facts import once_per_file
from rocmlint.source.kinds import kinds, package_of, place_of
from rocmlint.text.text import Comment, Span, Text

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from rocmlint.disk.state import State
    from rocmlint.project.versions import Candidate
    from rocmlint.source.kept_back import KeptBack

_ANSWERS = ("_project", "_asked_project", "_noted", "facts", "kept_back")
"""The attributes of a file that hold what was answered so far, and what it rests on."""


def project_of(path: str, settings: Settings, disk: Disk | None = None) -> Project:
    """Make the project of the folder that a file lies in."""
    return Project(os.path.dirname(os.path.abspath(path)), settings, disk or Disk(text_of))


class File(DiskView):
    """One file of a project.

    ``path`` is what is printed; ``place`` is the path inside its project, with ``/``.
    """

    def __init__(
        self, path: str, text: Text, *, place: str | None = None, project: Project | None = None
    ) -> None:
        """Take a path, its text, and the project of its folder.

        The place and the project, without settings, are found on disk where they are not given.
        """
        self.path = path
        self._place = place
        self._text = text
        self._project = project or project_of(path, Settings())
        self._asked_project = False
        self.facts: dict[Hashable, Any] = {}
        """What was told of the file so far, see ``rocmlint.source.facts.once_per_file``."""
        self.kept_back: KeptBack | None = None
        """Takes what the excuses of rules keep back, where somebody asks for it."""
        super().__init__(self._project.disk)

    @property
    def made_of(self) -> tuple[Text, str | None, Project]:
        """The text, place and project, for another object of the same file."""
        return self._text, self._place, self._project

    def go_on_with(self, earlier: File) -> None:
        """Keep what an object of the same file has noted before this one was needed."""
        self._noted.update(earlier._noted)
        self._asked_project |= earlier._asked_project
        self.facts = earlier.facts
        self.kept_back = earlier.kept_back

    @contextmanager
    def anew(self) -> Iterator[None]:
        """Answer everything as if nothing had been answered before, and note it by itself.

        The disk is still looked at only once. What was answered before counts again afterwards.
        """
        before = {name: getattr(self, name) for name in _ANSWERS}
        self._project = Project(self._project.folder, self._project.settings, self.disk)
        self._asked_project, self._noted, self.facts, self.kept_back = False, {}, {}, None
        try:
            yield
        finally:
            noted = dict(self.consulted)
            vars(self).update(before)
            self._noted.update(noted)

    # What the path says

    @cached_property
    def place(self) -> str:
        """The path inside the project, with ``/``."""
        return place_of(self.path, self.disk) if self._place is None else self._place

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of file it is: test, benchmark, example, script, docs, setup, archive."""
        found = kinds(self.place)
        return found - {"archive"} if self.settings.archived else found

    def kinds_of(self, path: str) -> frozenset[str]:
        """Return the kinds of another file of the project, by its place."""
        return kinds(relative(path, self.root).replace(os.sep, "/"))

    @cached_property
    def package(self) -> tuple[str, str] | None:
        """The top-level package that the file belongs to, and the directory that contains it."""
        return package_of(self.path, self.exists)

    @cached_property
    def root(self) -> str:
        """The directory that ``place`` is relative to."""
        path = os.path.abspath(self.path)
        return path.removesuffix(os.path.normpath(self.place)).rstrip(os.sep) or os.sep

    def is_first_party(self, package: str) -> bool:
        """Check whether a package is that of the file, or belongs to its project."""
        if self.package is not None and self.package[0] == package:
            return True
        folder = os.path.dirname(os.path.abspath(self.path))
        while True:
            if any(self.exists(os.path.join(folder, base, package)) for base in ("", "src")):
                return True
            if folder == self.root or os.path.dirname(folder) == folder:
                return False
            folder = os.path.dirname(folder)

    # The project

    @property
    def settings(self) -> Settings:
        """The settings that hold for the file."""
        return self._project.settings

    @property
    def project(self) -> Project:
        """What the files around this one declare."""
        self._asked_project = True
        return self._project

    @property
    def consulted(self) -> Mapping[str, State]:
        """The paths that the findings depend on, and their state when they were read."""
        of_project = self._project.consulted if self._asked_project else {}
        return {**of_project, **super().consulted}

    @property
    def own_consulted(self) -> Mapping[str, State]:
        """Those of the paths that the file asked for, and not its project."""
        return self._noted

    @property
    def decisive_places(self) -> list[str]:
        """What decides the versions and the platform that were asked for, ``path:line`` each."""
        own = [each.place for asked in self.asked_versions.values() for each in asked]
        return [*filter(None, own), *self._project.decisive_places]

    def depends_on(self, other: File) -> None:
        """Note all that another file has asked of the disk: the findings here rest on it."""
        self._noted.update(other.consulted)

    def versions(self, package: str) -> tuple[Candidate, ...]:
        """Return the versions of a package (normalized name) that the file may run with.

        That is what is next to a file among installed packages; else what the file itself
        states, a script in its metadata or a notebook in its installs; else what its project
        says, see ``Project.versions``.
        """
        return _versions(package, self)

    @property
    def asked_versions(self) -> Mapping[str, tuple[Candidate, ...]]:
        """What ``versions`` has answered so far, by package."""
        tells = getattr(_versions, "__wrapped__", None)
        asked = [each for each in self.facts if isinstance(each, tuple) and each[0] is tells]
        return {package: self.facts[_, package] for _, package in asked}

    # Text

    @property
    def text(self) -> str:
        """The decoded text, lines ended by ``\\n``."""
        return self._text.text

    @property
    def written(self) -> str:
        """The text as written in the file: in Python, tabs may replace blanks."""
        return self._text.written

    @property
    def code(self) -> str:
        """The text with everything but code blanked, if the format is known; same offsets."""
        return self._text.code

    @property
    def code_lines(self) -> list[str]:
        """The lines of ``code``."""
        return self._text.split(self.code)

    @property
    def lines(self) -> list[str]:
        """The lines without their ends; line n is ``lines[n - 1]``."""
        return self._text.lines

    @property
    def comments(self) -> list[Comment]:
        """Every comment of the file, in order; without what suppresses findings."""
        return self._text.comments

    @property
    def written_comments(self) -> list[Comment]:
        """Every comment of the file as it is written, in order."""
        return self._text.written_comments

    @property
    def written_lines(self) -> list[str]:
        """The lines as they are written, without their ends."""
        return self._text.written_lines

    def line_of(self, offset: int) -> int:
        """Return the line (from 1) of a character of ``text`` or ``code``."""
        return self._text.line_of(offset)

    def named_line(self, line: int) -> str:
        """Return how messages name a line (from 1): ``line 2``, ``line 2 of cell 3``."""
        return self._text.named_line(line)

    def offset_of(self, line: int) -> int:
        """Return the offset in ``text`` and ``code`` of the first character of a line (from 1)."""
        return self._text.offset_of(line)

    def span(self, node: Any) -> Span:
        """Return the place of a comment or a part in the file."""
        if isinstance(node, Comment):
            return Span(node.line, node.column, node.line, node.column + len(node.text))
        span: Span = node.span
        return span

    def text_at(self, span: Span) -> str:
        """Return the text of a span."""
        start = self.offset_of(span.line) + span.column - 1
        return self.text[start : self.offset_of(span.end_line) + span.end_column - 1]

    # Parts

    @property
    def parts(self) -> Parts:
        """The commands, declared requirements and index URLs in the file."""
        return Parts()

    # Edits

    def replace(self, node: Any, replacement: str) -> Edit:
        """Return the edit that replaces a node, comment or part."""
        return Edit(*self.span(node), replacement, was=self._own_text(node))

    def _own_text(self, node: Any) -> str:
        """Return the text that a comment or part has, as far as it knows."""
        return node.text if isinstance(node, Comment) else self.text_at(self.span(node))

    # Comments that hide findings

    def closing_line(self, line: int) -> int:
        """Return the first line, from this one on, at whose end a comment is possible."""
        return self._text.closing_line(line)

    def comments_above(self, line: int) -> frozenset[int]:
        """Return the lines above a line whose comments count for it."""
        return self._text.comments_above(line)

    def noqa_line(self, line: int) -> tuple[int, str]:
        """Return the text in which ``noqa`` counts for a line, and its first line."""
        return line, self.written_lines[line - 1] + "\n"


@once_per_file
def _versions(package: str, file: File) -> tuple[Candidate, ...]:
    if file.settings.environment is None:
        from rocmlint.project import versions  # noqa: PLC0415 - loads packaging
        from rocmlint.project.environment import installed_as  # noqa: PLC0415
        from rocmlint.project.inline import stated  # noqa: PLC0415

        own = installed_as(file.path, file)
        if own is not None:
            return versions.beside(own, package, file.project)
        commands = file.parts.commands if is_notebook(file.path) else ()
        parts = [
            versions.stated(file.path, each.own, each.beside, package, file.project)
            for each in stated(package, file.text, commands)
        ]
        if parts:  # of one without an answer nobody knows which version it runs with
            return tuple(dict.fromkeys(chain(*parts))) if all(parts) else ()
    return file.project.versions(package)
