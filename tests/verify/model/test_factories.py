"""Whatever a factory does, ``rocmlint verify model`` gives one clear answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.project import Project

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("model")]

FACTORIES = """\
import sys, time
import torch

class Model(torch.nn.Linear):
    pass

def nothing():
    return None

def crashing():
    raise RuntimeError("HIP out of memory")

def dying():
    import os
    os.kill(os.getpid(), 11)

def leaving():
    sys.exit("no GPU found")

def hanging():
    print("still here", flush=True)
    time.sleep(600)

def printing():
    print('{"answer": 3}')
    sys.stdout.write("x" * 200_000)
    return Model(2, 2)

def wrong():
    return {"model": Model(2, 2), "proccessor": 3}

def twice():
    return Model(2, 2), Model(2, 2)

number = 3
"""


def run(project: Project, factory: str, *flags: str) -> tuple[int, str, str]:
    project.write("mine.py", FACTORIES)
    ran = project.run(
        "verify", "model", f"mine:{factory}", "parameter-groups", "--group", "all=*", *flags
    )
    return ran.returncode, ran.stdout, ran.stderr


def test_what_a_factory_prints_is_no_part_of_the_report(project: Project) -> None:
    code, out, err = run(project, "printing")
    assert (code, '{"answer": 3}' in err, "xxx" in out) == (0, True, False)
    assert "2 proven, 0 contradicted, 0 unproven." in out


@pytest.mark.parametrize(
    ("factory", "message"),
    [
        ("nothing", "mine:nothing returned NoneType; it must return a model, a processor"),
        ("number", "mine:number returned int; it must return a model"),
        ("twice", "mine:twice returned Model (a second model)"),
        ("wrong", "mine:wrong returned a dictionary with proccessor; the names are model"),
        ("absent", "mine.py has no absent"),
        ("leaving", "ended without an answer: no GPU found"),
        ("dying", "was killed by SIGSEGV without an answer"),
    ],
)
def test_what_is_no_model_is_an_error_that_says_so(
    project: Project, factory: str, message: str
) -> None:
    code, out, err = run(project, factory)
    assert (code, out) == (2, "")
    assert message in err


def test_a_factory_that_raises_is_told_with_its_line(project: Project) -> None:
    code, _, err = run(project, "crashing")
    line = FACTORIES.splitlines().index('    raise RuntimeError("HIP out of memory")') + 1
    assert (code, "RuntimeError: HIP out of memory" in err) == (2, True)
    assert f'mine.py", line {line}, in crashing' in err


def test_a_factory_that_hangs_ends_at_the_limit(project: Project) -> None:
    code, _, err = run(project, "hanging", "--timeout", "8")
    assert (code, "did not answer within 8 s (see --timeout)" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a check (vision-tokens, special-tokens, parameter-groups"),
        (("mine:printing", "special-token"), "did you mean 'special-tokens'?"),
        (("special-tokens",), "either PKG.MOD:FACTORY or --config DIRECTORY"),
        (("special-tokens", "a:b", "--config", "."), "either PKG.MOD:FACTORY or --config"),
        (("special-tokens", "--config", "no/where"), "not a directory with a config.json"),
        (("special-tokens", "mine.py"), "must be PKG.MOD:FACTORY"),
        (("special-tokens", "a:b", "--expect", "x"), "must be TOKEN=ID"),
        (("parameter-groups", "a:b", "--group", "x"), "must be NAME=PATTERN"),
        (("parameter-groups", "a:b", "--group", "x=y", "--frozen", "z"), "no group of this name"),
        (("parameter-groups", "a:b", "--group", "x=y", "--group", "x=z"), "named twice"),
    ],
)
def test_a_usage_error_is_one_line(
    project: Project, arguments: tuple[str, ...], message: str
) -> None:
    ran = project.run("verify", "model", *arguments)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert message in ran.stderr


def test_a_folder_whose_name_is_that_of_a_check_is_a_folder(project: Project) -> None:
    project.write("config/config.json", "{}")
    ran = project.run("verify", "model", "--config", "config", "parameter-groups")
    assert (ran.returncode, "cannot read it" in ran.stderr) == (2, True)


@pytest.mark.parametrize("text", ["", "[]", '{"model_type": "no-such-model"}', "\x00"])
def test_a_broken_config_is_one_error(project: Project, text: str) -> None:
    pytest.importorskip("transformers")
    project.write("tiny/config.json", text)
    ran = project.run("verify", "model", "--config", "tiny", "parameter-groups")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "tiny: this transformers" in ran.stderr


def test_code_of_a_folder_is_not_run(project: Project) -> None:
    pytest.importorskip("transformers")
    auto = '{"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}'
    project.write("tiny/config.json", f'{{"model_type": "evil", "auto_map": {auto}}}')
    project.write("tiny/evil.py", "open('ran', 'w')\n")
    ran = project.run("verify", "model", "--config", "tiny", "parameter-groups")
    assert ran.returncode == 2
    assert not list(project.root.rglob("ran"))
