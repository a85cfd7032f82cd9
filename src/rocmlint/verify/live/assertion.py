"""``rocmlint.assert_loaded``: a program makes sure that the patch is what it runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.errors import RocmlintError
from rocmlint.interpreter.inside.job.loaded import hash_in_package
from rocmlint.interpreter.inside.live.claimed_functions import function_facts
from rocmlint.interpreter.inside.live.compare import compare_all
from rocmlint.verify.live.functions import results_of_functions
from rocmlint.verify.live.imported import result_of_file
from rocmlint.verify.live.judge import result_of
from rocmlint.verify.manifest.read import read

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.verify.result import Result


class NotProvenError(RocmlintError, AssertionError):
    """The program does not run the patch, or that could not be proven; ``results`` say what."""

    def __init__(self, message: str, results: tuple[Result, ...]) -> None:
        """Take the results of all files, the good ones too."""
        super().__init__(message)
        self.results = results


def assert_loaded(manifest: str | os.PathLike[str]) -> tuple[Result, ...]:
    """Make sure that this program runs what a manifest says, and give what was found.

    Call it after the imports, and after functions are replaced, in each process. It takes
    milliseconds for each module and imports none of them: a module that is not loaded is not
    proven. Raises NotProvenError, which names each module and function that is not proven, the
    reason and what to do, and ConfigError for a bad manifest.
    """
    path = os.fspath(manifest)
    asked = read(path)
    files, functions, wanted = asked.files, asked.functions, asked.requests()
    names = dict.fromkeys([*(each.module for each in files), *(it.module for it in functions)])
    found = compare_all([each for each in names if each], wanted=wanted)
    compared = {each["module"]: each for each in found}
    results = tuple(
        result_of(compared[each.module], each.sha256, "assert_loaded")
        if each.module
        else result_of_file(each.path, each.sha256, hash_in_package(each.path), "assert_loaded")
        for each in files
    )
    results += tuple(
        results_of_functions(functions, function_facts(wanted), compared, check="assert_loaded")
    )
    if any(each.verdict != "proven" for each in results):
        raise NotProvenError(_message(path, results), results)
    return results


def _message(manifest: str, results: Iterable[Result]) -> str:
    """Return a line for what fails, and below it a paragraph for each failure."""
    failures = [each for each in results if each.verdict != "proven"]
    lines = [f"this process does not run {manifest}, or that cannot be proven:"]
    for each in failures:
        lines += [f"{each.subject}: {each.verdict}: {each.reason}", f"  do: {each.action}"]
    return "\n".join(lines)
