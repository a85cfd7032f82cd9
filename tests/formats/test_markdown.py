"""The commands in the code blocks of Markdown."""

from __future__ import annotations

import pytest

from rocmlint.formats.documents import markdown


def run(text: str) -> list[str]:
    return [" ".join(word.text for word in each.words) for each in markdown.parse(text).commands]


@pytest.mark.parametrize(
    "info",
    ["bash", "sh", "shell", "zsh", "console", "Bash", "bash title=x", "{.bash}", "shell-session"],
)
def test_blocks_for_a_shell_are_read(info: str) -> None:
    assert run(f"# Install\n\n```{info}\npip install x\n```\npip install y\n") == ["pip install x"]


@pytest.mark.parametrize("info", ["", "python", "text", "dockerfile", "powershell", "bashful"])
def test_other_blocks_are_not(info: str) -> None:
    assert run(f"```{info}\npip install x\n```\n") == []


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        pytest.param("~~~sh\npip list\n~~~\n", ["pip list"], id="tildes"),
        pytest.param("````sh\n```\npip list\n````\n", ["pip list"], id="longer fence"),
        pytest.param("```text\n```bash\npip list\n```\n", [], id="opened inside"),
        pytest.param("1. a\n   ```sh\n   pip list\n   ```\n", ["pip list"], id="in a list"),
        pytest.param("> ```sh\n> pip list\n> ```\n", ["pip list"], id="quoted"),
        pytest.param("```sh\npip list\n", [], id="never closed"),
        pytest.param("```sh\npip install \\\n  x\n```\n", ["pip install x"], id="continued"),
        pytest.param("```sh\n$ pip list\ntorch 2.4\n$ ls\n```\n", ["pip list", "ls"], id="prompts"),
        pytest.param(
            "```sh\n$ pip install \\\n    x\nCollecting x\n```\n", ["pip install x"], id="both"
        ),
        pytest.param(
            '- a\n  ```sh\n  python -c "\n  if 1:\n    f()"\n  ```\n',
            ["python -c \nif 1:\n  f()"],
            id="indented code",
        ),
        pytest.param("```sh\n# why\npip list  # x\n```\n", ["pip list"], id="comments"),
    ],
)
def test_what_is_typed_in_a_block(text: str, commands: list[str]) -> None:
    assert run(text) == commands


def test_each_block_is_a_shell_of_its_own() -> None:
    text = "```sh\ncd x\npip list\n```\n```sh\npip list\n```\n"
    commands = markdown.parse(text).commands
    assert [(each.step.number, each.folder) for each in commands] == [(0, ""), (0, "x"), (1, "")]
    assert commands[-1].span == (6, 1, 6, 9)


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("# A\n## B\n### C\n", ["C", "B", "A"]),
        ("# A\n### C\n## B\n", ["B", "A"]),
        ("# A\n## B\n# D\n", ["D"]),
        ("A\n===\n\nB b\n---\n\nc\n", ["B b", "A"]),
        ("# A\n\n---\n| a |\n---\n#c\n", ["A"]),
        ("# A\n```sh\n# why\n```\n", ["A"]),
        ("````md\n```\n# B\n````\n# A\n", ["A"]),
        ("text\n", []),
    ],
)
def test_the_headings_above_a_line(text: str, headings: list[str]) -> None:
    line = text.count("\n") + 1
    assert markdown.headings_above(f"{text}here\n# Behind\n", line) == headings
