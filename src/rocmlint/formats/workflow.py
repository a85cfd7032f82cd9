"""Continuous integration: what steps of GitHub, GitLab, CircleCI and Azure run, and on what.

GitHub's composite actions (``action.yml``) have the steps of its workflows. The systems call a
step's script by few names, so one walk through the document finds all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats import yaml
from rocmlint.formats.excerpt import Excerpt
from rocmlint.formats.model import Command, Parts, Problem, Word
from rocmlint.formats.shell.script import commands_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCRIPTS = frozenset({"run", "command", "bash"})
_LISTED_SCRIPTS = ("before_script", "script", "after_script")
"""GitLab's: one shell runs the first two."""
_IMAGES = frozenset({"image", "container"})
_VARIABLES = ("variables", "environment", "env")
_EXPRESSION = re.compile(
    r"\$\{\{(?:\s*env\.(?P<name>\w+)\s*\}\}|.*?\}\})|\$\[\[.*?\]\]"
    r"|<<\s*(?:parameters|pipeline|matrix)\.[\w.-]+\s*>>",
    re.DOTALL,
)
"""What the system replaces before a shell reads the script."""
_OTHER_LANGUAGES = re.compile(r"github-script|/julia|/r-lib")
"""Actions whose ``script`` is no shell's."""
_OTHER_SHELLS = re.compile(r"\s*(?:\S*/)?(?:pwsh|powershell|cmd|python\S*|perl|node|Rscript)\b")

Variables = dict[str, "str | None"]


def parse(text: str) -> Parts:
    """Read a workflow, lines ended by ``\\n``."""
    documents = yaml.read(Excerpt.of(text))
    if isinstance(documents, Problem):
        return Parts(problems=(documents,))
    walk = _Walk()
    for document in documents:
        walk.enter(document, {}, "")
    return Parts(
        commands=tuple(sorted(walk.commands.values(), key=lambda each: each.span)),
        images=tuple(sorted(walk.images.values(), key=lambda each: each.span)),
    )


class _Walk:
    """Gathers by place: what an alias repeats counts once, where it is written."""

    def __init__(self) -> None:
        self.commands: dict[object, Command] = {}
        self.images: dict[object, Word] = {}

    def enter(self, value: yaml.Value, variables: Variables, shell: str) -> None:
        if isinstance(value, yaml.Sequence):
            for each in value.values:
                self.enter(each, variables, shell)
        elif isinstance(value, yaml.Mapping):
            self._mapping(value, variables, shell)

    def _mapping(self, mapping: yaml.Mapping, above: Variables, shell: str) -> None:
        variables = {**above, **_variables(mapping, above)}
        shell = mapping.text("shell") or _default_shell(mapping) or shell
        if _OTHER_LANGUAGES.search(mapping.text("uses")):
            return
        scripts = [
            text for key in _LISTED_SCRIPTS[:2] for text in _texts(mapping.get(key), variables)
        ]
        self._script(scripts, variables, shell)
        self._script(list(_texts(mapping.get("after_script"), variables)), variables, shell)
        for key, value in mapping.pairs:
            if key.text in _SCRIPTS and not isinstance(value, yaml.Mapping):
                own = "bash" if key.text == "bash" else shell
                self._script(list(_texts(value, variables)), variables, own)
            elif key.text in _IMAGES:
                self._image(value, variables)
            if not isinstance(value, yaml.Scalar) and key.text not in _VARIABLES:
                self.enter(value, variables, shell)

    def _script(self, texts: list[Excerpt], variables: Variables, shell: str) -> None:
        if not texts or _OTHER_SHELLS.match(shell):
            return
        for command in commands_of(Excerpt.joined(texts[0].file, texts), variables):
            self.commands.setdefault(command.span, command)

    def _image(self, value: yaml.Value, variables: Variables) -> None:
        if isinstance(value, yaml.Mapping):
            named = value.get("name")  # GitLab's long form
            value = named if named is not None else value
        for each in value.values if isinstance(value, yaml.Sequence) else (value,):
            if isinstance(each, yaml.Scalar) and each.text.text.strip():
                text = _replaced(each.text, variables)
                known = not text.unknown and "$" not in text.text
                word = Word(text.text, each.text.span(), known=known)
                self.images.setdefault(word.span, word)


def _texts(value: yaml.Value | None, variables: Variables) -> Iterator[Excerpt]:
    """Yield the lines of a script, a string or a list of strings, each with its end."""
    if isinstance(value, yaml.Scalar):
        text = _replaced(value.text, variables)
        end = text.ends[-1] if text.ends else 0
        yield text
        yield Excerpt.standing_for(text.file, "\n", end, end)
    elif isinstance(value, yaml.Sequence):
        for each in value.values:
            yield from _texts(each, variables)


def _variables(mapping: yaml.Mapping, above: Variables) -> Variables:
    """Give the variables that a mapping sets for all below it."""
    found: Variables = {}
    for key in _VARIABLES:
        value = mapping.get(key)
        if isinstance(value, yaml.Mapping):
            for name, each in value.pairs:
                found[name.text] = _known(each, above)
        elif isinstance(value, yaml.Sequence):  # Azure's: - name: … value: …
            for each in value.values:
                if isinstance(each, yaml.Mapping) and each.text("name"):
                    found[each.text("name")] = _known(each.get("value"), above)
    return found


def _known(value: yaml.Value | None, variables: Variables) -> str | None:
    if isinstance(value, yaml.Mapping):
        value = value.get("value")  # GitLab's, with a description
    if not isinstance(value, yaml.Scalar):
        return None
    text = _replaced(value.text, variables)
    return None if text.unknown or "$" in text.text else text.text


def _default_shell(mapping: yaml.Mapping) -> str:
    """Give the shell that ``defaults: run: shell:`` names, or that of a runner with Windows."""
    defaults = mapping.get("defaults")
    run = defaults.get("run") if isinstance(defaults, yaml.Mapping) else None
    if isinstance(run, yaml.Mapping) and run.text("shell"):
        return run.text("shell")
    return "pwsh" if mapping.text("runs-on").startswith("windows") else ""


def _replaced(text: Excerpt, variables: Variables) -> Excerpt:
    """Put values in for the expressions that have one; the others are unknown."""
    pieces: list[Excerpt] = []
    position = 0
    for match in _EXPRESSION.finditer(text.text):
        start, end = match.span()
        pieces.append(text.part(position, start))
        position = end
        written = text.part(start, end)
        value = variables.get(match["name"]) if match["name"] else None
        if value is None:
            pieces.append(written.with_unknown(_EXPRESSION))
        else:
            first, last = written.starts[0], written.ends[-1]
            pieces.append(Excerpt.standing_for(text.file, value, first, last))
    if not pieces:
        return text
    return Excerpt.joined(text.file, [*pieces, text.part(position, len(text.text))])
