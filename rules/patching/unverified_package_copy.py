"""ROC106, unverified-package-copy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.project.packages import known_packages
from rocmlint.rule import (
    PythonRule,
    argument,
    calls,
    compile_lazily,
    constant,
    last_name,
    shortened,
    statements,
    strings,
    walk,
)
from rocmlint.rule.claims import patched_files

from ._patches import logged
from ._path_flow import readers
from ._paths import step_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

MAXIMUM_HOPS = 5
"""How many variables and functions are followed to where a folder was found."""

_COPIES = frozenset(
    {
        "distutils.dir_util.copy_tree",
        "distutils.file_util.copy_file",
        "shutil.copy",
        "shutil.copy2",
        "shutil.copyfile",
        "shutil.copytree",
        "shutil.move",
    }
)
_COMMANDS = frozenset(
    {
        "os.popen",
        "os.system",
        "subprocess.Popen",
        "subprocess.call",
        "subprocess.check_call",
        "subprocess.check_output",
        "subprocess.run",
    }
)
_GUESSES = frozenset(
    {
        "distutils.sysconfig.get_python_lib",
        "site.getsitepackages",
        "site.getusersitepackages",
        "sysconfig.get_path",
        "sysconfig.get_paths",
    }
)
_ASKS = frozenset(
    {
        "importlib.resources.files",
        "importlib.util.find_spec",
        "inspect.getfile",
        "inspect.getsourcefile",
    }
)
_FOLDERS = frozenset({"__file__", "__path__", "locate_file", "submodule_search_locations"})
_QUIET = _COMMANDS - {"subprocess.check_call", "subprocess.check_output"}
"""What raises no error where the command fails, unless ``check=True`` asks for it."""
_OF_PACKAGE = compile_lazily(r"/.*?(?:site|dist)-packages/\w+(?=/)")
_SITE = compile_lazily(r"\S*(?:site|dist)-packages\S*")
_PIP_SHOW = compile_lazily(r"\bpip3? show\b")
_COPY_COMMAND = compile_lazily(r"""[frFR]*["'](?:sudo )?(?:cp|mv|rsync)["' ]""")
_EXISTENCE = compile_lazily(r"\b(?:exists|is_?dir|is_?file)\s*\(")
_LOOK = compile_lazily(
    r"\bassert\b|\b(?:exists|is_?dir|is_?file|cmp|cmpfiles|samefile|import_module|read_bytes"
    r"|read_text|hexdigest)\s*\("
)
_VERIFY = compile_lazily(
    r"\.\s*__file__\b|\b(?:assert_loaded|find_spec|getfile|getsource|getsourcefile)\s*\("
    r"|\b\w*(?:check(?!point|_call|_output)|verif|validat)\w*\s*\(",
    re.IGNORECASE,
)


_WORDS = (
    "site-packages",
    "dist-packages",
    "getsitepackages",
    "getusersitepackages",
    "get_python_lib",
    "sysconfig",
    '"show"',
    "'show'",
    "pip show",
)


class GuessedCopy(NamedTuple):
    """A copy, every node that says where its target lies, and whether its status is unread."""

    call: cst.Call
    behind: list[cst.CSTNode]
    is_unheeded: bool


def _is_asked(copy: GuessedCopy, source: Source) -> bool:
    return any(_asked_of(each, source) for each in copy.behind)


def _asked_of(node: cst.CSTNode, source: Source) -> str:
    """Return an expression that asks a package where it is; empty for others."""
    asks = isinstance(node, cst.Attribute) and node.attr.value in _FOLDERS
    if isinstance(node, cst.Call):
        asks = source.resolve(node.func) in _ASKS
    return source.text_of(node) if asks else ""


def is_looked_at(copy: GuessedCopy, source: Source) -> bool:
    """Copies after which something looks at files or modules: `assert`, `cmp`, an import."""
    call = copy.call
    code = source.code_lines
    function = source.function(call)
    end = len(code) if function is None else source.span(function).end_line
    after = "\n".join(code[source.span(call).end_line : end])
    looks = not copy.is_unheeded and _LOOK.search(after) is not None
    return looks or _VERIFY.search("\n".join([after, *code[end:]])) is not None


def is_made_sure(copy: GuessedCopy, source: Source) -> bool:
    """The code asks whether the target is there before it copies."""
    called = (last_name(each.func) for each in copy.behind if isinstance(each, cst.Call))
    if any(_EXISTENCE.match(f"{name}(") for name in called):
        return True
    function = source.function(copy.call)
    if function is None:
        return False
    above = source.code_lines[source.span(function).line : source.span(copy.call).line - 1]
    names = {each.value for each in copy.behind if isinstance(each, cst.Name)}
    return any(_EXISTENCE.search(text) and names & set(re.findall(r"\w+", text)) for text in above)


def is_loud(copy: GuessedCopy, source: Source) -> bool:
    """The whole path is written out, so that the copy raises an error where it is wrong."""
    del source
    texts = (_text(node) for node in copy.behind if isinstance(node, cst.SimpleString))
    return not copy.is_unheeded and any(map(_OF_PACKAGE.match, texts))


def is_reported(copy: GuessedCopy, source: Source) -> bool:
    """An error of the copy is printed or logged."""
    around = source.enclosing(copy.call, cst.Try)
    handlers = () if around is None else around.handlers
    return any(logged(each) for one in handlers for each in statements(one.body))


class UnverifiedPackageCopy(PythonRule["cst.CSTNode"]):
    """Files are copied to a guessed package path, and nothing checks them.

    ## Why it matters
    ``lib/python3.11/site-packages``, ``site.getsitepackages()[0]`` and the output of ``pip show``
    name one environment; the program may run in another, from an editable install, or from
    ``dist-packages``. The copy then goes to a directory that no import reads, without an error, and
    the benchmark measures the stock files. So it does where ``os.system("cp …")`` fails, which
    raises no error.

    ## Example
    ```python
    import shutil
    import site

    target = site.getsitepackages()[0] + "/transformers/models"
    shutil.copytree("patched/models", target, dirs_exist_ok=True)
    ```

    ## Use instead
    Ask the package itself where it is, and look at what will be imported.
    ```python
    import filecmp
    import importlib.util
    import shutil
    from pathlib import Path

    patched = Path("patched/modeling_gemma.py")
    target = Path(importlib.util.find_spec("transformers").origin).parent / "models/gemma"
    shutil.copy(patched, target)
    assert filecmp.cmp(patched, target / patched.name)
    ```

    ## References
    - https://docs.python.org/3/library/site.html#site.getsitepackages
    - https://docs.python.org/3/library/importlib.html#importlib.util.find_spec
    """

    code = "ROC106"
    name = "unverified-package-copy"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"setup", "test"})
    on = calls(
        *(name.rpartition(".")[2] for name in sorted(_COPIES)),
        words=_WORDS,
        where=r"(?:copy(?<!\wcopy)(?:2|_?file|_?tree)?|move(?<!\wmove))\s*\(\s*[^)\s]",
    ) | strings(r"""["'](?:sudo )?(?:cp|mv|rsync)["' ]""", words=(*_WORDS, "__path__", ".__file__"))

    excuses = (is_looked_at,)
    doubts = (is_made_sure, is_loud, is_reported)

    def check(self, node: cst.CSTNode, source: Source) -> Iterator[Finding]:
        """Find copies whose target was guessed and is not looked at."""
        for copy in _copies(node, source):
            guess = _guess(copy.behind, source)
            if guess is None and not (copy.is_unheeded and _is_asked(copy, source)):
                continue
            severity, package = self.severity_of(copy, source), _package(copy, source)
            if severity is None or (guess is None and package is None):
                continue
            claims = () if package is None else (patched_files(package),)
            message, advice = f"{guess} is a guess at where packages are imported from", ""
            if guess is None:
                message = f"Nothing notices where this copy over the installed `{package}` fails"
                advice = f"Use `shutil.copy` or `check=True`: the stock `{package}` runs otherwise."
            yield self.finding(
                copy.call,
                source,
                message,
                help=advice or _advice(package),
                severity=severity,
                claims=claims,
            )


