"""Shell scripts: the words that commands get, as a real shell gives them, and their places."""

from __future__ import annotations

import subprocess
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rocmlint.formats.scripts.shell.script import parse
from rocmlint.text.text import Text
from tests.support.tools import needs, program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.formats.model import Command, Word
    from rocmlint.text.text import Span


def texts(script: str) -> list[list[str]]:
    return [[word.text for word in command.words] for command in parse(script).commands]


def only(script: str) -> Command:
    (command,) = parse(script).commands
    return command


def last(script: str) -> Command:
    return parse(script).commands[-1]


def written(script: str, span: Span) -> str:
    lines = Text(script)
    start = lines.offset_of(span.line) + span.column - 1
    return script[start : lines.offset_of(span.end_line) + span.end_column - 1]


# Redirections that were meant as versions


@pytest.mark.parametrize(
    ("script", "operator", "target"),
    [
        ("pip install torch>=2.0", ">", "=2.0"),
        ("pip install 'a' numpy<2", "<", "2"),
        ("pip install torch>2.1 b", ">", "2.1"),
        ("pip install foo[bar]>=2", ">", "=2"),
    ],
)
def test_an_unquoted_specifier_is_a_redirection(script: str, operator: str, target: str) -> None:
    (redirect,) = only(script).redirects
    assert (redirect.operator, redirect.target.text, redirect.spaced) == (operator, target, False)
    assert written(script, redirect.span) == f"{operator}{target}"


def test_words_behind_a_redirection_belong_to_the_command() -> None:
    command = only("pip install x>=1 'y<2' --pre z")
    assert [word.text for word in command.words] == ["pip", "install", "x", "y<2", "--pre", "z"]


def test_both_bounds_are_redirections() -> None:
    found = only("pip install torch>=2,<3 b").redirects
    assert [(each.operator, each.target.text) for each in found] == [(">", "=2,"), ("<", "3")]


def test_an_ordinary_redirection_stands_apart() -> None:
    found = only("pip install foo > log.txt 2>&1").redirects
    assert [(each.operator, each.target.text, each.spaced) for each in found] == [
        (">", "log.txt", True),
        ("2>&", "1", True),
    ]


@pytest.mark.parametrize("script", ['pip install "torch>=2.0"', "pip install torch\\>=2.0"])
def test_a_quoted_specifier_is_a_word(script: str) -> None:
    command = only(script)
    assert command.redirects == ()
    assert (command.words[2].text, command.words[2].quoted) == ("torch>=2.0", True)


@pytest.mark.parametrize(
    "script",
    ["a | pip install b>=1 c", "a && pip install b>=1 c", "! pip install b>=1 c",
     "a && pip install b>=1 c <<EOF\nEOF\n", "x=$(pip install b>=1 c)"],
)  # fmt: skip
def test_a_redirection_belongs_to_the_nearest_command(script: str) -> None:
    command = next(each for each in parse(script).commands if each.words[0].text == "pip")
    assert [word.text for word in command.words] == ["pip", "install", "b", "c"]
    assert [each.target.text for each in command.redirects] == ["=1"]


# Where commands stand


@pytest.mark.parametrize(
    "script",
    [
        "f() { pip install x; }",
        "if true; then pip install x; fi",
        "if pip install x; then :; fi",
        "for p in a b; do pip install x; done",
        "while read -r l; do pip install x; done < f",
        "case $y in a) pip install x ;; esac",
        "(cd y && pip install x)",
        "y=$(pip install x)",
        "y=`pip install x`",
        'echo "$(pip install x)"',
        "true && pip install x || exit 1",
        "true | pip install x",
        "pip install x &",
        "cat <<EOF && pip install x\nhi\nEOF",
        "[[ $y == z ]] && pip install x",
        "eval 'pip install x'",
        "bash -lc 'cd y && pip install x'",
        "docker run -it image bash -c 'pip install x'",
        "sudo bash <<'EOF'\npip install x\nEOF",
        "if true; then\n  ssh -o A=b root@\"$HOST\" << 'EOF'\npip install x\nEOF\nfi",
        "sshpass -e ssh -p 22 host <<EOF\npip install x\nEOF",
        "ssh host bash -s <<EOF\npip install x\nEOF",
        "ssh -t host 'bash -s' <<EOF\npip install x\nEOF",
        "ssh host 'cd y && pip install x'",
        "ssh -t host -p 22 pip install x",
        "ssh host \"bash -lc 'pip install x'\"",
        'export ARCH="${ARCH:-gfx906;gfx90a}"\npip install x',
        'retry() { "$@"; }\nretry 3 pip install x',
    ],
)  # fmt: skip
def test_a_command_is_found_wherever_it_stands(script: str) -> None:
    assert ["pip", "install", "x"] in texts(script)


