"""The formats beside Python that are linted: one file a format, each from text to parts."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.lazy import compile_lazily

if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from types import ModuleType

    from rocmlint.formats.model import Parts


PYTHON = (".py", ".pyi", ".pyw")
"""How the names of Python files end."""
NOTEBOOK = ".ipynb"


class Format(NamedTuple):
    """A format; its parser is imported when a file first needs it."""

    name: str
    path: re.Pattern[str]
    """What matches the paths of its files, with ``/``."""
    suffixes: str = ""
    """What may stand behind the last dot of their names, see :func:`format_of`."""
    declares: bool = False
    """Whether projects declare requirements in it."""
    wing: str = ""
    """The folder of this room that has its module."""
    module: str = ""
    """The module that has the function ``parse``, where it is not the name's."""
    comment: str = "#"
    """How a comment on a line of its own begins."""
    continuation: str = "\\"
    """What at the end of a line joins it with the next."""
    function: str = "parse"
    """The function of the module that reads a text."""
    only_sets: bool = False
    """Whether it only sets variables, for whatever programs."""
    is_document: bool = False
    """Whether people read it, and no tool runs what is in it."""

    def imported(self) -> ModuleType:
        """Import the module that reads it."""
        module = self.module or self.name
        return import_module(
            f"{__name__}.{self.wing}.{module}" if self.wing else f"{__name__}.{module}"
        )

    def parse(self, text: str) -> Parts:
        r"""Return the parts of a text with ``\n`` line ends."""
        parser: Callable[[str], Parts] = getattr(self.imported(), self.function)
        try:
            return parser(text)
        except RecursionError:
            from rocmlint.formats.model import Parts, Problem  # noqa: PLC0415 - almost never

            return Parts(problems=(Problem("nested too deeply", 1, 1),))


_NO_TEMPLATE = (
    r"(?![^/]*\.(dockerignore|md|rst|txt|sh|py|j2|jinja2?|in|am|tmpl|template|mustache|ya?ml"
    r"|json)$)"
)
"""What stands behind the name of a Dockerfile or a Makefile that is another file."""

_NO_SOURCE = (
    r"(?![^/]*\.(?i:[jt]sx?|[cm][jt]s|vue|svelte|astro|s?css|sass|less|html?|svg|java|kt|swift|dart"
    r"|go|rs|rb|php|cs|fs|vb|[ch]|[ch]pp|[ch]xx|cc|hh|mm?|inl|scala|lua|p[lm]|hs|ex|proto|xml|xaml"
    r"|resx|md|rst|txt|py[iwc]?|sh|j2|tmpl|template|ya?ml|json|toml|ini|cfg|conf|env|service|log"
    r"|png|jpe?g|gif|webp|pdf|ico|map|snap|tar|t?gz|zip|sif|img|iso|bak|orig|o|so|dll|class)$)"
)
"""What stands behind ``Container``, the name of many components, where it is not a Dockerfile."""

_DEEPSPEED = (
    r"(?i:(^|/)[^/]*(deepspeed|zero[-_]?(\d|stage|infinity)|(?<![a-z])(ds|zf)[-_])[^/]*"
    r"|(^|/)(deepspeed[^/]*|(ds|zero)[-_]configs?)/[^/]*)"
)
"""How configurations of DeepSpeed are called, without their suffix, or their folder."""

_ENVS = "env example sample template dist local development production rocm amd defaults"
"""What the names of .env files end in; those of editors and backups are not among them."""


def _of_variables(name: str, pattern: str, suffixes: str) -> Format:
    """Return a format that only sets variables; it says nothing about what a project is for."""
    comment = "--" if name == "lua" else "#"
    return Format(
        name,
        compile_lazily(pattern),
        suffixes,
        module="variable_files",
        function=f"parse_{name}",
        comment=comment,
        only_sets=True,
    )


