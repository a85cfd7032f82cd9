"""What holds for every rule and for the repository, so that adding a rule touches no other file."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rocmlint.rule.documentation import sections
from rocmlint.rule.registry import load_rules
from rocmlint.rule.retired import GAPS
from rocmlint.rule.rule import Rule

pytestmark = pytest.mark.smoke

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "rocmlint"
RULES = load_rules()
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


@each_rule
def test_the_code_has_the_form_that_flake8_takes(rule: type[Rule[Any]]) -> None:
    assert re.fullmatch(r"ROC\d{3}", rule.code)


def test_a_folder_has_the_rules_of_one_digit_and_a_digit_has_one_folder() -> None:
    families = {(rule.__module__.split(".")[-2], rule.code[3]) for rule in RULES}
    folders, digits = zip(*families, strict=True)
    assert len(set(folders)) == len(set(digits)) == len(families)


@pytest.mark.parametrize("folder", sorted({rule.__module__.rpartition(".")[0] for rule in RULES}))
def test_the_first_line_of_a_family_names_its_codes(folder: str) -> None:
    codes = {rule.code[:4] for rule in RULES if rule.__module__.startswith(f"{folder}.")}
    assert [(importlib.import_module(folder).__doc__ or "").partition(":")[0]] == list(codes)


@each_rule
def test_the_name_is_kebab_case_and_that_of_the_file_and_the_class(rule: type[Rule[Any]]) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", rule.name)
    assert rule.__module__.endswith("." + rule.name.replace("-", "_"))
    assert rule.__name__.lower() == rule.name.replace("-", "")


@each_rule
def test_a_rule_that_makes_fixes_says_how_safe_they_are(rule: type[Rule[Any]]) -> None:
    makes_fixes = "fix=" in inspect.getsource(inspect.getmodule(rule) or rule)
    if makes_fixes:
        assert "Fix safety" in sections(inspect.getdoc(rule) or "")


@each_rule
def test_every_option_is_read_and_explained(rule: type[Rule[Any]]) -> None:
    folder = Path(inspect.getfile(rule)).parent
    code = "".join(path.read_text() for path in folder.glob("*.py"))
    for name, option in rule.options.items():
        assert option.help
        assert f'"{name}"]' in code or name == rule.needs
    assert not rule.needs or rule.needs in rule.options


def test_loading_the_rules_does_not_load_libcst() -> None:
    code = (
        "import sys; from rocmlint.config.settings import Settings; "
        "from rocmlint.lint.selection import enabled_rules; enabled_rules(Settings(preview=True)); "
        "sys.exit('libcst._nodes' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_linting_imports_neither_torch_nor_the_linted_code(tmp_path: Path) -> None:
    for name in ("torch", "transformers", "job"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported!')\n")
    (tmp_path / "job.py").write_text(
        "import torch, transformers\nfrom pathlib import Path\n"
        "Path(transformers.__file__).parents[1] / 'models'\n"
        "raise SystemExit('imported!')\n"
    )
    code = (
        "import sys, rocmlint; found = rocmlint.lint_paths(['job.py']); "
        "assert [each.code for each in found] == ['ROC101'], found; "
        "assert not {'torch', 'transformers', 'job'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


def test_linting_imports_nothing_of_verify(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text("import torch\ntorch.set_default_dtype(torch.bfloat16)\n")
    code = (
        "import sys, rocmlint; from rocmlint.cli.main import main; main(['job.py', '--no-cache']);"
        "rocmlint.lint_paths(['job.py']);"
        "assert not [name for name in sys.modules if name.startswith('rocmlint.verify')]"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


def test_no_check_imports_torch_into_rocmlint_itself(tmp_path: Path) -> None:
    names = [path.stem for path in (SOURCE / "cli" / "verify").glob("*.py")]
    code = (
        "import importlib, sys\n"
        f"for name in {names}: importlib.import_module(f'rocmlint.cli.verify.{{name}}')\n"
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


@pytest.mark.parametrize(
    "path", sorted((SOURCE / "interpreter" / "inside").rglob("*.py")), ids=lambda path: path.stem
)
def test_what_runs_in_other_interpreters_needs_only_the_standard_library(path: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            imported.add((node.module or "").partition(".")[0])
    assert imported <= sys.stdlib_module_names | {"torch"}


def test_every_module_says_in_its_first_line_what_it_does() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for folder in ("src", "rules", "tests", "benchmarks", "docs", "tools")
        for path in (ROOT / folder).rglob("*.py")
        if not path.read_text().startswith('"""')
    ]
    assert silent == []


def test_no_rule_imports_the_helpers_of_another_family() -> None:
    borrowing = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "rules").rglob("*.py")
        if "rocmlint.rules" in path.read_text() or "from ..." in path.read_text()
    ]
    assert borrowing == []


def test_a_code_that_no_rule_took_over_is_not_used_again() -> None:
    labels = {label for rule in RULES for label in (rule.code, *rule.retired)}
    assert labels.isdisjoint(GAPS)


def test_a_retired_code_is_used_once() -> None:
    retired = [code for rule in RULES for code in rule.retired]
    assert len({*retired, *(rule.code for rule in RULES)}) == len(retired) + len(RULES)
