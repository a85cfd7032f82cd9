"""What install commands install: options of pip, uv, Poetry, PDM and conda."""

from __future__ import annotations

import pytest

from rocmlint.formats.installs.install import Install, install_of
from rocmlint.formats.scripts.shell.script import parse


def install(script: str) -> Install:
    found = install_of(parse(script).commands[-1])
    assert found is not None
    return found


def names(script: str) -> list[str | None]:
    return [each.name for each in install(script).requirements]


@pytest.mark.parametrize(
    ("command", "tool"),
    [
        ("pip install x", "pip"),
        ("pip3.11 install x", "pip"),
        ("pip --no-cache-dir --proxy http://p install x", "pip"),
        ("/venv/bin/pip install x", "pip"),
        ('"$VENV"/bin/pip3 install x', "pip"),
        ("python -m pip install x", "pip"),
        ("python3 -u -Im pip install x", "pip"),
        ('"${PYTHON:-python3}" -m pip install x', "pip"),
        ("$PIP install x", "pip"),
        ("$SUDO pip install x", "pip"),
        ("sudo -H pip install x", "pip"),
        ("uv pip install x", "uv"),
        ("uv -q pip install x", "uv"),
        ("python -m uv pip install x", "uv"),
        ("uv add x", "uv add"),
        ("uv --directory app add x", "uv add"),
        ("poetry add x", "poetry"),
        ("pdm add x", "pdm"),
        ("mamba install x", "conda"),
        ("uv run pip install x", "pip"),
    ],
)
def test_a_tool_is_known_however_it_is_called(command: str, tool: str) -> None:
    found = install(command)
    assert (found.tool, [each.name for each in found.requirements]) == (tool, ["x"])


@pytest.mark.parametrize(
    "command",
    ["pip", "pip list", "pip download x", "pip wheel x", "pip uninstall install", "pip --version",
     "python -m build", "uv lock", "uv pip compile x", "uv", "poetry install", "npm install x",
     "echo pip install x", "conda activate x", "python pip install x"],
)  # fmt: skip
def test_other_commands_install_nothing(command: str) -> None:
    assert install_of(parse(command).commands[-1]) is None


@pytest.mark.parametrize(
    ("word", "name", "requirement"),
    [
        ("'torch>=2,<3'", "torch", "torch<3,>=2"),
        ("Flash_Attn[all]", "flash-attn", "Flash_Attn[all]"),
        ('"a @ https://x/a.whl"', "a", "a @ https://x/a.whl"),
        ("'a; python_version<\"3\"'", "a", 'a; python_version < "3"'),
        ("torch==$V", "torch", None),
        ("torch=2", "torch=2", None),
    ],
)
def test_requirements_are_parsed(word: str, name: str, requirement: str | None) -> None:
    found = install(f"pip install {word}")
    if name == "torch=2":  # pip refuses it
        assert [each.requirement for each in found.requirements] == [None]
        return
    (only,) = found.requirements
    assert only.name == name
    assert (None if only.requirement is None else str(only.requirement)) == requirement


@pytest.mark.parametrize(
    "word",
    [".", ".[dev]", "./a", "../a", "/opt/a.whl", "dist/*.whl", "a.whl", "https://x/a.whl",
     "git+https://x/y@v#egg=z", "file:///a", '"$DIR"/a.whl', "-e .", "--editable=."],
)  # fmt: skip
def test_locations_stand_apart(word: str) -> None:
    found = install(f"pip install {word}")
    assert (len(found.locations), found.requirements, found.unclear) == (1, (), ())


def test_unknown_words_are_unclear() -> None:
    found = install('pip install $OPTIONS "${PACKAGES[@]}" x')
    assert [each.text for each in found.unclear] == ["$OPTIONS", "${PACKAGES[@]}"]
    assert [each.name for each in found.requirements] == ["x"]


@pytest.mark.parametrize(
    ("arguments", "files"),
    [("-r a.txt", ["a.txt"]), ("-ra.txt", ["a.txt"]), ("-qUr a.txt -r b", ["a.txt", "b"]),
     ("--requirement=a.txt x", ["a.txt"])],
)  # fmt: skip
def test_files_of_requirements(arguments: str, files: list[str]) -> None:
    assert [each.text for each in install(f"pip install {arguments}").files] == files


@pytest.mark.parametrize(
    ("word", "columns"),
    [
        pytest.param("--index-url=https://x", (25, 34), id="of its own"),
        pytest.param('"--index-url=https://x"', (13, 36), id="quotes: that of the whole word"),
        pytest.param('--index-url="https://x"', (13, 36), id="quotes within it: the same"),
        pytest.param("-ihttps://x", (15, 24), id="behind a letter"),
    ],
)
def test_a_value_behind_its_option_has_its_own_place_as_far_as_it_is_known(
    word: str, columns: tuple[int, int]
) -> None:
    (found,) = install(f"pip install {word} y").indexes
    assert found.url == "https://x"
    assert (found.word.span.column, found.word.span.end_column) == columns