FORMATS = (
    Format(
        "constraints",
        compile_lazily(r"constraints?[^/]*\.(txt|in)$"),
        "txt in",
        declares=True,
        wing="packaging",
    ),
    Format(
        "requirements",
        compile_lazily(
            r"requirements?[^/]*\.(txt|in)$|(^|/)(requirements|reqs)/([^/]*/)*[^/]*\.(txt|in)$"
            r"|(^|[/_-])reqs?([-_.][^/]*)?\.(txt|in)$"
        ),
        "txt in",
        declares=True,
        wing="packaging",
    ),
    Format(
        "pyproject",
        compile_lazily(r"(^|/)pyproject\.toml$"),
        "toml",
        declares=True,
        wing="packaging",
    ),
    Format(
        "setup_cfg", compile_lazily(r"(^|/)setup\.cfg$"), "cfg", declares=True, wing="packaging"
    ),
    Format("setup_py", compile_lazily(r"(^|/)setup\.py$"), "py", declares=True, wing="packaging"),
    Format("pipfile", compile_lazily(r"(^|/)Pipfile$"), declares=True, wing="packaging"),
    Format("pixi", compile_lazily(r"(^|/)pixi\.toml$"), "toml", declares=True, wing="packaging"),
    Format("tox", compile_lazily(r"(^|/)tox\.ini$"), "ini", wing="packaging"),
    Format(
        "conda_lock",
        compile_lazily(r"(^|[/.-])conda-lock\.ya?ml$"),
        "yml yaml",
        declares=True,
        wing="packaging",
    ),
    Format(
        "conda",
        compile_lazily(r"(^|/)(environment|conda)[^/]*\.ya?ml$"),
        "yml yaml",
        declares=True,
        wing="packaging",
    ),
    Format(
        "conda_env",
        compile_lazily(r"env[^/]*\.ya?ml$"),
        "yml yaml",
        declares=True,
        wing="packaging",
    ),
    Format(
        "dockerfile",
        compile_lazily(
            rf"(^|/)(Dockerfile|Containerfile){_NO_TEMPLATE}[^/]*$|\.([Dd]ocker|[Cc]ontainer)file$"
            rf"|(^|/)Container{_NO_SOURCE}\.[\w-]+$"
        ),
        "dockerfile Dockerfile containerfile Containerfile",
        wing="images",
    ),
    Format(
        "apptainer",
        compile_lazily(rf"\.def$|(^|/)(Singularity|Apptainer)(file)?{_NO_TEMPLATE}([.-][^/]*)?$"),
        "def",
        wing="images",
    ),
    Format(
        "compose",
        compile_lazily(r"(^|/)(docker-|podman-)?compose[^/]*\.ya?ml$"),
        "yml yaml",
        wing="images",
    ),
    Format("cog", compile_lazily(r"(^|/)cog\.ya?ml$"), "yml yaml", wing="images"),
    Format(
        "devcontainer",
        compile_lazily(r"(^|/)\.?devcontainer\.json$"),
        "json",
        comment="//",
        wing="images",
    ),
    Format(
        "shell",
        compile_lazily(r"\.(sh|bash|sbatch|slurm|pbs|lsf)$"),
        "sh bash sbatch slurm pbs lsf",
        module="shell.script",
        wing="scripts",
    ),
    Format(
        "makefile",
        compile_lazily(rf"(^|/)(GNUm|[Mm])akefile{_NO_TEMPLATE}([.-][^/]*)?$|\.mk$"),
        "mk",
        wing="scripts",
    ),
    Format(
        "justfile",
        compile_lazily(r"(^|/)\.?[Jj]ustfile$|\.just$"),
        "just justfile Justfile",
        wing="scripts",
    ),
    Format("powershell", compile_lazily(r"\.ps1$"), "ps1", continuation="`", wing="scripts"),
    Format(
        "batch",
        compile_lazily(r"\.(bat|cmd)$"),
        "bat cmd",
        comment="REM",
        continuation="^",
        wing="scripts",
    ),
    Format(
        "workflow",
        compile_lazily(
            r"(^|/)\.github/workflows/[^/]*\.ya?ml$|(^|/)(action|\.gitlab-ci|azure-pipelines[^/]*)\.ya?ml$|(^|/)\.circleci/config\.yml$"
        ),
        "yml yaml",
        wing="ci",
    ),
    Format("deepspeed", compile_lazily(rf"{_DEEPSPEED}\.json$"), "json", comment="//"),
    Format(
        "deepspeed_yaml",
        compile_lazily(rf"{_DEEPSPEED}\.ya?ml$"),
        "yml yaml",
        module="deepspeed",
    ),
    Format(
        "markdown",
        compile_lazily(r"\.(md|markdown|mdx)$"),
        "md markdown mdx",
        is_document=True,
        wing="documents",
    ),
    Format("rst", compile_lazily(r"\.rst$"), "rst", is_document=True, wing="documents"),
    _of_variables("dotenv", r"(^|/)[^/]*\.env(\.[\w-]+)?$", _ENVS),
    _of_variables("service", r"\.service(\.d/[^/]*\.conf)?$", "service conf"),
    _of_variables("lua", r"\.lua$", "lua"),
    _of_variables("tcl", r"\.tcl$", "tcl"),
    _of_variables("easybuild", r"\.eb$", "eb"),
)
_SHELL, _TCL = (next(each for each in FORMATS if each.name == name) for name in ("shell", "tcl"))
_BY_SUFFIX = {
    suffix: tuple(each for each in FORMATS if suffix in each.suffixes.split())
    for suffix in " ".join(each.suffixes for each in FORMATS).split()
}
_BEGINNINGS = (
    *("Dockerfile", "Containerfile", "Container.", "Singularity", "Apptainer", "Pipfile"),
    *("GNUmakefile", "Makefile", "makefile", "Justfile", "justfile"),
)
"""How the names begin behind which any suffix may stand, or none."""
_SHELL_SCRIPT = compile_lazily(r"(?:\xef\xbb\xbf|\ufeff)?#![^\n]*[/ ](?:ba|da|a|k|z)?sh(?![^\s])")


