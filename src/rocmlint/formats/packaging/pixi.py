"""pixi.toml and ``[tool.pixi]``: packages of conda and of PyPI, indexes, and tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.formats.model import Command, Declared, Index, Parts, Problem, Step
from rocmlint.formats.packaging import conda
from rocmlint.formats.packaging.toml_packages import package
from rocmlint.formats.readers import toml
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.formats.scripts.shell.script import commands_of
from rocmlint.formats.scripts.shell.word_list import Item, commands_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.formats.readers.toml import Table, Value

_OF_CONDA = ("dependencies", "host-dependencies", "build-dependencies")
_OF_LINUX = ("linux", "linux-64", "unix")


def parse(text: str) -> Parts:
    """Read a pixi.toml, lines ended by ``\\n``."""
    root = toml.read(Excerpt.of(text))
    return Parts(problems=(root,)) if isinstance(root, Problem) else read(root)


def read(root: Table) -> Parts:
    """Read the table that a pixi.toml is."""
    declared: list[Declared] = []
    indexes: list[Index] = []
    tasks: list[tuple[Value, dict[str, str | None]]] = []
    for group, table in _tables(root):
        for each in _packages(table, group):
            if isinstance(each, Declared):
                declared.append(each)
            else:
                indexes.append(each)
        indexes += _indexes(table.table("pypi-options"))
        variables = {
            name: each.text for name, each in table.table("activation", "env").values.items()
        }
        tasks += ((each, variables) for each in table.table("tasks").values.values())
    commands = [
        command
        for number, (task, variables) in enumerate(tasks)
        for command in _commands(task, variables, number)
    ]
    return Parts(
        commands=tuple(sorted(commands, key=lambda each: each.span)),
        declared=tuple(sorted(declared, key=lambda each: each.span)),
        indexes=tuple(sorted(indexes, key=lambda each: each.span)),
    )


def _tables(root: Table) -> Iterator[tuple[str, Table]]:
    """Yield the tables with packages, each with its group: features, and what is for Linux."""
    features = root.table("feature").values
    for group, table in (("", root), *((name, each.table) for name, each in features.items())):
        yield group, table
        for platform in _OF_LINUX:
            target = table.table("target", platform)
            if target.values:
                yield group, target


def _packages(table: Table, group: str) -> Iterator[Declared | Index]:
    for kind in _OF_CONDA:
        packages = table.table(kind)
        for name, value in packages.values.items():
            version = value if value.text is not None else value.table.get("version")
            if version is None or not version.text:
                continue
            wanted = "" if version.text == "*" else version.text.replace(" ", "")
            if wanted[:1].isdigit():
                wanted = f"=={wanted}"
            found = conda.requirement(name, wanted, version.excerpt, group)
            yield from () if found is None else (found,)
    packages = table.table("pypi-dependencies")
    for name, value in packages.values.items():
        index = value.table.get("index")
        if index is not None and index.text:
            yield Index(index.text, index.excerpt.span(), extra=True)
        requirement = package(name, value, packages.keys.get(name, value.excerpt), group)
        if isinstance(requirement, Declared):
            yield requirement


def _indexes(options: Table) -> Iterator[Index]:
    main = options.get("index-url")
    if main is not None and main.text:
        yield Index(main.text, main.excerpt.span())
    for key in ("extra-index-urls", "find-links"):
        listed = options.get(key)
        for each in listed.items() if listed is not None else ():
            url = each.table.get("url") or each
            if url.text:
                yield Index(url.text, url.excerpt.span(), extra=True)


def _commands(task: Value, variables: dict[str, str | None], number: int) -> list[Command]:
    """Return what a task runs: a string in a shell, a list without one."""
    command = task if task.text is not None else task.table.get("cmd")
    own = {name: each.text for name, each in task.table.table("env").values.items()}
    folder = task.table.get("cwd")
    step = Step(number, folder=folder.text if folder is not None else "")
    if command is None:
        return []
    if command.text is not None:
        return commands_of(command.string, {**variables, **own}, step)
    items = [Item.of(each.string) for each in command.items() if each.text is not None]
    return commands_in(items, command.excerpt.span(), {**variables, **own}, step) if items else []
