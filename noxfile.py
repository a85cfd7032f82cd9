"""What CI checks, one session each: ``nox -l`` lists them, ``nox -s lint`` runs one."""

from __future__ import annotations

import nox

nox.options.sessions = ["lint", "types", "tests", "docs"]
nox.options.error_on_missing_interpreters = False


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, format, and rocmlint's own rules."""
    session.install("-e", ".[dev]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("rocmlint", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of everything, tools and docs included."""
    session.install("-e", ".[dev]")
    session.run("mypy")


@nox.session(python=["3.10", "3.11", "3.12", "3.13", "3.14"])
def tests(session: nox.Session) -> None:
    """Run all tests but the slow ones, or what follows ``--``."""
    session.install("-e", ".[dev]")
    session.run("pytest", *(session.posargs or ["-n", "auto", "-m", "not slow"]))


@nox.session
def docs(session: nox.Session) -> None:
    """Build the pages into site/; a broken link is an error."""
    session.install("-e", ".[docs]")
    session.run("mkdocs", "build", "--strict")


@nox.session(python=False)
def vscode(session: nox.Session) -> None:
    """Check, test and package the VS Code extension; it needs Node.js 20 and npm."""
    with session.chdir("editors/vscode"):
        for command in ("ci", "run lint", "test"):
            session.run("npm", *command.split(), external=True)
        session.run("npx", "vsce", "package", external=True)


@nox.session
def ecosystem(session: nox.Session) -> None:
    """Lint the pinned packages: each finding has a judgement; what is downloaded is kept."""
    session.install("-e", ".[dev]")
    work = session.cache_dir / "ecosystem"
    ways = session.posargs or ["--check"]
    session.run("python", "-m", "benchmarks.ecosystem", "--work", str(work), *ways)