@pytest.mark.parametrize(
    "script",
    [
        "# pip install x",
        "echo pip install x",
        "cat > Dockerfile <<EOF\nRUN pip install x\nEOF",
        "message='pip install x'",
        "ssh host 'cat > setup.sh' <<EOF\npip install x\nEOF",
        "ssh -i 'pip install x' host",
        "scp list.txt host:pip <<EOF\npip install x\nEOF",
        "command -v pip install x",
    ],
)
def test_what_is_only_text_is_no_command(script: str) -> None:
    assert ["pip", "install", "x"] not in texts(script)


@pytest.mark.parametrize(
    "wrapper",
    ["sudo", "sudo -H -u me", "env A=b", "time", "nohup", "exec", "command", "timeout 60",
     "nice -n 5", "conda run -n e", "poetry run", "sudo -E env A=b timeout -k 1 9",
     "docker exec -w / box"],
)  # fmt: skip
def test_wrappers_are_taken_off(wrapper: str) -> None:
    script = f"{wrapper} pip install x"
    command = only(script)
    assert [word.text for word in command.words] == ["pip", "install", "x"]
    assert written(script, command.span) == "pip install x"


def test_what_another_machine_runs_has_neither_folder_nor_variables_of_this_one() -> None:
    script = "export A=b\ncd y\nssh host 'pip install x; cd /z && pip list'\npip check"
    _, _, *inner, here = parse(script).commands
    assert [(each.folder, dict(each.variables)) for each in inner] == [
        (None, {}),
        (None, {}),
        ("/z", {}),
    ]
    assert (here.folder, dict(here.variables)) == ("y", {"A": "b"})


# Variables


@pytest.mark.parametrize(
    ("script", "word"),
    [
        ('URL="https://a/rocm6.2"\npip --index-url "$URL"', "https://a/rocm6.2"),
        ("V=6.2\nif x; then URL=https://a/rocm$V; fi\npip -i ${URL}", "https://a/rocm6.2"),
        ("V=1\nV=2\npip $V", "2"),
        ("V=a\nV+=b\npip $V", "ab"),
        (': "${V:=a}"\npip $V', "a"),
        (": ${U:=a} ${V=b}\npip $V", "b"),
        ('V=a\n: "${V:=b}"\npip $V', "a"),
    ],
)
def test_a_variable_with_one_value_is_put_in(script: str, word: str) -> None:
    found = last(script).words[-1]
    assert (found.text, found.known) == (word, True)


@pytest.mark.parametrize(
    "script",
    [
        "pip $V",
        "pip $V\nV=1",
        "V=1\nif x; then V=2; fi\npip $V",
        "V=1\nread V\npip $V",
        'if x; then : "${V:=1}"; else : "${V:=2}"; fi\npip $V',
        'echo "${V:=1}"\npip $V',
        "for V in a b; do pip $V; done",
        "V=$(date)\npip $V",
        "V=${1:-x}\npip $V",
        "V='a b'\npip x$V",
    ],
)
def test_a_variable_that_only_the_run_knows_is_unknown(script: str) -> None:
    command = next(each for each in parse(script).commands if each.words[0].text == "pip")
    assert not command.words[-1].known
    assert "$V" in command.words[-1].text


def test_a_variable_with_several_words_becomes_several() -> None:
    assert texts('P="a b"\nA=(c "d e")\npip $P "${A[@]}"')[-1] == ["pip", "a", "b", "c", "d e"]


@pytest.mark.parametrize(
    ("script", "value"),
    [
        ("export PIP_CONSTRAINT=c.txt\npip x", "c.txt"),
        ("PIP_CONSTRAINT=c.txt\nexport PIP_CONSTRAINT\npip x", "c.txt"),
        ("PIP_CONSTRAINT=c.txt pip x", "c.txt"),
        ("sudo PIP_CONSTRAINT=c.txt pip x", "c.txt"),
        ("set -a\nPIP_CONSTRAINT=c.txt\npip x", "c.txt"),
        ("export PIP_CONSTRAINT=$1\npip x", None),
    ],
)
def test_exported_variables_reach_the_command(script: str, value: str | None) -> None:
    assert last(script).variables["PIP_CONSTRAINT"] == value


