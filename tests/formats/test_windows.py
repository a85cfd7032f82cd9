"""Scripts of PowerShell and of cmd: plain commands, and nothing that is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.formats.scripts import batch, powershell

if TYPE_CHECKING:
    from rocmlint.formats.model import Parts

INDEX = "https://download.pytorch.org/whl/rocm6.4"


def run(parts: Parts) -> list[str]:
    return [" ".join(word.text for word in each.words) for each in parts.commands]


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        pytest.param("pip install x # why\npip list", ["pip install x", "pip list"], id="lines"),
        pytest.param("pip install `\n  x", ["pip install x"], id="continued"),
        pytest.param("ls; pip list | sort", ["ls", "pip list", "sort"], id="one line"),
        pytest.param(
            "& '.venv\\Scripts\\pip.exe' list", [".venv/Scripts/pip.exe list"], id="called"
        ),
        pytest.param("<# pip list\n#>\nls", ["ls"], id="comment of several lines"),
        pytest.param(
            '@"\npip list\n"@ | Set-Content x', ['@"\npip list\n"@', "Set-Content x"], id="text"
        ),
        pytest.param(
            f'$i = "{INDEX}"\npip list $I "a$i"', [f"pip list {INDEX} a{INDEX}"], id="value"
        ),
        pytest.param(
            f'$i="{INDEX}"\npip list $i', [f"pip list {INDEX}"], id="value without blanks"
        ),
        pytest.param("$i='a'\n$i+='b'\npip list $i", ["pip list $i"], id="value that grows"),
        pytest.param(
            "$env:TORCH_COMMAND='pip install x y'\n$TORCH_COMMAND = 'pip install z'\n./webui.bat",
            ["pip install x y", "./webui.bat"],
            id="handed on",
        ),
        pytest.param("pip install 'a$b'", ["pip install a$b"], id="no variable"),
        pytest.param("function F { pip list }", ["pip list"], id="function"),
    ],
)
def test_commands_of_powershell(text: str, commands: list[str]) -> None:
    assert run(powershell.parse(text)) == commands


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        pytest.param(
            "@echo off\r\ncall pip list".replace("\r", ""), ["echo off", "pip list"], id="call"
        ),
        pytest.param("rem pip a\n:: pip b\n:pip\nls", ["ls"], id="comments and labels"),
        pytest.param("ls && pip install ^\n  x", ["ls", "pip install x"], id="continued"),
        pytest.param(
            'set I=x\nset "J=y z"\npip list %I% "%J%" !i!', ["pip list x y z x"], id="set"
        ),
        pytest.param(
            "venv\\Scripts\\python -m pip list", ["venv/Scripts/python -m pip list"], id="path"
        ),
        pytest.param(
            "set TORCH_COMMAND=pip install x\nset NOTE=pip install y\ncall webui.bat",
            ["pip install x", "webui.bat"],
            id="handed on",
        ),
        pytest.param(
            'set "TORCH_COMMAND=pip install x y"\nset "NOTE=pip install z"\ncall webui.bat',
            ["pip install x y", "webui.bat"],
            id="handed on in quotes",
        ),
    ],
)
def test_commands_of_a_batch_file(text: str, commands: list[str]) -> None:
    assert run(batch.parse(text)) == commands


@pytest.mark.parametrize(
    ("parsed", "urls"),
    [
        pytest.param(
            batch.parse(f'set "TORCH_INDEX_URL={INDEX}"\ncall webui.bat'), [INDEX], id="cmd"
        ),
        pytest.param(
            batch.parse(f"set TORCH_INDEX_URL={INDEX}\npip list --index-url %TORCH_INDEX_URL%"),
            [],
            id="cmd uses it",
        ),
        pytest.param(
            powershell.parse(f'$env:TORCH_INDEX_URL = "{INDEX}"\n./webui.bat'),
            [INDEX],
            id="powershell",
        ),
        pytest.param(
            powershell.parse(
                f"$env:TORCH_INDEX_URL='{INDEX}'\npip list --index-url $env:TORCH_INDEX_URL"
            ),
            [],
            id="powershell uses it",
        ),
        pytest.param(batch.parse(f"set PIP_INDEX_URL={INDEX}\npip list"), [], id="of pip"),
    ],
)
def test_an_index_that_is_handed_on(parsed: Parts, urls: list[str]) -> None:
    assert [each.url for each in parsed.indexes] == urls


@pytest.mark.parametrize(
    "word",
    [
        "$x",
        "torch==$x",
        '"torch==$x"',
        "$(ls)",
        "$x.y",
        "torch>=2",
        'a"b"',
        "$a",
        "@list",
        "${a b}",
    ],
)
def test_what_powershell_computes_is_unknown(word: str) -> None:
    text = f"$a = 1\n$a = 2\npip install {word}"
    words = powershell.parse(text).commands[0].words
    assert not all(each.known for each in words) or len(words) == 2


@pytest.mark.parametrize(
    "word", ["%x%", "%1", "%~dp0", "!x!", "torch==%x%", "torch>=2", "a^b", "%a%"]
)
def test_what_cmd_computes_is_unknown(word: str) -> None:
    text = f"set a=1\nset a=2\npip install {word}"
    assert not batch.parse(text).commands[0].words[2].known


def test_the_arms_of_an_if_are_branches_of_one_block() -> None:
    lines = "if ($x) {\n pip a\n} elseif ($y) {\n pip b\n} else {\n pip c\n}\npip d\n"
    *arms, after = (
        each for each in powershell.parse(lines).commands if "pip" in each.words[0].text
    )
    assert len({each.branches[0].block for each in arms}) == 1
    assert [each.branches[0].arm for each in arms] == [0, 1, 2]
    assert after.branches == ()
    one, other = batch.parse("if exist x (\n pip a\n) else (\n pip b\n)\n").commands
    assert one.branches[0].block == other.branches[0].block
    assert one.branches[0].arm != other.branches[0].arm


def test_variables_of_the_environment_reach_the_commands() -> None:
    (command,) = powershell.parse(f"$env:PIP_INDEX_URL = '{INDEX}'\npip list").commands
    assert command.variables == {"PIP_INDEX_URL": INDEX}
    (command,) = batch.parse(f"set PIP_INDEX_URL={INDEX}\npip list").commands
    assert command.variables == {"PIP_INDEX_URL": INDEX}
