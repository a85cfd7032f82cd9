"""Commands that Python runs: lists of words and strings, with their places in the file."""

from __future__ import annotations

import libcst as cst
import pytest

from rocmlint.formats.model import Command
from rocmlint.source.called_commands import commands_called
from rocmlint.source.python import Source
from rocmlint.syntax.walk import walk

IMPORTS = "import asyncio, os, pip, shlex, subprocess, sys\nfrom subprocess import check_call\n"


def source_of(text: str) -> Source:
    return Source("setup_env.py", IMPORTS + text, whole=True)


def commands(source: Source) -> list[Command]:
    calls = [node for node in walk(source.module) if isinstance(node, cst.Call)]
    return [command for call in calls for command in commands_called(call, source)]


def words(text: str) -> list[list[str]]:
    return [[word.text for word in each.words] for each in commands(source_of(text))]


PIP = ["pip", "install", "x"]
PYTHON_PIP = ["python", "-m", "pip", "install", "x"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("subprocess.run(['pip', 'install', 'x'], check=True)", PIP),
        ("subprocess.Popen(args=('pip', 'install', 'x'))", PIP),
        ("check_call([sys.executable, '-m', 'pip', 'install', 'x'])", PYTHON_PIP),
        ("subprocess.run('pip install x', shell=True)", PIP),
        ("subprocess.check_output('pip install x'.split())", PIP),
        ("subprocess.call(shlex.split('pip install \"x\"'))", PIP),
        ("os.system('pip install x')", PIP),
        ("os.popen(f'{sys.executable} -m pip install x')", PYTHON_PIP),
        ("os.system(sys.executable + ' -m pip install x')", PYTHON_PIP),
        ("asyncio.create_subprocess_exec(sys.executable, '-m', 'pip', 'install', 'x')", PYTHON_PIP),
        ("asyncio.create_subprocess_shell('pip install x')", PIP),
        ("pip.main(['install', 'x'])", PIP),
        ("from pip._internal import main\nmain(['install', 'x'])", PIP),
        ("get_ipython().system('pip install x')", PIP),
        ("subprocess.run(['sudo', 'env', 'A=b', 'pip', 'install', 'x'])", PIP),
        ("c = ['pip', 'install', 'x']\nsubprocess.run(c)", PIP),
        ("c = 'pip install x'\nos.system(c)", PIP),
        ("b = ['pip', 'install']\nsubprocess.run(b + ['x'])", PIP),
        ("b = ['pip', 'install']\nsubprocess.run([*b, 'x'])", PIP),
        ("p = 'x'\nos.system(f'pip install {p}')", PIP),
        ("os.system('pip '\n  'install x')", PIP),
        ('subprocess.run("""\npip install \\\\\n  x\n""", shell=True)', PIP),
    ],
)
def test_a_command_is_found_however_it_is_called(text: str, expected: list[str]) -> None:
    assert words(text) == [expected]


@pytest.mark.parametrize(
    "text",
    ["print('pip install x')", "run(['pip', 'install', 'x'])", "subprocess.run(command)",
     "subprocess.run()", "os.system(make())", "subprocess.run(b'pip install x', shell=True)"],
)  # fmt: skip
def test_what_runs_nothing_that_can_be_told_has_no_commands(text: str) -> None:
    assert words(text) == []


def test_a_shell_runs_several() -> None:
    assert words("os.system('cd a && pip install x')") == [["cd", "a"], PIP]
    assert words("subprocess.run(['bash', '-c', 'pip install x'])")[-1] == PIP


def test_a_loop_over_a_list_runs_one_each_round() -> None:
    text = (
        "def f():\n    needed = ['x', 'y>=1']\n    for each in needed:\n"
        "        check_call(['pip', 'install', each])\n"
    )
    assert words(text) == [PIP, ["pip", "install", "y>=1"]]


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("def f(p):\n    check_call(['pip', 'install', p])", "p"),
        ("def f(*p):\n    check_call(['pip', 'install', *p])", "p"),
        ("def f(p):\n    check_call(['pip', 'install'] + p)", "p"),
        ("def f(p):\n    os.system(f'pip install {p}')", "{p}"),
        ("def f(p):\n    os.system(f'pip install x=={p}')", "x=={p}"),
        ("def f(p):\n    os.system('pip install ' + p)", "p"),
        ("def f(p):\n    os.system('pip install %s' % p)", "%s"),
        ("def f(p):\n    os.system('pip install {}'.format(p))", "{}"),
        ("c = ['pip', 'install']\nc.append(p)\nsubprocess.run(c)", "c"),
    ],
)
def test_what_only_the_run_knows_is_unknown(text: str, unknown: str) -> None:
    (command,) = commands(source_of(text))
    assert (command.words[-1].text, command.words[-1].known) == (unknown, False)