def format_of(path: str, content: str | bytes = "") -> Format | None:
    """Return the format of a file, None for Python and for what is not linted.

    The path decides; where it says nothing, the first line of the content may.
    """
    found = _by_path(path.replace(os.sep, "/"))
    if found is None and content and not path.endswith((*PYTHON, NOTEBOOK)):
        return of_first_line(content)
    return found


def of_first_line(content: str | bytes) -> Format | None:
    """Return the format that the first line names: a shell's script, or a module file of Tcl."""
    if is_shell_script(content):
        return _SHELL
    magic = "#%Module" if isinstance(content, str) else b"#%Module"
    return _TCL if content[: len(magic)] == magic else None


def may_begin_as_format(name: str) -> bool:
    """Return whether the first line decides: the name has no suffix, or is a version."""
    suffix = name.partition(".")[2]
    return not suffix or suffix.replace(".", "").isdigit()


@lru_cache(maxsize=65536)
def _by_path(path: str) -> Format | None:
    name = path[path.rfind("/") + 1 :]
    # Most files of a project are of no format: to try every pattern takes longer than to find them.
    known = _BY_SUFFIX.get(name[name.rfind(".") + 1 :], ())
    known = FORMATS if name.startswith(_BEGINNINGS) else known
    return next((each for each in known if each.path.search(path)), None)


def is_shell_script(content: str | bytes) -> bool:
    """Return whether a text begins as a script of a shell does."""
    first = content[:200]
    text = first if isinstance(first, str) else first.decode("latin-1")
    return text.startswith(("#!", "\ufeff", "\xef")) and bool(_SHELL_SCRIPT.match(text))


def is_known(path: str) -> bool:
    """Return whether a file is of a format beside Python whose content tools read or run."""
    found = format_of(path)
    return found is not None and not (found.is_document or found.only_sets)


def is_document(path: str) -> bool:
    """Return whether a file is one that people read, with commands in its code blocks."""
    found = format_of(path)
    return found is not None and found.is_document


def headings_above(path: str, text: str, line: int) -> list[str]:
    """Return the headings of a document's sections that a line is in, the innermost first."""
    found = format_of(path)
    if found is None or not found.is_document:
        return []
    above: list[str] = found.imported().headings_above(text, line)
    return above


def is_python(path: str, content: str | bytes = "") -> bool:
    """Return whether a file is linted as Python: all that no other format claims, too."""
    return path.endswith(PYTHON) or (format_of(path, content) is None and not is_notebook(path))


def is_notebook(path: str) -> bool:
    """Return whether a file is a notebook."""
    return path.endswith(NOTEBOOK)


def parse(path: str, text: str) -> Parts:
    """Return the parts of a file with ``\\n`` line ends; none of a format that has none."""
    from rocmlint.formats.model import Parts  # noqa: PLC0415 - every start asks what a format is

    found = format_of(path, text)
    return Parts() if found is None else found.parse(text)
