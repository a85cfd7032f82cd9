"""Shell scripts: the commands they run, each with its words, redirections and variables."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats.model import (
    Branch,
    Command,
    Index,
    Parts,
    Redirect,
    Setting,
    Step,
    Word,
)
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.formats.readers.grammar import tree
from rocmlint.formats.scripts.handed_on import is_install, names_command, names_index
from rocmlint.formats.scripts.shell.folders import Folders
from rocmlint.formats.scripts.shell.limits import too_much
from rocmlint.formats.scripts.shell.nodes import (
    for_grammar,
    is_fallback,
    is_run,
    running_functions,
    text_of,
    without_comments,
)
from rocmlint.formats.scripts.shell.settings import given, handed_over, setting
from rocmlint.formats.scripts.shell.variables import Value, Variables, changing, defaults
from rocmlint.formats.scripts.shell.words import Written, value_of, words_of, written_words
from rocmlint.formats.scripts.shell.wrappers import (
    SHELLS,
    Wrapper,
    brought,
    program,
    remote,
    script,
    unwrapped,
)
from rocmlint.text.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tree_sitter import Node

_REDIRECTS = ("file_redirect", "heredoc_redirect", "herestring_redirect")
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_SUBSHELLS = _SUBSTITUTIONS | {"subshell", "function_definition"}
"""Where ``cd`` counts up to the end only; a function runs in other places than where it stands."""
_CLAUSES = frozenset({"elif_clause", "else_clause"})
_EXPORTING = ("export", "-x", "-gx", "-xg")
_MOVES = re.compile(r"\b(?:cd|pushd)\b")
_MOST_OF_ORIGIN = 500
"""Characters that are kept of what a variable is set to by a command."""
_MOST_BRANCHES = 100
"""Branches and shells around a command: deeper, commands are in the same branch."""
_MOST_SUBSTITUTIONS = 50
"""Substitutions in substitutions that are looked into: each is a part of the text of all above."""
_DEEPEST = 4
"""Shells in shells that are looked into: ``ssh host 'bash -c "…"'``."""


def parse(text: str) -> Parts:
    """Read a script of sh or bash, lines ended by ``\\n``."""
    problem = too_much(text)
    if problem is not None or not text.strip():
        return Parts(problems=() if problem is None else (problem,))
    return parts_of(Excerpt.of(text), Step())


def parts_of(excerpt: Excerpt, step: Step) -> Parts:
    """Read a script that is not too much, with nothing in its environment."""
    reader = _Script(excerpt, Variables(), step, 0)
    commands = (*reader.commands(()),)
    return Parts(commands, indexes=(*reader.indexes,), settings=(*reader.settings,))


def commands_of(
    excerpt: Excerpt,
    variables: Mapping[str, str | None] | None = None,
    step: Step | None = None,
    depth: int = 0,
    branches: tuple[Branch, ...] = (),
) -> list[Command]:
    """Return the commands of a script that is in a file, in order.

    ``variables`` are those in its environment; None is a value that only the run knows. It is that
    of its ``step``, or a shell that this one starts ``depth`` levels deeper, in some ``branches``.
    """
    if not excerpt.text.strip() or too_much(excerpt.text):
        return []
    reader = _Script(excerpt, Variables(variables), step or Step(), depth)
    return list(reader.commands(branches))


class _Call(NamedTuple):
    """A command before wrappers are taken off."""

    words: list[Word]
    sources: dict[int, Written]
    """Where words come from, by their index."""
    redirects: tuple[Redirect, ...]
    heredocs: list[Excerpt]


class _Script:
    def __init__(self, excerpt: Excerpt, variables: Variables, step: Step, depth: int) -> None:
        self.excerpt = excerpt
        self.variables = variables
        self.step = step
        self.depth = depth
        self.folders = Folders(step.folder)
        self.root = tree("bash", for_grammar(excerpt.plain))
        self.redirects: dict[int, list[Node]] = {}
        self.indexes: list[Index] = []
        self.settings: list[Setting] = []
        functions = dict(running_functions(self.root, excerpt.plain))
        self.moving = {name for name, code in functions.items() if _MOVES.search(code)}
        self.functions = {
            name: Wrapper(positional=name in self.moving and "shift" in code)
            for name, code in functions.items()
        }
        variables.changing = changing(self.root, excerpt.plain)

    def commands(self, branches: tuple[Branch, ...]) -> Iterator[Command]:
        """Walk through the script from top to bottom."""
        waiting = [(self.root, "", branches, 0)]
        while waiting:
            node, above, branches, depth = waiting.pop()
            depth += node.type in _SUBSTITUTIONS
            if depth > _MOST_SUBSTITUTIONS:
                continue
            self.folders.go_on_to(node.start_byte)
            if node.type in _SUBSHELLS:
                self.folders.begin_subshell(node.end_byte)
            elif node.type == "redirected_statement":
                self._note_redirects(node)
            elif node.type == "variable_assignment" and above != "command":
                self._assign(node)
                self._note_setting(node, branches)
            elif node.type == "unset_command":
                self._note_setting(node, branches)
            elif node.type == "declaration_command":
                self._declare(node)
                yield from self._handed_on(node, branches)
            elif node.type == "command":
                yield from self._command(node, branches)
            children = node.children
            for child, before in zip(children[::-1], [*children[-2::-1], None], strict=False):
                inner = self._branches(node, child, before, branches)
                waiting.append((child, node.type, inner, depth))

    def _branches(
        self, node: Node, child: Node, before: Node | None, branches: tuple[Branch, ...]
    ) -> tuple[Branch, ...]:
        """Return the branches of a child, of a node that stands in some."""
        arm = node.start_byte
        if node.type == "case_statement" or child.type in _CLAUSES or is_fallback(before):
            arm = child.start_byte
        elif node.type != "if_statement" and node.type not in _SUBSHELLS:
            return branches
        if len(branches) >= _MOST_BRANCHES:
            return branches
        block = self.excerpt.span(node.start_byte, node.end_byte)
        return (*branches, Branch(block, arm, scope=node.type in _SUBSHELLS))

    def _command(self, node: Node, branches: tuple[Branch, ...]) -> Iterator[Command]:
        call = self._call(node)
        words = call.words
        if not words:
            return
        for name, value in defaults(node, self.excerpt.text):
            if name not in self.variables.values:
                self.variables.assign(name, value)
        own = self._own_variables(node)
        self.settings += given(self.excerpt, node, self.variables, branches)
        self.settings += handed_over(words, branches)
        run, passed = unwrapped(words, self.functions)
        if program(words[0]) == "set" and any(word.text == "-a" for word in words[1:]):
            self.variables.exports_all = True
        if run:
            variables = {**self.variables.passed_on(), **own, **passed}
            moves = program(words[0]) in self.moving
            folder = None if moves else self.folders.here
            if before := brought(words, run):
                ahead = tuple(each for each in call.redirects if each.span < run[0].span)
                yield self._made(before, ahead, variables, folder, branches)
            command = self._made(run, call.redirects, variables, folder, branches)
            span = command.span
            yield command
            inner = Branch(span, 0, scope=True)
            yield from self._inner(call, variables, (*branches, inner))
            self.folders.follow(run)

    def _made(
        self,
        words: Sequence[Word],
        redirects: tuple[Redirect, ...],
        variables: Mapping[str, str | None],
        folder: str | None,
        branches: tuple[Branch, ...],
    ) -> Command:
        last = max(words[-1].span[2:], *(each.span[2:] for each in redirects), (0, 0))
        return Command(
            tuple(words),
            Span(*words[0].span[:2], *last),
            redirects,
            variables=variables,
            step=self.step,
            folder=folder,
            branches=branches,
        )

    def _call(self, node: Node) -> _Call:
        nodes = [*node.children_by_field_name("name"), *node.children_by_field_name("argument")]
        written = written_words(self.excerpt, nodes)
        redirects: list[Redirect] = []
        scripts: list[Excerpt] = []
        for redirect in self._redirects(node):
            targets = written_words(
                self.excerpt,
                [
                    *redirect.children_by_field_name("destination"),
                    *redirect.children_by_field_name("argument"),
                ],
            )
            if redirect.type == "file_redirect" and targets:
                redirects.append(self._redirect(redirect, targets.pop(0)))
            written += targets  # the grammar takes words behind the target for further targets
            scripts += [
                self.excerpt.part(child.start_byte, child.end_byte)
                for child in redirect.children
                if child.type == "heredoc_body"
            ]
        words: list[Word] = []
        sources: dict[int, Written] = {}
        lookup = self.variables.within_limits()
        for each in sorted(written, key=lambda word: word.start):
            sources[len(words)] = each
            words += self._with_origin(words_of(self.excerpt, each, lookup))
        return _Call(words, sources, tuple(redirects), scripts)

    def _with_origin(self, words: list[Word]) -> list[Word]:
        """Note what unknown words come from."""
        written = self.variables.written
        if not written or all(word.known for word in words):
            return words
        return [
            word if word.known else replace(word, origin=self.variables.origin(word.text))
            for word in words
        ]

    def _redirects(self, node: Node) -> list[Node]:
        found = [child for child in node.children if child.type in _REDIRECTS]
        found += self.redirects.pop(node.id, [])
        for each in list(found):
            found += [child for child in each.children if child.type in _REDIRECTS]
        return sorted(found, key=lambda node: node.start_byte)

    def _redirect(self, node: Node, target: Written) -> Redirect:
        start = node.start_byte
        operator = self.excerpt.text[start : target.start].strip()
        (word, *_) = words_of(self.excerpt, target, lambda *_: None)
        return Redirect(
            operator,
            word,
            self.excerpt.span(start, target.end),
            spaced=start == 0 or self.excerpt.text[start - 1].isspace(),
        )

    def _note_redirects(self, node: Node) -> None:
        """Assign redirections to the command that they belong to: the last one before them."""
        owner = node.child_by_field_name("body")
        while owner is not None and owner.type in ("list", "pipeline", "negated_command"):
            owner = owner.named_children[-1] if owner.named_children else None
        if owner is not None and owner.type == "command":
            found = node.children_by_field_name("redirect")
            self.redirects.setdefault(owner.id, []).extend(found)

    def _inner(
        self, call: _Call, variables: Mapping[str, str | None], branches: tuple[Branch, ...]
    ) -> Iterator[Command]:
        """Look into what a command hands to another shell."""
        if self.depth >= _DEEPEST:
            return
        words = call.words
        run, _ = unwrapped(words, self.functions)
        there = remote(run)
        if there is not None:
            elsewhere = replace(self.step, folder=None)
            for each in self._sent(call, len(words) - len(run) + there):
                yield from commands_of(each, {}, elsewhere, self.depth + 1, branches)
            return
        index = script(words)
        if index is None and program(words[0]) == "eval" and len(words) == 2:
            index = 1
        source = None if index is None else call.sources.get(index)
        scripts: list[Excerpt] = []
        if source is not None:
            scripts = [value_of(self.excerpt, source, self.variables.within_limits())]
        elif any(program(word) in SHELLS for word in words):
            scripts = call.heredocs
        step = replace(self.step, folder=self.folders.here)
        for each in scripts:
            yield from commands_of(each, variables, step, self.depth + 1, branches)

    def _sent(self, call: _Call, start: int) -> Iterator[Excerpt]:
        """Yield what a shell on another machine is given: words, or what it reads as its input."""
        sent = [each for index, each in call.sources.items() if index >= start]
        if len(sent) == 1:
            yield value_of(self.excerpt, sent[0], self.variables.within_limits())
        elif sent:
            yield self.excerpt.part(sent[0].start, sent[-1].end)
        programs = {each for word in call.words[start:] for each in word.text.split()}
        if not sent or SHELLS & programs:
            yield from call.heredocs

    def _own_variables(self, node: Node) -> dict[str, str | None]:
        own: dict[str, str | None] = {}
        for child in node.children:
            if child.type == "variable_assignment":
                name, value = self._assignment(child)
                own[name] = value if isinstance(value, str) else None
        return own

    def _assign(self, node: Node) -> None:
        name, value = self._assignment(node)
        if any(child.type == "+=" for child in node.children):
            before = self.variables.get(name)
            both = isinstance(before, str) and isinstance(value, str)
            value = f"{before}{value}" if both else None
        if "[" in name:
            name, value = name.partition("[")[0], None
        self.variables.assign(name, value)
        right = node.child_by_field_name("value")
        if value is None and right is not None:
            text = self.excerpt.text[right.start_byte : right.end_byte]
            self.variables.written[name] = text[:_MOST_OF_ORIGIN]

    def _note_setting(self, node: Node, branches: tuple[Branch, ...]) -> None:
        """Note what the programs that the script starts from here on find in their environment."""
        for each in setting(self.excerpt, node, self.variables, branches):
            if each.value is None or each.name in self.variables.exported:
                self.settings.append(each)

    def _assignment(self, node: Node) -> tuple[str, Value]:
        name, value = (node.child_by_field_name(field) for field in ("name", "value"))
        text = "" if name is None else self.excerpt.text[name.start_byte : name.end_byte]
        if value is None:
            return text, "" if name is not None else None
        lookup = self.variables.within_limits()
        if value.type == "array":
            words = [
                word
                for each in written_words(self.excerpt, without_comments(value))
                for word in words_of(self.excerpt, each, lookup)
            ]
            known = all(word.known for word in words)
            return text, tuple(word.text for word in words) if known else None
        (written, *_) = written_words(self.excerpt, [value])
        result = value_of(self.excerpt, written, lookup, splits=False)
        return text, None if result.unknown else result.text

    def _declare(self, node: Node) -> None:
        texts = [self.excerpt.text[each.start_byte : each.end_byte] for each in node.children]
        if not any(text in _EXPORTING for text in texts[:2]):
            return
        for child in node.children:
            name = child if child.type == "variable_name" else child.child_by_field_name("name")
            if name is not None:
                exported = self.excerpt.text[name.start_byte : name.end_byte]
                self.variables.exported.add(exported)

    def _handed_on(self, node: Node, branches: tuple[Branch, ...]) -> Iterator[Command]:
        """Yield the commands in exported variables, note the indexes: another program reads them.

        What the script itself uses counts there.
        """
        is_exported = self.excerpt.text[node.start_byte : node.end_byte].startswith("export")
        for child in node.children if is_exported and self.depth < _DEEPEST else ():
            named, given = (child.child_by_field_name(field) for field in ("name", "value"))
            name = text_of(named, self.excerpt.text)
            if given is None or not (names_command(name) or names_index(name)):
                continue
            (written, *_) = written_words(self.excerpt, [given])
            value = value_of(self.excerpt, written, self.variables.within_limits(), splits=False)
            if names_index(name):
                if not value.unknown and not re.search(
                    rf"\$\{{?{re.escape(name)}\b", self.excerpt.text
                ):
                    self.indexes.append(Index(value.text, value.span()))
            elif is_install(value.text) and not is_run(name, self.excerpt.text):
                variables = self.variables.passed_on()
                yield from commands_of(value, variables, self.step, self.depth + 1, branches)
