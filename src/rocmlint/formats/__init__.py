"""The formats beside Python that are linted: one file a format, each from text to parts."""

from __future__ import annotations

import os
from enum import Flag, auto
from functools import lru_cache, reduce
from importlib import import_module
from itertools import chain
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.lazy import compile_lazily

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from rocmlint.formats.model import Parts


PYTHON = (".py", ".pyi", ".pyw")
"""How the names of Python files end."""
NOTEBOOK = ".ipynb"


class Role(Flag):
    """What a format is. Other code asks for a role, by ``has_role``, and never for a name."""

    DECLARES = auto()
    """Projects declare requirements in it."""
    OF_PIP = auto()
    """Pip reads it, in the encoding that a comment names."""
    LIST = auto()
    """``pip install -r`` installs what it lists."""
    METADATA = auto()
    """``pip install .`` installs what it declares, and it is no code."""
    ANY_BYTES = auto()
    """The programs that read it do not mind bytes that are no UTF-8."""
    SETS_UP = auto()
    """Its commands install on Linux what a project runs with."""
    STOPS = auto()
    """What runs its commands stops at the first that fails."""
    SCRIPT = auto()
    """A shell runs it."""
    ON_RUNNERS = auto()
    """Its jobs run on fresh machines, often without a GPU."""
    INSTRUCTIONS = auto()
    """Its lines are the instructions of a Dockerfile; no comment ends one."""
    OWN_IMAGE = auto()
    """Its commands run in the image that it names, and nowhere else."""
    STARTS_PROJECT = auto()
    """It names the image that a project is started in."""
    BUILDS_IMAGES = auto()
    """It may build an image, and set the arguments of the build."""
    PASSES_VARIABLES = auto()
    """It sets variables for programs that it does not call itself."""
    ONLY_SETS = auto()
    """It only sets variables, for whatever programs."""
    NVIDIA_ONLY = auto()
    """Its program builds images for the GPUs of NVIDIA, and for none."""
    DOCUMENT = auto()
    """People read it, and no tool runs what is in it."""


class Format(NamedTuple):
    """A format; its parser is imported when a file first needs it."""

    name: str
    path: re.Pattern[str]
    """What matches the paths of its files, with ``/``."""
    globs: tuple[str, ...]
    """Names that its files may have, or wider ones: what editors send, see :func:`format_of`."""
    roles: Role
    module: str
    """The module that reads it, from this room on."""
    function: str
    """The function of the module that reads a text."""
    comment: str = "#"
    """How a comment on a line of its own begins."""
    continuation: str = "\\"
    """What at the end of a line joins it with the next."""

    def imported(self) -> ModuleType:
        """Import the module that reads it."""
        return import_module(f"{__name__}.{self.module}")

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

_OF_DEEPSPEED = (
    r"(?i:(^|/)[^/]*(deepspeed|zero[-_]?(\d|stage|infinity)|(?<![a-z])(ds|zf)[-_])[^/]*"
    r"|(^|/)(deepspeed[^/]*|(ds|zero)[-_]configs?)/[^/]*)"
)
"""How configurations of DeepSpeed are called, without their suffix, or their folder."""
_DS = "deepspeed,Deepspeed,DeepSpeed,DEEPSPEED"
_DS_CONFIGS = (
    f"*{{{_DS},zero,Zero,ZeRO,ZERO,ds_,ds-,zf_,zf-}}*.{{json,yml,yaml}}"
    f" {{{_DS},ds_config,ds-config,zero_config,zero-config}}*/*.{{json,yml,yaml}}"
)

_ENVS = "example,sample,template,dist,local,development,production,rocm,amd,defaults"
"""What the names of .env files end in; those of editors and backups are not among them."""

_AS_REGEX = str.maketrans(
    {"*": "[^/]*", "…": "([^/]*/)*", ".": r"\.", "{": "(", ",": "|", "}": ")", " ": "|"}
)


def _regex(globs: str) -> str:
    """Return the regular expression for the paths of what has one of some names."""
    return f"(^|/)({globs.replace('**/', '…').translate(_AS_REGEX)})$"


def _format(module: str, globs: str, roles: str = "", pattern: str = "") -> Format:
    """Return a format that is called like its module, or like its function behind ``:``.

    Its files match the pattern, where that differs from the globs; these have all its endings.
    """
    module, _, function = module.partition(":")
    return Format(
        function or module.rpartition(".")[2],
        compile_lazily(pattern or _regex(globs)),
        tuple(globs.split()),
        reduce(or_, (Role[each.upper()] for each in roles.split()), Role(0)),
        module,
        f"parse_{function}" if function else "parse",
    )


