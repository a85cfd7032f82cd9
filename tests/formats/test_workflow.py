"""Workflows: scripts of four systems, YAML's strings character by character, expressions."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocmlint.formats.ci.workflow import parse
from rocmlint.formats.readers import yaml as read_yaml
from rocmlint.formats.readers.excerpt import Excerpt
from rocmlint.text.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.formats.model import Command
    from rocmlint.formats.readers.yaml import Value
    from rocmlint.text.text import Span

yaml = pytest.importorskip("yaml", reason="PyYAML tells what YAML means")


def at(text: str, span: Span) -> str:
    lines = Text(text)
    start = lines.offset_of(span.line) + span.column - 1
    return text[start : lines.offset_of(span.end_line) + span.end_column - 1]


def commands(text: str) -> list[list[str]]:
    return [[word.text for word in command.words] for command in parse(text).commands]


def last(text: str) -> Command:
    return parse(text).commands[-1]


def steps(*lines: str, before: str = "") -> str:
    body = textwrap.indent("\n".join(lines), "      ")
    return f"{before}jobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n{body}\n"


# Where scripts stand


@pytest.mark.parametrize(
    "text",
    [
        steps("- run: pip install x"),
        steps("- run: |", "    pip install x"),
        steps("- run: >-", "    pip", "    install x"),
        steps('- run: "pip \\', '    install x"'),
        steps("- run: pip", "    install x"),
        steps("- {run: 'pip install x', shell: bash}"),
        steps("- shell: bash -el {0}", "  run: pip install x"),
        steps("- uses: nick-fields/retry@v3", "  with:", "    command: pip install x"),
        "build:\n  script:\n    - pip install x\n",
        "runs:\n  using: composite\n  steps:\n  - run: pip install x\n    shell: bash\n",
        "build:\n  before_script: [pip install x]\n",
        ".a: &a\n  - pip install x\nbuild:\n  script:\n    - *a\n",
        "jobs:\n  b:\n    steps:\n      - run: {name: n, command: pip install x}\n",
        "steps:\n- script: pip install x\n",
        "steps:\n- task: Bash@3\n  inputs:\n    script: pip install x\n",
        "steps:\n- bash: pip install x\n",
    ],
)
def test_scripts_are_found(text: str) -> None:
    assert commands(text) == [["pip", "install", "x"]]


@pytest.mark.parametrize(
    "text",
    [
        steps("- name: pip install x"),
        steps("- shell: pwsh", "  run: pip install x"),
        steps("- shell: python", "  run: pip install x"),
        steps("- uses: actions/github-script@v7", "  with:", "    script: pip install x"),
        steps("- run: pip install x", before="defaults: {run: {shell: pwsh}}\n"),
        "jobs:\n  b:\n    runs-on: windows-latest\n    steps:\n      - run: pip install x\n",
    ],
)
def test_what_no_shell_runs_is_no_command(text: str) -> None:
    assert commands(text) == []


def test_words_stand_at_their_places() -> None:
    text = steps("- run: |", "    é=1", "    pip install a>=2 é", "- run: >", "   pip", "   b>1")
    found = parse(text).commands
    assert [at(text, word.span) for word in found[0].words] == ["pip", "install", "a", "é"]
    assert [at(text, each.span) for command in found for each in command.redirects] == [">=2", ">1"]


# Variables and expressions


@pytest.mark.parametrize(
    "text",
    [
        steps("- run: pip $V", before="env: {V: 1.2}\n"),
        steps("- run: pip $V", "  env:", "    V: '1.2'"),
        steps("- run: pip ${{ env.V }}", before="env:\n  V: 1.2\n"),
        "variables:\n  V: 1.2\nbuild:\n  script: pip $V\n",
        "variables:\n  V: {value: 1.2, description: d}\nbuild:\n  script: pip $V\n",
        "variables:\n- name: V\n  value: 1.2\nsteps:\n- bash: pip $V\n",
        "jobs:\n  b:\n    environment: {V: 1.2}\n    steps:\n      - run: pip $V\n",
        "build:\n  before_script: [export V=1.2]\n  script: [pip $V]\n",
    ],
)
def test_a_variable_with_a_value_is_put_in(text: str) -> None:
    assert (last(text).words[-1].text, last(text).words[-1].known) == ("1.2", True)


@pytest.mark.parametrize(
    "expression",
    ["${{ matrix.torch }}", "${{ env.V }}", "$[[ inputs.v ]]", "<< parameters.v >>", "$V"],
)
def test_an_expression_is_unknown(expression: str) -> None:
    word = last(steps(f"- run: pip torch=={expression}")).words[-1]
    assert (word.text, word.known) == (f"torch=={expression}", False)


def test_variables_reach_the_command() -> None:
    text = steps("- run: pip x", "  env: {B: '2'}", before="env: {A: 1, C: '${{ github.ref }}'}\n")
    assert last(text).variables == {"A": "1", "B": "2", "C": None}


# Images


@pytest.mark.parametrize(
    ("text", "image", "known"),
    [
        ("jobs: {a: {container: 'rocm/pytorch:latest'}}", "rocm/pytorch:latest", True),
        ("jobs: {a: {container: {image: rocm/dev}}}", "rocm/dev", True),
        ("image: rocm/dev", "rocm/dev", True),
        ("image: {name: rocm/dev}", "rocm/dev", True),
        ("jobs: {a: {docker: [{image: rocm/dev}]}}", "rocm/dev", True),
        ("env: {I: rocm/dev}\njobs: {a: {container: '${{ env.I }}:1'}}", "rocm/dev:1", True),
        ("jobs: {a: {container: '${{ matrix.i }}'}}", "${{ matrix.i }}", False),
    ],
)
def test_images(text: str, image: str, known: bool) -> None:
    assert [(each.text, each.known) for each in parse(text).images] == [(image, known)]


def test_broken_yaml_is_one_problem() -> None:
    (problem,) = parse("a: [\nb: c\n").problems
    assert problem.reason == "not valid YAML"


BROKEN = {
    "an expression in braces": "on: push\njobs:\n  t:\n    with: { v: ${{ m.x }} }\n    run: x\n",
    "Python that leaves its block": "a:\n  - run: |\n      python - <<E\nimport os\n      E\n",
    "a second colon": "name: CI\nkey: a: b\nrest: 1\n",
    "an item too far left": "a:\n  b: 1\n c: 2\nd: 3\n",
    "a key among items": "a:\n  - b\n  c: 1\nd: 1\n",
    "a mark that begins no value": "a: 1\nb: @x\nc: 1\n",
    "a template": "{{- if x }}\na: 1\n{{- end }}\n",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_broken_yaml_is_told_on_the_line_where_pyyaml_stops(text: str) -> None:
    with pytest.raises(yaml.MarkedYAMLError) as error:
        yaml.safe_load(text)
    (problem,) = parse(text).problems
    marks = filter(None, (error.value.context_mark, error.value.problem_mark))
    assert problem.line in {each.line + 1 for each in marks}


# What PyYAML says


def strings(value: Value) -> Iterator[Excerpt]:
    if isinstance(value, read_yaml.Scalar):
        yield value.text
    elif isinstance(value, read_yaml.Sequence):
        for each in value.values:
            yield from strings(each)
    else:
        for _, each in value.pairs:
            yield from strings(each)


line = st.text("ab 'é\"#:\\$-", max_size=8)
body = st.lists(line, min_size=1, max_size=6)


def block(header: str, lines: list[str]) -> str:
    return f"a:\n  b: {header}\n" + "".join(f"    {each}\n" if each else "\n" for each in lines)


def check(text: str) -> None:
    expected = yaml.safe_load(text)["a"]["b"]
    documents = read_yaml.read(Excerpt.of(text))
    assert isinstance(documents, list)
    (found,) = [each for document in documents for each in strings(document)]
    assert found.text.rstrip() == expected.rstrip()
    for position, sign in enumerate(found.text):
        if not sign.isspace() and found.is_literal(position, position + 1):
            assert text[found.starts[position]] == sign


@given(st.sampled_from(["|", "|-", "|+", ">", ">-", "|2", ">2"]), body)
@settings(max_examples=150)
def test_block_strings_are_those_of_pyyaml(header: str, lines: list[str]) -> None:
    # A first line of blanks leaves the indentation to guess, which parsers do in their own ways.
    lines = ["x" + lines[0], *(each.rstrip() for each in lines[1:])]
    check(block(header, lines))


@given(body)
@settings(max_examples=100)
def test_quoted_strings_are_those_of_pyyaml(lines: list[str]) -> None:
    single = "\n      ".join(each.replace("'", "''").strip() for each in ["x", *lines, "y"])
    check(f"a:\n  b: '{single}'\n")
    double = "\n      ".join(
        each.replace("\\", "\\\\").replace('"', '\\"').strip() for each in ["x", *lines, "\\x41y"]
    )
    check(f'a:\n  b: "{double}"\n')
