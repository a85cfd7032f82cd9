"""Rewrite statements of real models, and compare them before, after, and exported.

usage: python -m benchmarks.export_statements --new DIR --old DIR --diffusers DIR [--strict]

The directories are ``transformers`` 5.23.0, ``transformers`` 4.57.6 and ``diffusers`` 0.42.1,
installed or unpacked. Each statement is cut out of its file, before and after rewriting, and run
for inputs that take every path; nothing else of the file runs.
"""

from __future__ import annotations

import argparse
import ast
import sys
import textwrap
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

import rocmlint.export
from benchmarks.export_statement_cases import NOT_EXPORTABLE, REFUSED, RUN, namespace
from rocmlint.models.control_flow.rewrite import Options, rewrite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.export_statement_cases import Case
    from rocmlint.models.control_flow.rewrite import Rewritten, Statement

IN_GRAPH = {"cond", "aten._assert_async.msg", "aten._assert_scalar.default"}
INNER = {"new": "models", "old": "models", "diffusers": "models/transformers"}


@cache
def rewritten(path: Path) -> Rewritten:
    """Rewrite a file."""
    return rewrite(path.read_text(), Options(unreached=True))


def statement(result: Rewritten, line: int) -> Statement | None:
    """Return what became of the statement that begins on a line."""
    return next((each for each in result.statements if each.line == line), None)


def texts(result: Rewritten, found: Statement) -> tuple[str, str]:
    """Return the text of a statement before and after."""
    lines = range(found.line, found.end_line + 1)
    before = "\n".join(result.before.split("\n")[found.line - 1 : found.end_line])
    after = zip(result.origins, result.text.split("\n"), strict=True)
    return textwrap.dedent(before), textwrap.dedent("\n".join(t for o, t in after if o in lines))


def module(case: Case, text: str) -> nn.Module:
    """Return a module whose ``forward`` is the statement."""
    names = ", ".join(case.inputs[0])
    given = "    attn = self.attn\n" if "attn" in case.attributes else ""
    gives = ", ".join(case.gives) or next(iter(case.inputs[0]))
    body = textwrap.indent(text, "    ")
    code = f"def forward(self, {names}):\n{given}{body}\n    return ({gives},)\n"
    space = {**namespace(case), "rocmlint": sys.modules["rocmlint"]}
    exec(compile(ast.parse(code), case.name, "exec"), space)  # noqa: S102 - that is what it is for
    made = type("Statement", (nn.Module,), {"forward": space["forward"]})()
    for name, value in case.attributes.items():
        setattr(made, name, value)
    assert isinstance(made, nn.Module)
    return made


def outcome(run: Any, inputs: Mapping[str, Any]) -> tuple[str, Any]:
    """Return what a call gives or raises; inputs are copied, since it may change them."""
    try:
        return "gives", run(**{name: value.clone() for name, value in inputs.items()})
    except Exception as error:  # noqa: BLE001 - whatever it raises is compared
        return "raises", error


def same(one: tuple[str, Any], other: tuple[str, Any], *, exported: bool) -> bool:
    """Return whether two outcomes agree: bit for bit, an exported error as RuntimeError."""
    if one[0] != other[0]:
        return False
    if one[0] == "raises":
        expected = RuntimeError if exported else type(one[1])
        return type(other[1]) is expected and (exported or one[1].args == other[1].args)
    pairs = zip(one[1], other[1], strict=True)
    return all(torch.equal(a, b) and a.dtype == b.dtype for a, b in pairs)


def judged(case: Case, path: Path, *, strict: bool) -> str:
    """Return "right", or what is wrong."""
    result = rewritten(path)
    found = statement(result, case.line)
    if found is None and case.exports_as_it_is:
        line = textwrap.dedent(result.before.split("\n")[case.line - 1])
        pair = (line, line)
    elif found is None or not found.is_rewritten:
        return f"not rewritten: {found.detail if found else 'not found'}"
    else:
        pair = texts(result, found)
    before, after = (module(case, each) for each in pair)
    expected = [outcome(before, each) for each in case.inputs]
    if len({str(each) for each in expected}) == 1:
        return "the inputs take one path only"
    eager = [outcome(after, each) for each in case.inputs]
    if not all(map(same_eager, expected, eager)):
        return f"WRONG in eager mode: {expected} {eager}"
    program = torch.export.export(after, (), dict(case.inputs[0]), strict=strict)
    targets = {str(each.target) for each in program.graph.nodes}
    if not targets & IN_GRAPH:
        return f"WRONG: neither condition nor assertion in the graph: {targets}"
    exported = [outcome(program.module(), each) for each in case.inputs]
    if not all(same(a, b, exported=True) for a, b in zip(expected, exported, strict=True)):
        return f"WRONG when exported: {expected} {exported}"
    return "right"


def same_eager(one: tuple[str, Any], other: tuple[str, Any]) -> bool:
    """Return whether two outcomes in eager mode agree."""
    return same(one, other, exported=False)


def refused(case: Case, path: Path) -> str:
    """Return "right" if a statement is refused with its reason."""
    found = statement(rewritten(path), case.line)
    if found is None or found.reason is None:
        return "not found" if found is None else "WRONG: rewritten"
    return "right" if found.reason == case.reason else f"refused: {found.detail}"


def main(arguments: Sequence[str]) -> int:
    """Run all cases, and print a line for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name in INNER:
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--strict", action="store_true", help="export with strict=True")
    flags = parser.parse_args(arguments)
    assert rocmlint.export is not None
    torch.manual_seed(0)

    def path_of(case: Case) -> Path:
        folder = Path(getattr(flags, case.package))
        return folder / INNER[case.package] / case.path

    answers = {case.name: judged(case, path_of(case), strict=flags.strict) for case in RUN}
    answers |= {case.name: refused(case, path_of(case)) for case in (*NOT_EXPORTABLE, *REFUSED)}
    for name, answer in answers.items():
        print(f"{name:55} {answer}")
    right = sum(answers[case.name] == "right" for case in RUN)
    refusals = (*NOT_EXPORTABLE, *REFUSED)
    said_no = sum(answers[case.name] == "right" for case in refusals)
    print(f"{right} of {len(RUN)} right; {said_no} of {len(refusals)} refused with the reason")
    return int(right < len(RUN) or said_no < len(refusals))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
