"""Whether anything runs the code of a file: what nobody runs, nobody misses names in."""

from __future__ import annotations

import os
import re
from functools import partial
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.project.copies import SCRIPTS
from rocmlint.project.texts import texts_below
from rocmlint.rule import compile_lazily, once_per_file
from rocmlint.rule.closed_projects import is_in_unused_function, is_test, module_name
from rocmlint.rule.put_aside import is_aside, is_in_unused_copy

from .leftovers import is_for_package_alone, is_leftover, is_library
from .programs import is_named, is_told
from .version_branches import is_for_some_versions

if TYPE_CHECKING:
    from rocmlint.rule import Source

    from .judgement import MissingUse

_OF_ONE_MACHINE = compile_lazily(
    r"[\"'](?:/(?:home|Users|mnt|data\d*|disk\d*|gpfs|lustre|media|monster|nas|nfs\w*|nvme\w*|raid"
    r"|root|scratch|share\w*|ssd\w*|storage)/[\w.@-]+/|[A-Za-z]:[\\/]+Users[\\/])"
)
"""How a string begins that is a path on the machine of one person."""
_TEST = compile_lazily(r"(?:^|[_-])test(?:[_-]|\.py$)")
_HAS_TESTS = compile_lazily(r"^[ \t]*(?:async )?def test|^class Test|\.main\(", re.MULTILINE)
_RUNS_TESTS = compile_lazily(r"\b(?:pytest|unittest|tox|nox)\b")
_BUILDS = ("pyproject.toml", "setup.py", "setup.cfg")


def is_trial(found: MissingUse, source: Source) -> bool:
    """Tests without a test, and tests and examples for one machine, that nothing names.

    They are known by their names, and by paths such as `/home/me/models`.
    """
    del found
    return _is_trial(source)


@once_per_file
def _is_trial(source: Source) -> bool:
    name, text = os.path.basename(source.path), source.text
    if not name.endswith(".py"):
        return False
    is_test_alone = _TEST.search(name) and not _HAS_TESTS.search(text) and not is_library(text)
    is_of_one = source.kinds & {"test", "example"} and _OF_ONE_MACHINE.search(text)
    return bool(is_test_alone or is_of_one) and not is_named(source)


def is_tried_out(found: MissingUse, source: Source) -> bool:
    """Main blocks of modules that others import, and that nothing tells to run."""
    tests = (each.test for each in source.ancestors(found.node) if isinstance(each, cst.If))
    if not any("__main__" in source.text_of(each) for each in tests):
        return False
    return _is_imported(source) and not is_told(source)


@once_per_file
def _is_imported(source: Source) -> bool:
    path = os.path.abspath(source.path)
    imported = rf"\b(?:from|import)\b[^\n#]*\b{re.escape(module_name(path))}\b"
    return not set(source.modules_with(source.project.folders[-1], (imported,))) <= {path}


def is_in_copied_script(found: MissingUse, source: Source) -> bool:
    """Functions of scripts that belong to other projects, as llama.cpp's `convert_hf_to_gguf.py`.

    They are known by their names, or because a command copies them to where they belong.
    """
    function = source.enclosing(found.node, cst.FunctionDef)
    return function is not None and _is_copied_script(source)


@once_per_file
def _is_copied_script(source: Source) -> bool:
    name = os.path.basename(source.path)
    if SCRIPTS.fullmatch(name):
        return True
    copied = re.compile(rf"(?m)^[^#\n]*\b(?:cp|rsync)\b[^\n]*\b{re.escape(name)}\b")
    root = source.project.folders[-1]
    scripts = (each for each in texts_below(root, source) if each.endswith((".sh", ".bash")))
    return any(copied.search(source.read(each)) for each in scripts)


def is_in_copied_project(found: MissingUse, source: Source) -> bool:
    """Directories with a license of others, in files that nothing outside of them names."""
    del found
    return is_in_unused_copy(source)


def is_in_tests_of_copy(found: MissingUse, source: Source) -> bool:
    """Tests of a project in a directory of this one, where nothing around runs tests."""
    del found
    return _is_in_tests_of_copy(source)


@once_per_file
def _is_in_tests_of_copy(source: Source) -> bool:
    path, (*inner, root) = os.path.abspath(source.path), source.project.folders
    built = [
        folder
        for folder in inner
        if any(source.exists(os.path.join(folder, name)) for name in _BUILDS)
    ]
    if not built or not is_test(path, built[-1]):
        return False
    within = os.path.join(built[-1], "")
    around = (each for each in texts_below(root, source) if not each.startswith(within))
    return not any(_RUNS_TESTS.search(source.read(each)) for each in around)


def is_uncalled(found: MissingUse, source: Source) -> bool:
    """Functions, and methods that no base of their class calls, that nothing in the project names.

    Looked at are code, scripts and documents. Of a package that users install only the modules
    count that other modules of it import, and those of which its `__init__.py` imports other names;
    a class of tests is run by the names of its methods.
    """
    around = [
        each.name.value
        for each in source.ancestors(found.node)
        if isinstance(each, (cst.FunctionDef, cst.ClassDef))
    ]
    is_internal = partial(is_for_package_alone, around[-1] if around else "")
    return is_in_unused_function(found.node, source, is_internal)


def is_not_run(found: MissingUse, source: Source) -> bool:
    """Code that nothing in the project runs, that is put aside, or a copy of other projects."""
    return any(each(found, source) for each in _NOT_RUN) or is_uncalled(found, source)


_NOT_RUN = (
    is_for_some_versions,
    is_leftover,
    is_aside,
    is_trial,
    is_tried_out,
    is_in_copied_script,
    is_in_copied_project,
    is_in_tests_of_copy,
)
