"""Continuous integration: what steps of GitHub, GitLab, CircleCI and Azure run, and on what.

GitHub's composite actions (``action.yml``) have the steps of its workflows. The systems call a
step's script by few names, so one walk through the document finds all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rocmlint.formats.ci import condition
from rocmlint.formats.ci.matrix import Values, calls, runs, used_in
from rocmlint.formats.model import Command, Parts, Problem, Setting, Step, Word
from rocmlint.formats.readers import yaml
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.formats.scripts.shell.folders import led_to
from rocmlint.formats.scripts.shell.script import commands_of
from rocmlint.formats.scripts.shell.variables import LONGEST

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCRIPTS = frozenset({"run", "command", "bash"})
_LISTED_SCRIPTS = ("before_script", "script", "after_script")
"""GitLab's: one shell runs the first two."""
_IMAGES = ("container", "image")
_FOLDERS = ("working-directory", "working_directory", "workingDirectory")
_HOLD_IMAGES = ("container", "docker", "default")
"""Keys of mappings with an image: GitHub's long form, CircleCI's list, what holds for GitLab."""
_MOST = 20
"""Templates that one job builds on."""
_VARIABLES = ("variables", "environment", "env")
_EXPRESSION = re.compile(
    r"\$\{\{(?:\s*(?:env\.(?P<name>\w+)|(?P<matrix>matrix\.[\w-]+))\s*\}\}|.*?\}\})|\$\[\[.*?\]\]"
    r"|<<\s*(?:(?P<parameter>parameters\.[\w-]+)|(?:parameters|pipeline|matrix)\.[\w.-]+)\s*>>"
    r"|(?P<macro>\$\([\w.-]+\))",
    re.DOTALL,
)
"""What the system replaces before a shell reads the script: a macro only where Azure has such a
variable, else a shell runs a command."""
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_OTHER_LANGUAGES = re.compile(r"github-script|/julia|/r-lib")
"""Actions whose ``script`` is not a shell's."""
_OTHER_SHELLS = re.compile(r"\s*(?:\S*/)?(?:pwsh|powershell|cmd|python\S*|perl|node|Rscript)\b")

Variables = Values


def parse(text: str) -> Parts:
    """Read a workflow, lines ended by ``\\n``."""
    documents = yaml.read(Excerpt.of(text))
    if isinstance(documents, Problem):
        return Parts(problems=(documents,))
    walk = _Walk(used_in(text))
    for document in documents:
        walk.called.update(calls(document))
        walk.enter(document, _Around(document))
    return Parts(
        commands=tuple(sorted(walk.commands.values(), key=lambda each: each.span)),
        images=tuple(sorted(walk.images.values(), key=lambda each: each.span)),
        settings=tuple(walk.settings.values()),
    )


@dataclass(frozen=True)
class _Around:
    """What holds for a step by all that stands around it; ``document`` has GitLab's templates."""

    document: yaml.Value
    variables: Variables = field(default_factory=dict)
    shell: str = ""
    image: Word | None = None
    folder: str | None = ""
    repositories: frozenset[str] = frozenset()


class _Walk:
    """Gathers by place: what an alias repeats counts once, where it is written."""

    def __init__(self, used: frozenset[str]) -> None:
        self.used = used  # the values of matrices that count
        self.called: dict[int, list[Values]] = {}  # the jobs of CircleCI's workflows
        self.commands: dict[object, Command] = {}
        self.images: dict[object, Word] = {}
        self.steps: dict[object, int] = {}
        self.settings: dict[object, Setting] = {}

    def enter(self, value: yaml.Value, around: _Around) -> None:
        if isinstance(value, yaml.Sequence):
            for each in value.values:
                self.enter(each, around)
        elif isinstance(value, yaml.Mapping):
            self._mapping(value, around)

    def _mapping(self, mapping: yaml.Mapping, above: _Around) -> None:
        """Enter a mapping; a job with a matrix once for each combination."""
        for each in runs(mapping, self.called, self.used):
            self._once(mapping, replace(above, variables={**above.variables, **each}))

    def _once(self, mapping: yaml.Mapping, above: _Around) -> None:
        if _OTHER_LANGUAGES.search(mapping.text("uses")):
            return
        variables = {**above.variables, **_variables(mapping, above.variables)}
        for each in _settings(mapping, variables):
            self.settings.setdefault(each.span, each)
        image = next(_images(mapping, above.document, variables), above.image)
        shell = mapping.text("shell") or _default(mapping, "shell") or above.shell
        folder = _folder(mapping, above.folder)
        around = replace(
            above,
            variables=variables,
            shell=shell,
            image=image,
            folder=folder,
            repositories=condition.of_job(mapping, above.document) or above.repositories,
        )
        listed = [mapping.get(key) for key in _LISTED_SCRIPTS]
        self._script([text for each in listed[:2] for text in _texts(each, variables)], around)
        self._script(list(_texts(listed[2], variables)), around)
        for key, value in mapping.pairs:
            if key.text in _SCRIPTS and not isinstance(value, yaml.Mapping):
                own = "bash" if key.text == "bash" else shell
                self._script(list(_texts(value, variables)), replace(around, shell=own))
            elif key.text in _IMAGES:
                for word in _words(value, variables):
                    self.images.setdefault((word.span, word.text), word)
            if not isinstance(value, yaml.Scalar) and key.text not in _VARIABLES:
                self.enter(value, around)

    def _script(self, texts: list[Excerpt], around: _Around) -> None:
        if not texts or _OTHER_SHELLS.match(around.shell):
            return
        number = self.steps.setdefault(texts[0].span(), len(self.steps) + 1)
        step = Step(number, around.image, folder=around.folder, repositories=around.repositories)
        variables = {
            name: value for name, value in around.variables.items() if name.isidentifier()
        }  # what stands for a value of a matrix only is not in the environment
        for command in commands_of(Excerpt.joined(texts[0].file, texts), variables, step):
            words = tuple(word.text for word in (*command.words, *filter(None, [command.image])))
            self.commands.setdefault((command.span, words), command)