@pytest.mark.parametrize(
    ("text", "shell"),
    [
        ("os.system('pip install x>=1')", True),
        ("subprocess.run('pip install x>=1', shell=True)", True),
        ("subprocess.run('pip install x>=1')", False),
        ("subprocess.run(['pip', 'install', 'x>=1'])", False),
    ],
)
def test_only_a_shell_redirects(text: str, shell: bool) -> None:
    (command,) = commands(source_of(text))
    assert command.shell == shell
    assert [each.target.text for each in command.redirects] == (["=1"] if shell else [])


@pytest.mark.parametrize(
    "text",
    [
        "subprocess.run(['pip', 'install', 'é', r'x>=1'])",
        "os.system('é=1; pip install x>=1 y')",
        "os.system('''pip install \\\\\n  é\\t z>=1''')",
        "os.system(f'pip {{é}} install x>=1 {p} y')",
        "os.system('pip install a' ' é>1')",
    ],
)
def test_words_stand_at_their_places(text: str) -> None:
    source = source_of(text)
    for command in commands(source):
        for each in (*command.words, *(redirect.target for redirect in command.redirects)):
            if each.known and not each.quoted:
                assert source.text_at(each.span) == each.text


def test_a_redirection_in_a_string_stands_at_its_place() -> None:
    source = source_of("os.system(f'''cd {d}\\n pip install \"a\" x>=1''')")
    (redirect,) = commands(source)[-1].redirects
    assert source.text_at(redirect.span) == ">=1"


def test_the_environment_of_a_call_reaches_the_command() -> None:
    text = "subprocess.run(['pip'], env={**os.environ, 'PIP_CONSTRAINT': 'c.txt', 'A': f()})"
    (command,) = commands(source_of(text))
    assert command.variables == {"PIP_CONSTRAINT": "c.txt", "A": None}


# Sessions of nox

SESSION = "import nox\n\n@nox.session(python=['3.12'])\ndef tests(s):\n    "


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("s.install('x')", PIP),
        (
            "s.install('-r', 'a.txt', 'x>=2', silent=True)",
            ["pip", "install", "-r", "a.txt", "x>=2"],
        ),
        ("s.conda_install('x', channel='pytorch')", ["conda", "install", "x"]),
        ("s.run('pip', 'install', 'x', external=True)", PIP),
        ("s.run('bash', '-c', 'pip list')", ["bash", "-c", "pip list"]),
        ("s.run_always(*['pip', 'install', 'x'])", PIP),
    ],
)
def test_a_session_of_nox_runs_commands(call: str, expected: list[str]) -> None:
    found = words(f"{SESSION}{call}\n")
    assert found[0] == expected
    assert found[1:] == ([["pip", "list"]] if "bash" in call else [])


@pytest.mark.parametrize(
    "text",
    [
        f"{SESSION}s.notify('pip')\n",
        f"{SESSION}other.install('x')\n",
        "import nox\ndef helper(s):\n    s.install('x')\n",
        "@unit.session\ndef tests(s):\n    s.install('x')\n",
        "import nox\ns.install('x')\n",
    ],
)
def test_what_is_no_session_of_nox_runs_nothing(text: str) -> None:
    assert words(text) == []


def test_the_words_of_a_session_stand_at_their_places() -> None:
    source = source_of(f"{SESSION}s.install('torch>=2', env={{'A': 'b'}})\n")
    (command,) = commands(source)
    assert [source.text_at(word.span) for word in command.words] == [
        "install",
        "install",
        "torch>=2",
    ]
    assert (command.shell, command.variables) == (False, {"A": "b"})