@pytest.mark.parametrize("script", ["PIP_CONSTRAINT=c\npip x", "PIP_CONSTRAINT=c a\npip x"])
def test_other_variables_do_not_reach_the_command(script: str) -> None:
    assert "PIP_CONSTRAINT" not in last(script).variables


# What a real shell says

plain = st.text("abcXYZ019._=:/@%+,-é", min_size=1, max_size=6)
blank = st.text("ab 'é\"\\$`#>&|;", max_size=6)
single = blank.map(lambda text: "'" + text.replace("'", "") + "'")
double = blank.map(
    lambda text: '"' + "".join(f"\\{sign}" if sign in '"\\$`' else sign for sign in text) + '"'
)
# A blank that is escaped at a word's beginning is one that tree-sitter-bash does not see.
escaped = st.sampled_from("> <&|;'\"\\$*#").map(lambda sign: "a\\" + sign)
value = st.sampled_from(["$ONE", "${ONE}", '"$TWO"', '"x${TWO}y"', "$TWO"])
word = st.lists(st.one_of(plain, single, double, escaped), min_size=1, max_size=3).map("".join)
words = st.lists(st.one_of(word, value), min_size=1, max_size=6)


@needs("bash")
@given(words, st.sampled_from([" ", "  ", " \\\n  "]))
@settings(max_examples=120, deadline=None)
def test_words_are_those_that_bash_passes(written_words: list[str], between: str) -> None:
    assume(not any("~" in each for each in written_words))
    call = between.join(["show", *written_words])
    script = f"ONE=a.b\nTWO='c  d'\n{call}\n"
    shell = f"show() {{ printf '%s\\0' \"$@\"; }}\n{script}"
    result = subprocess.run([program("bash"), "-c", shell], capture_output=True, check=True)
    expected = result.stdout.decode().split("\0")[:-1]
    command = only(script)
    assert all(word.known for word in command.words)
    assert [word.text for word in command.words[1:]] == expected


@given(st.lists(word, min_size=1, max_size=5), st.sampled_from(["", "é=1\n", "x && "]))
@settings(max_examples=150, deadline=None)
def test_a_word_without_quotes_stands_at_its_span(written_words: list[str], before: str) -> None:
    script = before + " ".join(["pip", *written_words])

    def check(found: Word) -> None:
        if found.known and not found.quoted:
            assert written(script, found.span) == found.text

    for command in parse(script).commands:
        for each in (*command.words, *(redirect.target for redirect in command.redirects)):
            check(each)


# Branches


@pytest.mark.parametrize(
    ("script", "alternatives"),
    [
        ("if a; then b; else c; fi", ["b c"]),
        ("if a; then b; elif c; then d; fi", ["b c", "b d"]),
        ("if b; then\n  echo '\nelse\n'\n  c\nfi", []),
        ("case $x in b) b;; *) c;; esac", ["b c"]),
        ("if a; then b; fi; if a; then c; fi", []),
        ("b || c", []),
        ("bash -c 'if a; then b; else c; fi'", ["b c"]),
    ],
)
def test_commands_in_arms_of_one_block_are_alternatives(
    script: str, alternatives: list[str]
) -> None:
    named = {each.words[0].text: dict(blocks(each)) for each in parse(script).commands}
    found = [
        f"{one} {two}"
        for one, two in combinations("bcd", 2)
        for block, arm in named.get(one, {}).items()
        if named.get(two, {}).get(block, arm) != arm
    ]
    assert found == alternatives


def blocks(command: Command) -> Iterator[tuple[Span, int]]:
    return ((each.block, each.arm) for each in command.branches)


@pytest.mark.parametrize(
    ("script", "scopes"),
    [
        ("exit", 0),
        ("f() { exit; }", 1),
        ("f() { (exit); }", 2),
        ("if a; then exit; fi", 0),
        ("bash -c exit", 1),
        ("bash <<EOF\nexit\nEOF", 1),
    ],
)
def test_functions_and_shells_are_scopes(script: str, scopes: int) -> None:
    assert sum(each.scope for each in last(script).branches) == scopes


def test_what_stands_behind_two_bars_is_a_branch() -> None:
    first, second, third = parse("a || b; c").commands
    assert [len(each.branches) for each in (first, second, third)] == [0, 1, 0]