def _package(copy: GuessedCopy, source: Source) -> str | None:
    """Return the known package that the code around a copy names."""
    texts = [_text(each) or _asked_of(each, source) for each in copy.behind]
    words = re.findall(r"\w+", " ".join([*texts, source.text_of(copy.call)]))
    return next((word for word in words if word in known_packages()), None)


def _advice(package: str | None) -> str:
    whose = f"the stock files of `{package}`" if package else "the stock files"
    where = f'`find_spec("{package}").origin`' if package else "`__file__` of the package"
    return f"Take the directory from {where}. If the guess is wrong, {whose} run without an error."


def _copies(node: cst.CSTNode, source: Source) -> Iterator[GuessedCopy]:
    for call, targets in _calls(node, source):
        yield GuessedCopy(call, _behind(targets, source), _is_unheeded(call, source))


def _is_unheeded(call: cst.Call, source: Source) -> bool:
    """Return whether a command may fail silently, as its exit status is not read."""
    checks = argument(call, None, "check")
    is_quiet = source.resolve(call.func) in _QUIET and isinstance(source.parent(call), cst.Expr)
    return is_quiet and (checks is None or constant(checks) == "False")


def _calls(node: cst.CSTNode, source: Source) -> Iterator[tuple[cst.Call, list[cst.CSTNode]]]:
    """Yield calls that copy, each with the expressions that say where to.

    A call comes as itself, or as the string that begins its command.
    """
    if isinstance(node, cst.Call):
        folder = argument(node, 1, "dst")
        if folder is not None and source.resolve(node.func) in _COPIES:
            yield node, [folder]
        return
    string = source.parent(node) if isinstance(node, cst.FormattedStringText) else node
    if string is None or not _COPY_COMMAND.match(_opening(string)):
        return
    string = _formatted(string, source) or string
    words = source.enclosing(string, cst.List)
    if words is not None and words.elements[0].value is string:
        command: cst.CSTNode = words
        targets: list[cst.CSTNode] = [words.elements[-1].value]
    else:
        command, targets = string, _last_word(string, source)
    for each in (command, *readers(command, source)):
        argument_of = source.parent(each)
        call = None if argument_of is None else source.parent(argument_of)
        if isinstance(call, cst.Call) and source.resolve(call.func) in _COMMANDS:
            yield call, targets


