"""A file in a format beside Python: its text, and what the format's parser finds in it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from rocmlint.formats import parse
from rocmlint.source.file import File
from rocmlint.text.text import PlainText

if TYPE_CHECKING:
    from rocmlint.formats.model import Parts
    from rocmlint.project.project import Project


class Document(File):
    """One file that is not Python: a Dockerfile, a list of requirements, a workflow."""

    def __init__(
        self,
        path: str,
        text: str,
        *,
        place: str | None = None,
        project: Project | None = None,
    ) -> None:
        """Take a path, which says what the format is, and decoded text with ``\\n`` line ends."""
        plain = PlainText(PlainText(text).without_suppressions(), written=text)
        super().__init__(path, plain, place=place, project=project)

    @classmethod
    def of(cls, file: File) -> Document:
        """Go on with a file whose parts nobody asked for so far."""
        text, place, project = file.made_of
        document = cls(file.path, text.written, place=place, project=project)
        document.go_on_with(file)
        return document

    @cached_property
    def parts(self) -> Parts:
        """The commands, declared requirements and index URLs in the file."""
        return parse(self.path, self.written)