def _words(value: yaml.Value | None, variables: Variables) -> Iterator[Word]:
    """Yield the images that stand at a key: one, a list, or GitLab's long form."""
    if isinstance(value, yaml.Mapping):
        value = value.get("name")
    for each in value.values if isinstance(value, yaml.Sequence) else (value,):
        if isinstance(each, yaml.Scalar) and each.text.text.strip():
            text = _filled_in(_replaced(each.text, variables), variables)
            known = not text.unknown and "$" not in text.text
            yield Word(text.text, each.text.span(), known=known)


def _images(mapping: yaml.Mapping, document: yaml.Value, variables: Variables) -> Iterator[Word]:
    """Yield the images that what is below a mapping runs in, the one that counts first."""
    for each in _with_templates(mapping, document):
        for key in _IMAGES:
            yield from _words(each.get(key), variables)
        for value in map(each.get, _HOLD_IMAGES):
            first = value.values[:1] if isinstance(value, yaml.Sequence) else (value,)
            for inner in first:
                if isinstance(inner, yaml.Mapping):
                    yield from _words(inner.get("image"), variables)


def _with_templates(mapping: yaml.Mapping, document: yaml.Value) -> Iterator[yaml.Mapping]:
    """Yield a mapping, and the jobs of the document that it ``extends``, as GitLab has it."""
    waiting, seen = [mapping], set[str]()
    while waiting:
        each = waiting.pop(0)
        yield each
        extended = each.get("extends")
        names = extended.values if isinstance(extended, yaml.Sequence) else (extended,)
        for name in reversed(names):
            text = name.text.text if isinstance(name, yaml.Scalar) else ""
            if text in seen or len(seen) == _MOST or not isinstance(document, yaml.Mapping):
                continue
            seen.add(text)
            template = document.get(text)
            if isinstance(template, yaml.Mapping):
                waiting.append(template)


def _folder(mapping: yaml.Mapping, above: str | None) -> str | None:
    """Return the folder that steps begin in: each key that names one counts from the project's."""
    written = next(filter(None, map(mapping.text, _FOLDERS)), "")
    written = written or _default(mapping, "working-directory")
    if not written or written.startswith("~"):
        return above  # where CircleCI puts the project
    return led_to("", written, known="$" not in written)


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
    """Return the variables that a mapping sets for all below it."""
    found: Variables = {}
    for key in _VARIABLES:
        value = mapping.get(key)
        if isinstance(value, yaml.Mapping):
            found.update((name.text, _known(each, above)) for name, each in value.pairs)
        elif isinstance(value, yaml.Sequence):  # Azure's: - name: … value: …
            for each in value.values:
                if isinstance(each, yaml.Mapping) and each.text("name"):
                    found[each.text("name")] = _known(each.get("value"), above)
    return {**found, **{f"$({name})": value for name, value in found.items()}}


def _settings(mapping: yaml.Mapping, variables: Variables) -> Iterator[Setting]:
    """Yield the variables that a mapping sets, each with its place."""
    for value in map(mapping.get, _VARIABLES):
        if not isinstance(value, yaml.Mapping):
            continue
        for name, each in value.pairs:
            if isinstance(each, yaml.Scalar):
                text = variables.get(name.text)
                word = Word(text or each.text.text, each.text.span(), known=text is not None)
                yield Setting(name.text, word, word.span, value.pairs[0][0].span())


def _known(value: yaml.Value | None, variables: Variables) -> str | None:
    if isinstance(value, yaml.Mapping):
        value = value.get("value")  # GitLab's, with a description
    if not isinstance(value, yaml.Scalar):
        return None
    text = _replaced(value.text, variables)
    known = not text.unknown and "$" not in text.text and len(text.text) <= LONGEST
    return text.text if known else None


def _default(mapping: yaml.Mapping, key: str) -> str:
    """Return what ``defaults: run:`` says of steps; the shell is also that of Windows' runners."""
    defaults = mapping.get("defaults")
    run = defaults.get("run") if isinstance(defaults, yaml.Mapping) else None
    if isinstance(run, yaml.Mapping) and run.text(key):
        return run.text(key)
    is_windows = mapping.text("runs-on").startswith("windows")
    return "pwsh" if key == "shell" and is_windows else ""


def _replaced(text: Excerpt, variables: Variables) -> Excerpt:
    """Put values in for the expressions that have one; the others are unknown."""
    return text.filled_in(
        (*each.span(), variables.get(key))
        for each in _EXPRESSION.finditer(text.text)
        if (key := next(filter(None, each.groups()), "")) in variables or not each["macro"]
    )


def _filled_in(text: Excerpt, variables: Variables) -> Excerpt:
    """Put values in for the variables in the name of an image, where no shell does."""
    return text.filled_in(
        (*each.span(), value)
        for each in _VARIABLE.finditer(text.text)
        if (value := variables.get(each[1] or each[2])) is not None
    )
