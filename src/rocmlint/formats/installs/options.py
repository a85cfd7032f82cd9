"""The options of tools that install packages, as far as it matters what they mean.

Sources: the help of pip 26, uv 0.9, Poetry 2, PDM 2 and conda 25.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Tool(NamedTuple):
    """How a tool is told what to install."""

    name: str
    verbs: frozenset[str]
    options: Mapping[str, tuple[str, ...]]
    """Options by what they mean."""
    valued: frozenset[str]
    """Options that the next word belongs to."""
    variables: Mapping[str, tuple[str, ...]]
    """Environment variables by the meaning of the option that they stand for."""

    def meaning(self, what: str) -> tuple[str, ...]:
        """Return the options that mean a thing."""
        return self.options.get(what, ())


_WITH_VALUE = (
    "editable", "file", "constraint", "index", "extra index", "upgrade strategy", "torch backend",
    "placed", "requirement",
)  # fmt: skip
"""The meanings whose options take a value."""


def _tool(
    name: str,
    verbs: str,
    options: Mapping[str, str],
    other_valued: str = "",
    variables: Mapping[str, str] | None = None,
) -> Tool:
    meanings = {meaning: tuple(names.split()) for meaning, names in options.items()}
    valued = {name for meaning in _WITH_VALUE for name in meanings.get(meaning, ())}
    meanings["elsewhere"] = (*meanings.get("elsewhere", ()), *meanings.pop("placed", ()))
    return Tool(
        name,
        frozenset(verbs.split()),
        meanings,
        frozenset({*valued, *other_valued.split()}),
        {meaning: tuple(names.split()) for meaning, names in (variables or {}).items()},
    )


_UV_OTHER = (
    "-b --build-constraint --build-constraints --excludes --extra --group --index-strategy"
    " --keyring-provider -P --upgrade-package --reinstall-package --resolution --prerelease"
    " --fork-strategy --exclude-newer --exclude-newer-package --link-mode -C --config-setting"
    " --config-settings --config-settings-package --no-build-isolation-package --python-version"
    " --python-platform --no-build-package --no-binary --only-binary --no-binary-package"
    " --refresh-package --cache-dir --color --allow-insecure-host --trusted-host --directory"
    " --project --config-file --no-sources-package"
)
_UV_INDEXES = {
    "index": "-i --index-url --default-index",
    "extra index": "--extra-index-url --index -f --find-links",
}
_UV_VARIABLES = {
    "index": "UV_DEFAULT_INDEX UV_INDEX_URL",
    "extra index": "UV_INDEX UV_EXTRA_INDEX_URL UV_FIND_LINKS",
    "constraint": "UV_CONSTRAINT UV_OVERRIDE",
    "torch backend": "UV_TORCH_BACKEND",
}

TOOLS = {
    each.name: each
    for each in (
        _tool(
            "pip",
            "install",
            {
                "editable": "-e --editable",
                "file": "-r --requirement --requirements",
                "constraint": "-c --constraint --constraints",
                "index": "-i --index-url --index --pypi-url",
                "extra index": "--extra-index-url --extra-index -f --find-links",
                "no index": "--no-index",
                "no dependencies": "--no-deps --no-dependencies --no-dep",
                "upgrade": "-U --upgrade",
                "upgrade strategy": "--upgrade-strategy",
                "dry run": "--dry-run",
                "placed": "-t --target --prefix --root --python",
            },
            "--build-constraint --platform --python-version --implementation --abi --src -C"
            " --config-setting --config-settings --global-option --install-option --no-binary"
            " --only-binary --progress-bar --root-user-action --report --group --log --log-file"
            " --keyring-provider --proxy --retries --timeout --default-timeout --exists-action"
            " --trusted-host --cert --client-cert --cache-dir --use-feature --use-deprecated"
            " --resume-retries --uploaded-prior-to",
            {
                "index": "PIP_INDEX_URL",
                "extra index": "PIP_EXTRA_INDEX_URL PIP_FIND_LINKS",
                "constraint": "PIP_CONSTRAINT",
                "no dependencies": "PIP_NO_DEPS PIP_NO_DEPENDENCIES",
            },
        ),
        _tool(
            "uv",
            "install sync",
            {
                **_UV_INDEXES,
                "editable": "-e --editable",
                "file": "-r --requirement --requirements",
                "constraint": "-c --constraint --constraints --override --overrides",
                "no index": "--no-index",
                "no dependencies": "--no-deps",
                "upgrade": "-U --upgrade",
                "torch backend": "--torch-backend",
                "dry run": "--dry-run",
                "placed": "--target --prefix -p --python",
            },
            _UV_OTHER,
            _UV_VARIABLES,
        ),
        _tool(
            "uv add",
            "add",
            {
                **_UV_INDEXES,
                "file": "-r --requirement --requirements",
                "constraint": "-c --constraint --constraints",
                "upgrade": "-U --upgrade",
                "placed": "--script",
            },
            _UV_OTHER + " --optional --bounds -m --marker --rev --tag --branch --package -p"
            " --python",
            _UV_VARIABLES,
        ),
        _tool(
            "uv sync",
            "sync",
            {**_UV_INDEXES, "dry run": "--dry-run", "placed": "--script"},
            _UV_OTHER + " -p --python --package --no-install-package --no-group --only-group",
            _UV_VARIABLES,
        ),
        _tool(
            "uv run",
            "run",
            {
                **_UV_INDEXES,
                "requirement": "-w --with",
                "editable": "--with-editable",
                "file": "--with-requirements",
                "torch backend": "--torch-backend",
            },
            _UV_OTHER + " -p --python --package --env-file --no-group --only-group",
            _UV_VARIABLES,
        ),
        _tool(
            "poetry",
            "add",
            {"dry run": "--dry-run"},
            "-G --group -E --extras --python --platform --markers --source -C --directory -P"
            " --project",
        ),
        _tool(
            "pdm",
            "add",
            {"editable": "-e --editable", "dry run": "--dry-run"},
            "-G --group -L --lockfile -p --project --override",
        ),
        _tool(
            "conda",
            "install create update upgrade",
            {
                "file": "--file -f",
                "no dependencies": "--no-deps",
                "dry run": "-d --dry-run",
            },
            "-c --channel -n --name -p --prefix --solver --repodata-fn",
        ),
    )
}