def _formatted(string: cst.CSTNode, source: Source) -> cst.Call | None:
    """Return ``"…".format(…)``."""
    method = source.parent(string)
    call = source.parent(method) if isinstance(method, cst.Attribute) else None
    return call if isinstance(call, cst.Call) and last_name(call.func) == "format" else None


def _last_word(command: cst.CSTNode, source: Source) -> list[cst.CSTNode]:
    """Return what says where a command copies to: the command itself, or what is put into it."""
    if isinstance(command, cst.Call):
        return [each.value for each in command.args[-1:]]
    word = source.text_of(command).strip("rRfFbB\"'").split()[-1]
    if _SITE.search(word):
        return [command]
    parts = command.parts if isinstance(command, cst.FormattedString) else ()
    inner = [part.expression for part in parts if isinstance(part, cst.FormattedStringExpression)]
    return [each for each in inner if source.text_of(each) in word]


def _behind(targets: list[cst.CSTNode], source: Source) -> list[cst.CSTNode]:
    """Return every node that says where a target lies, through variables, loops and functions."""
    found: dict[cst.CSTNode, None] = {}
    edge = targets
    for _ in range(MAXIMUM_HOPS):
        edge = [each for each in edge if each not in found]
        found.update(dict.fromkeys(node for each in edge for node in walk(each)))
        edge = [value for each in edge for value in _values(_beginning(each, source), source)]
    return list(found)


def _beginning(node: cst.CSTNode, source: Source) -> cst.CSTNode:
    """Return what a path expression begins with: ``a`` for ``join(a / "b", c)``."""
    step = step_of(node, source)
    return node if step is None else _beginning(step.base, source)


def _values(node: cst.CSTNode, source: Source) -> Iterator[cst.CSTNode]:
    """Yield what the names in an expression may stand for."""
    for each in walk(node):
        if isinstance(each, cst.Name):
            for binding in source.bindings(each.value, each):
                if isinstance(binding.node, cst.For):
                    yield binding.node.iter
                elif binding.kind == "value" and binding.value is not None:
                    yield binding.value
                elif isinstance(binding.node, cst.FunctionDef):
                    yield binding.node
        elif isinstance(each, cst.Attribute) and (value := source.value_of(each)) is not None:
            yield value


def _opening(string: cst.CSTNode) -> str:
    """Return what a string begins with, up to the first value put into it."""
    if isinstance(string, cst.FormattedString) and string.parts:
        text = _text(string.parts[0])
        return f"{string.start}{text}{'' if string.parts[1:] else string.end}"
    return string.value if isinstance(string, cst.SimpleString) else ""


def _text(node: cst.CSTNode) -> str:
    if isinstance(node, cst.FormattedStringText):
        return node.value
    return node.raw_value if isinstance(node, cst.SimpleString) else ""


def _words(node: cst.CSTNode) -> str:
    """Return the command that a string or a list of strings holds."""
    elements = node.elements if isinstance(node, cst.List) else ()
    return " ".join(_text(each.value) for each in elements) or _text(node)


def _guess(behind: list[cst.CSTNode], source: Source) -> str | None:
    """Return in words what of a target is guessed, None where nothing is."""
    for node in behind:
        if isinstance(node, cst.Call) and source.resolve(node.func) in _GUESSES:
            return f"`{shortened(source.text_of(node))}`"
        if _PIP_SHOW.search(_words(node)):
            return "What `pip show` prints"
        if (site := _SITE.search(_text(node))) is not None:
            return f"`{shortened(site[0])}`"
    return None
