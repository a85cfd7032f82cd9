"""What code claims of the running system: every claim rule on its fixtures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rocmlint import lint_source
from rocmlint.config.configuration import Configuration
from rocmlint.findings import Claim
from rocmlint.lint.check import claims
from rocmlint.lint.run import Options, run
from rocmlint.lint.scan import Scanner
from rocmlint.rule.registry import load_claim_rules
from rocmlint.rule.rule import ClaimRule
from rocmlint.source.python import Source

FIXTURES = Path(__file__).parents[2] / "fixtures"
MARK = re.compile(r"# claims: (?P<claim>.+)$", re.MULTILINE)
NAMES = [each.__module__.split(".")[-2:] for each in load_claim_rules()]


def claimed(text: str, rules: list[ClaimRule[Any]]) -> list[Claim]:
    return claims(Source("install.py", text, place="install.py"), rules)


def described(claim: Claim) -> str:
    words = [claim.kind, claim.subject]
    if claim.given:
        words += ["from"] * (claim.kind == "patched-files") + [claim.given]
    return " ".join(words + ["optional"] * claim.optional)


def fixture(family: str, name: str, kind: str) -> str:
    return (FIXTURES / family / name / f"{kind}.py").read_text()


@pytest.mark.parametrize(("family", "name"), NAMES)
def test_claims_are_made_at_the_marked_lines_and_nowhere_else(family: str, name: str) -> None:
    text = fixture(family, name, "claims")
    rules = Scanner(load_claim_rules()).scan_python(text.encode()).rules
    marked = {
        number: mark["claim"]
        for number, line in enumerate(text.split("\n"), 1)
        if (mark := MARK.search(line))
    }
    own = [each for each in rules if each.__module__.endswith(name)]
    assert {each.line: described(each) for each in claimed(text, own)} == marked


@pytest.mark.parametrize(("family", "name"), NAMES)
def test_code_that_claims_nothing_is_silent(family: str, name: str) -> None:
    assert claimed(fixture(family, name, "none"), list(load_claim_rules())) == []


def test_a_command_names_the_file_as_a_shell_needs_it() -> None:
    source = Source("my job.py", "import aiter\n", place="my job.py")
    (claim,) = claims(source, list(load_claim_rules()))
    assert claim.command == "rocmlint verify 'my job.py'"


def test_a_broken_file_hides_no_claim_of_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import aiter (\n")
    (tmp_path / "b.py").write_text("import aiter\n")
    (tmp_path / "c.py").write_bytes(b"# coding: utf-8\nimport aiter  # \xff\n")
    settings_for = Configuration(isolated=True).settings_for
    outcome = run([str(tmp_path)], settings_for, Options(claims=True))
    assert [(Path(each.path).name, each.subject) for each in outcome.claims] == [("b.py", "aiter")]
    assert [Path(each).name.partition(":")[0] for each in outcome.unread] == ["a.py", "c.py"]


def test_a_finding_names_the_command_that_confirms_it() -> None:
    text = fixture("patching", "package_path_level", "bad")
    commands = {each.commands for each in lint_source(text, "install.py", isolated=True)}
    assert ("rocmlint verify install.py",) in commands