@pytest.mark.parametrize(
    ("script", "constraints"),
    [
        ("pip install -c c.txt x", ["c.txt"]),
        ("PIP_CONSTRAINT='a.txt b.txt' pip install -c c.txt x", ["c.txt", "a.txt", "b.txt"]),
        ("export PIP_CONSTRAINT=c.txt\npip install x", ["c.txt"]),
        ("export PIP_CONSTRAINT=$1\npip install x", ["$PIP_CONSTRAINT"]),
        ("uv pip install --override o.txt x", ["o.txt"]),
        ("UV_OVERRIDE=o.txt uv pip install x", ["o.txt"]),
        ("export PIP_CONSTRAINT=c.txt\nuv pip install x", []),
        ("export UV_CONSTRAINT=c.txt\npip install x", []),
    ],
)
def test_constraints(script: str, constraints: list[str]) -> None:
    assert [each.text for each in install(script).constraints] == constraints


@pytest.mark.parametrize(
    ("script", "indexes"),
    [
        ("pip install x -i https://a", [("https://a", False)]),
        ("pip install x --extra-index-url https://a", [("https://a", True)]),
        ("pip install x -f https://a", [("https://a", True)]),
        ("PIP_INDEX_URL=https://a pip install x", [("https://a", False)]),
        ("PIP_INDEX_URL=https://a pip install -i https://b x", [("https://b", False)]),
        ("PIP_EXTRA_INDEX_URL='https://a https://b' pip install x",
         [("https://a", True), ("https://b", True)]),
        ("U=https://a\npip install x --index-url $U/rocm6.2", [("https://a/rocm6.2", False)]),
        ("uv pip install x --index rocm=https://a", [("https://a", True)]),
        ("uv pip install x --default-index https://a", [("https://a", False)]),
        ("UV_INDEX=rocm=https://a uv pip install x", [("https://a", True)]),
    ],
)  # fmt: skip
def test_indexes(script: str, indexes: list[tuple[str, bool]]) -> None:
    assert [(each.url, each.extra) for each in install(script).indexes] == indexes


def test_an_unknown_index_says_so() -> None:
    (found,) = install("pip install x --index-url $1").indexes
    assert not found.word.known


@pytest.mark.parametrize(
    ("arguments", "field", "value"),
    [
        ("--no-deps x", "no_dependencies", True),
        ("-U x", "upgrade", True),
        ("-qU x", "upgrade", True),
        ("--upgrade-strategy eager x", "upgrade_strategy", "eager"),
        ("--no-index x", "no_index", True),
        ("--dry-run x", "dry_run", True),
        ("--target d x", "elsewhere", True),
        ("-t d x", "elsewhere", True),
        ("x", "no_dependencies", False),
    ],
)
def test_options_of_pip(arguments: str, field: str, value: object) -> None:
    found = install(f"pip install {arguments}")
    assert getattr(found, field) == value
    assert [each.name for each in found.requirements] == ["x"]


def test_pip_reads_no_deps_from_its_environment() -> None:
    assert install("PIP_NO_DEPS=1 pip install x").no_dependencies
    assert not install("PIP_NO_DEPS=0 pip install x").no_dependencies


@pytest.mark.parametrize(
    "script", ["uv pip install --torch-backend=rocm6.3 x", "UV_TORCH_BACKEND=rocm6.3 uv add x"]
)
def test_the_backend_of_uv(script: str) -> None:
    assert install(script).torch_backend == "rocm6.3"


@pytest.mark.parametrize(
    ("script", "requirements"),
    [
        ("poetry add torch@^2.1 -G dev", ["torch<3.0,>=2.1"]),
        ("poetry add torch@latest", ["torch"]),
        ("pdm add 'torch>=2' -dG test", ["torch>=2"]),
    ],
)
def test_requirements_of_projects_tools(script: str, requirements: list[str]) -> None:
    assert [str(each.requirement) for each in install(script).requirements] == requirements


def test_conda_has_names_only() -> None:
    (found,) = install("conda install -y -c pytorch pytorch::pytorch=$V").requirements
    assert (found.name, found.requirement) == ("pytorch", None)


def test_a_sync_installs_what_the_lock_says() -> None:
    found = install("uv -q sync --frozen --extra train")
    assert (found.tool, found.requirements, found.unclear) == ("uv sync", (), ())
