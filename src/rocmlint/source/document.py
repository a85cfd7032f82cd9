"""A file in a format beside Python: its text, and what the format's parser finds in it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from rocmlint.formats import format_of, parse
from rocmlint.source.file import File, project_of
from rocmlint.text.text import PlainText

if TYPE_CHECKING:
    from rocmlint.formats.model import Parts
    from rocmlint.project.project import Project


def plain_text(path: str, text: str, *, written: str | None = None) -> PlainText:
    """Return the text of a file that is not Python, with the comments that its format has.

    ``written`` is what stands in the file, if ``text`` is something else.
    """
    found = format_of(path, text)
    if found is None:
        return PlainText(text, written=written)
    return PlainText(text, written=written, comment=found.comment, continuation=found.continuation)


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
        plain = plain_text(path, text).without_suppressions()
        text_for_rules = plain_text(path, plain, written=text)
        super().__init__(path, text_for_rules, place=place, project=project)

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


def document_beside(path: str, file: File) -> Document:
    """Return another file that is not Python, in the project of its own directory.

    What it asks of the disk counts for the file once that ``depends_on`` it.
    """
    project = project_of(path, file.settings, file.disk)
    return Document(path, file.read(path), project=project)