FORMATS = (
    _format("packaging.constraints", "*constraint*.{txt,in}", "declares any_bytes of_pip"),
    _format(
        "packaging.requirements",
        "*requirement*.{txt,in} {requirements,reqs}/**/*.{txt,in} *req*.{txt,in}",
        "declares any_bytes of_pip list",
        r"requirements?[^/]*\.(txt|in)$|(^|/)(requirements|reqs)/([^/]*/)*[^/]*\.(txt|in)$"
        r"|(^|[/_-])reqs?([-_.][^/]*)?\.(txt|in)$",
    ),
    _format("packaging.pyproject", "pyproject.toml", "declares metadata"),
    _format("packaging.setup_cfg", "setup.cfg", "declares metadata"),
    _format("packaging.setup_py", "setup.py", "declares"),
    _format("packaging.pipfile", "Pipfile", "declares"),
    _format("packaging.pixi", "pixi.toml", "declares"),
    _format("packaging.tox", "tox.ini"),
    _format("packaging.conda_lock", "conda-lock.{yml,yaml} *[.-]conda-lock.{yml,yaml}", "declares"),
    _format("packaging.conda", "{environment,conda}*.{yml,yaml}", "declares"),
    _format("packaging.conda_env", "*env*.{yml,yaml}", "declares"),
    _format(
        "images.dockerfile",
        "Dockerfile* Containerfile* Container.*"
        " *.{dockerfile,Dockerfile,containerfile,Containerfile}",
        "any_bytes sets_up stops own_image starts_project instructions passes_variables",
        rf"(^|/)(Dockerfile|Containerfile){_NO_TEMPLATE}[^/]*$|\.([Dd]ocker|[Cc]ontainer)file$"
        rf"|(^|/)Container{_NO_SOURCE}\.[\w-]+$",
    ),
    _format(
        "images.apptainer",
        "*.def Singularity* Apptainer*",
        "any_bytes sets_up stops own_image starts_project",
        rf"\.def$|(^|/)(Singularity|Apptainer)(file)?{_NO_TEMPLATE}([.-][^/]*)?$",
    ),
    _format(
        "images.compose",
        "compose*.{yml,yaml} {docker,podman}-compose*.{yml,yaml}",
        "sets_up starts_project builds_images passes_variables",
    ),
    _format("images.cog", "cog.{yml,yaml}", "sets_up stops nvidia_only"),
    _format(
        "images.devcontainer", "devcontainer.json .devcontainer.json", "sets_up starts_project"
    )._replace(comment="//"),
    _format(
        "scripts.shell.script",
        "*.{sh,bash,sbatch,slurm,pbs,lsf}",
        "any_bytes sets_up script builds_images",
    )._replace(name="shell"),
    _format(
        "scripts.makefile",
        "GNUmakefile* Makefile* makefile* *.mk",
        "any_bytes sets_up stops builds_images",
        rf"(^|/)(GNUm|[Mm])akefile{_NO_TEMPLATE}([.-][^/]*)?$|\.mk$",
    ),
    _format(
        "scripts.justfile",
        "justfile Justfile .justfile .Justfile *.just",
        "any_bytes sets_up stops builds_images",
    ),
    _format("scripts.powershell", "*.ps1", "any_bytes")._replace(continuation="`"),
    _format("scripts.batch", "*.{bat,cmd}", "any_bytes")._replace(comment="REM", continuation="^"),
    _format(
        "ci.workflow",
        ".github/workflows/*.{yml,yaml} {action,.gitlab-ci,azure-pipelines*}.{yml,yaml}"
        " .circleci/config.yml",
        "sets_up stops on_runners own_image builds_images passes_variables",
    ),
    _format("deepspeed", _DS_CONFIGS, "", rf"{_OF_DEEPSPEED}\.json$")._replace(comment="//"),
    _format("deepspeed", _DS_CONFIGS, "", rf"{_OF_DEEPSPEED}\.ya?ml$")._replace(
        name="deepspeed_yaml"
    ),
    _format("documents.markdown", "*.{md,markdown,mdx}", "any_bytes document"),
    _format("documents.rst", "*.rst", "any_bytes document"),
    _format("variable_files:dotenv", f"*.env *.env.{{{_ENVS}}}", "any_bytes only_sets"),
    _format("variable_files:service", "*.service *.service.d/*.conf", "any_bytes only_sets"),
    _format("variable_files:lua", "*.lua", "any_bytes only_sets")._replace(comment="--"),
    _format("variable_files:tcl", "*.tcl", "any_bytes only_sets"),
    _format("variable_files:easybuild", "*.eb", "any_bytes only_sets"),
)
_SHELL, _TCL = (next(each for each in FORMATS if each.name == name) for name in ("shell", "tcl"))
_BY_ENDING: dict[str, list[Format]] = {}
for _each in FORMATS:
    _endings = (glob.rpartition(".")[2].strip("{}").split(",") for glob in _each.globs)
    for _ending in dict.fromkeys(chain.from_iterable(_endings)):
        _BY_ENDING.setdefault(_ending, []).append(_each)
_BEGINNINGS = tuple(glob[:-1] for each in FORMATS for glob in each.globs if glob.endswith("*"))
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
    known: Sequence[Format] = _BY_ENDING.get(name[name.rfind(".") + 1 :], ())
    known = FORMATS if name.startswith(_BEGINNINGS) else known
    return next((each for each in known if each.path.search(path)), None)


def is_shell_script(content: str | bytes) -> bool:
    """Return whether a text begins as a script of a shell does."""
    first = content[:200]
    text = first if isinstance(first, str) else first.decode("latin-1")
    return text.startswith(("#!", "\ufeff", "\xef")) and bool(_SHELL_SCRIPT.match(text))


def has_role(path: str, roles: Role, content: str | bytes = "") -> bool:
    """Return whether the format of a file has one of some roles."""
    found = format_of(path, content)
    return found is not None and bool(found.roles & roles)


def is_known(path: str) -> bool:
    """Return whether a file is of a format beside Python whose content tools read or run."""
    return format_of(path) is not None and not has_role(path, Role.DOCUMENT | Role.ONLY_SETS)


def headings_above(path: str, text: str, line: int) -> list[str]:
    """Return the headings of a document's sections that a line is in, the innermost first."""
    found = format_of(path)
    if found is None or Role.DOCUMENT not in found.roles:
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
