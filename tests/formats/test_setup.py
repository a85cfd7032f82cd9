"""setup.cfg and setup.py: what they declare, as far as it is written there."""

from __future__ import annotations

import pytest

from rocmlint.formats.packaging import setup_cfg, setup_py
from tests.support.parts import at, declared

SETUP_CFG = """\
[metadata]
name = x
[options]
install_requires =
    torch>=2
    # a comment
    numpy ; python_version<"3"  # why
python_requires = >=3.9
[options.extras_require]
dev = pytest
    black>=1
all = file: more.txt
"""


def test_setup_cfg_declares() -> None:
    parts = setup_cfg.parse(SETUP_CFG)
    assert declared(parts) == [
        ("torch>=2", ""),
        ('numpy ; python_version<"3"', ""),
        ("pytest", "dev"),
        ("black>=1", "dev"),
    ]
    assert all(at(SETUP_CFG, each.span) == each.text for each in parts.declared)


def test_what_setup_cfg_takes_from_another_key_is_read_there_alone() -> None:
    parts = setup_cfg.parse("[options.extras_require]\ndev = numpy\nall =\n  %(dev)s\n  scipy\n")
    assert not parts.problems
    assert [(each.name, each.group) for each in parts.declared] == [
        ("numpy", "dev"),
        ("scipy", "all"),
    ]


def test_setup_cfg_includes_files() -> None:
    text = "[options]\ninstall_requires = file: requirements.txt\n"
    (found,) = setup_cfg.parse(text).inclusions
    assert (found.path, at(text, found.span)) == ("requirements.txt", "requirements.txt")


def test_broken_setup_cfg_is_one_problem() -> None:
    (problem,) = setup_cfg.parse("name = x\n").problems
    assert problem.line == 1


SETUP_PY = """\
from setuptools import setup
REQUIRED = ["torch>=2", "numpy"]
EXTRAS = {"dev": ["pytest"], "é": REQUIRED + ['a']}
setup(name="x", install_requires=REQUIRED, extras_require=EXTRAS)
"""


def test_setup_py_declares_what_it_states() -> None:
    parts = setup_py.parse(SETUP_PY)
    assert sorted(declared(parts)) == [
        ("a", "é"), ("numpy", ""), ("numpy", "é"), ("pytest", "dev"), ("torch>=2", ""),
        ("torch>=2", "é"),
    ]  # fmt: skip
    assert all(at(SETUP_PY, each.span) == each.text for each in parts.declared)


@pytest.mark.parametrize(
    "text",
    ["setup(install_requires=read('requirements.txt'))", "setup(**config)", "print 'old'",
     "R = ['a']\nR = ['b']\nsetup(install_requires=R)"],
)  # fmt: skip
def test_setup_py_says_nothing_of_what_it_computes(text: str) -> None:
    parts = setup_py.parse(text)
    assert (parts.declared, parts.problems) == ((), ())
