"""One file as a rule sees it, whatever its format: its path, its text, what lies around it."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rocmlint.config.settings import Settings
from rocmlint.disk.disk import Disk
from rocmlint.disk.state import MODULES
from rocmlint.findings import Edit
from rocmlint.formats.model import Parts
from rocmlint.source.kinds import kinds, package_of, place_of
from rocmlint.text.text import Comment, Span, Text

if TYPE_CHECKING:
    from rocmlint.disk.state import State
    from rocmlint.project.project import Project


class File:
    """One file.

    ``path`` is what is printed; ``place`` is the path inside its project, with ``/``.
    ``consulted`` are the paths on disk that an answer hangs on, and what they were like: the cache
    forgets what was found when one changes.
    """

    def __init__(
        self,
        path: str,
        text: Text,
        *,
        place: str | None = None,
        settings: Settings | None = None,
        disk: Disk | None = None,
    ) -> None:
        """Take a path, its text, the settings that hold for it, and what is known of the disk.

        The place is found on disk where it is not given.
        """
        self.path = path
        self.consulted: dict[str, State] = {}
        self._place = place
        self._text = text
        self.settings = settings or Settings()
        self.disk = disk or Disk()

    # What the path says

    @cached_property
    def place(self) -> str:
        """The path inside the project, with ``/``."""
        return place_of(self.path) if self._place is None else self._place

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of file that this is: test, benchmark, example, script, docs, setup."""
        return kinds(self.place)

    @cached_property
    def package(self) -> tuple[str, str] | None:
        """The top-level package that the file belongs to and the folder that holds it."""
        return package_of(self.path, self.exists)

    @cached_property
    def project(self) -> Project:
        """What the files around this one declare."""
        from rocmlint.project.project import Project  # noqa: PLC0415 - few rules ask

        return Project(self)

    def exists(self, path: str) -> bool:
        """Say whether a path exists, and note the answer."""
        found = self.disk.exists(path)
        self.consulted.setdefault(path, found)
        return found

    def read(self, path: str) -> str:
        """Give the text of another file, empty where it cannot be read, and note its content."""
        content = self.disk.read(path)
        self.consulted[path] = self.disk.exists(path) and content.digest
        return content.text

    def names_in(self, folder: str) -> list[str]:
        """Give the names in a folder, sorted, none where it cannot be read, and note them."""
        names = self.disk.names_in(folder)
        self.consulted[folder] = self.disk.exists(folder) and names
        return names

    def modules_below(self, folder: str) -> tuple[str, ...]:
        """Give the paths of the modules below a folder, and note that they may change."""
        modules = self.disk.modules_below(folder)
        self.consulted[os.path.join(folder, MODULES)] = modules.digest
        return modules.paths

    # Text

    @property
    def text(self) -> str:
        """The decoded text, lines ended by ``\\n``."""
        return self._text.text

    @property
    def code(self) -> str:
        """The text with what is no code blanked, as far as the format is known; same offsets."""
        return self._text.code

    @property
    def lines(self) -> list[str]:
        """The lines without their ends; line n is ``lines[n - 1]``."""
        return self._text.lines

    @property
    def comments(self) -> list[Comment]:
        """Every comment of the file, in order."""
        return self._text.comments

    def line_of(self, offset: int) -> int:
        """Give the line (from 1) of a character of ``text`` or ``code``."""
        return self._text.line_of(offset)

    def named_line(self, line: int) -> str:
        """Name a line (from 1) in a message: ``line 2``, in a notebook ``line 2 of cell 3``."""
        return self._text.named_line(line)

    def offset_of(self, line: int) -> int:
        """Give the offset in ``text`` and ``code`` of the first character of a line (from 1)."""
        return self._text.offset_of(line)

    def span(self, node: Any) -> Span:
        """Give the place of a comment or a part in the file."""
        if isinstance(node, Comment):
            return Span(node.line, node.column, node.line, node.column + len(node.text))
        span: Span = node.span
        return span

    def text_at(self, span: Span) -> str:
        """Give the text of a place."""
        start = self.offset_of(span.line) + span.column - 1
        return self.text[start : self.offset_of(span.end_line) + span.end_column - 1]

    # Parts

    @property
    def parts(self) -> Parts:
        """The commands, declared requirements and index URLs that stand in the file."""
        return Parts()

    # Edits

    def replace(self, node: Any, replacement: str) -> Edit:
        """Make the edit that replaces a node, comment or part."""
        return Edit(*self.span(node), replacement)

    # Comments that hide findings

    def closing_line(self, line: int) -> int:
        """Give the first line, from this one on, at whose end a comment can stand."""
        return self._text.closing_line(line)

    def comments_above(self, line: int) -> frozenset[int]:
        """Give the lines above a line whose comments count for it."""
        return self._text.comments_above(line)

    def noqa_line(self, line: int) -> tuple[int, str]:
        """Give the text in which ``noqa`` counts for a line, and its first line."""
        return line, self.lines[line - 1] + "\n"
