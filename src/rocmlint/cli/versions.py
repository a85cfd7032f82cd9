"""Two versions of a project: the files as they are, and a commit that is linted elsewhere."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.cli.changes import TERMINATED
from rocmlint.cli.job import RunState
from rocmlint.cli.progress import Progress
from rocmlint.disk.read import MAXIMUM_BYTES, MAXIMUM_READ
from rocmlint.git.tree import export
from rocmlint.lint.discovery.discover import may_be_linted
from rocmlint.lint.run import Options, run
from rocmlint.report.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rocmlint.cli.job import Job
    from rocmlint.config.configuration import Configuration
    from rocmlint.config.settings import Settings
    from rocmlint.findings import Finding
    from rocmlint.git.repository import Repository

_DATA = (
    *(".bin", ".ckpt", ".gguf", ".h5", ".npy", ".npz", ".onnx", ".pt", ".pth", ".safetensors"),
    *(".arrow", ".parquet", ".pkl", ".tar", ".gz", ".bz2", ".xz", ".zip", ".zst", ".whl", ".so"),
    *(".gif", ".ico", ".jpeg", ".jpg", ".pdf", ".png", ".svg", ".tif", ".tiff", ".webp"),
    *(".flac", ".mkv", ".mov", ".mp3", ".mp4", ".ogg", ".wav", ".webm", ".otf", ".ttf", ".woff2"),
)
"""How files end that no rule reads: of a commit they are not unpacked."""


class Commit(NamedTuple):
    """A commit whose files are below a folder, each where it would be if that were ``/``."""

    above: str
    top: str
    files: Sequence[str]
    """From the top of the repository."""
    elsewhere: Sequence[str] = ()
    """Of these only pointers of Git LFS are there."""

    def place(self, path: str) -> str:
        """Return where the commit has an absolute path of the working tree."""
        return self.above + os.path.splitdrive(path)[1]

    def lint(
        self,
        job: Job,
        paths: Iterable[str],
        only: Iterable[str] | None = None,
        codes: tuple[str, ...] = (),
    ) -> RunState:
        """Lint absolute paths of the working tree, as the commit has them, each place of a fault.

        The settings are those of the working tree, and what is found names the files there. Of the
        files below the paths ``only`` some are linted, with the rules of these ``codes``, where
        they are given.
        """
        texts: dict[str, str] = {}
        progress = Progress(shown=not job.flags.quiet)
        options = Options(
            jobs=job.flags.jobs,
            force_exclude=job.flags.force_exclude,
            folds=False,
            only=None if only is None else frozenset(map(self.place, only)),
            progress=progress,
            texts=texts,
        )
        try:
            settings_for = self._settings_for(job.configuration, codes)
            outcome = run([self.place(path) for path in paths], settings_for, options)
        finally:
            progress.close()
        lines = Lines(texts)
        return RunState(
            [self._restored(each) for each in outcome.findings],
            [self._text(each) for each in outcome.problems],
            outcome.files,
            [self._text(each) for each in outcome.remarks],
            texts={
                self._short_path(each.path): texts.get(each.path)
                or "\n".join(lines.lines_of(each.path))
                for each in outcome.findings
            },
        )

    def _settings_for(
        self, configuration: Configuration, codes: tuple[str, ...]
    ) -> Callable[[str], Settings]:
        made: dict[tuple[int, str], Settings] = {}

        def settings_for(folder: str) -> Settings:
            settings = configuration.settings_for(folder.removeprefix(self.above) or os.sep)
            key = (id(settings), settings.root)
            if key not in made:  # one object for each, as a run expects
                settings = settings._replace(root=self.place(settings.root))
                made[key] = settings._replace(select=codes) if codes else settings
            return made[key]

        return settings_for

    def _restored(self, finding: Finding) -> Finding:
        claims = tuple(
            replace(each, command=self._text(each.command), path=self._short_path(each.path))
            for each in finding.claims
        )
        return replace(
            finding,
            path=self._short_path(finding.path),
            message=self._text(finding.message),
            help=self._text(finding.help),
            claims=claims,
            once=self._text(finding.once),
        )

    def _short_path(self, path: str) -> str:
        return path.removeprefix(self.above).removeprefix(os.path.join(os.getcwd(), ""))

    def _text(self, text: str) -> str:
        return text.replace(self.above, "")


@contextmanager
def unpacked(repository: Repository, commit: str) -> Iterator[Commit]:
    """Write the files of a commit to a temporary folder, and delete it in the end.

    Raises GitError.
    """
    # Whoever ends us shall find nothing left over.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    with tempfile.TemporaryDirectory(prefix="rocmlint-") as folder:
        above = os.path.realpath(folder)
        root = above + os.path.splitdrive(repository.top)[1]
        os.makedirs(os.path.join(root, ".git"))  # to rules, it marks the top of a project
        written = export(repository.git, commit, root, _is_read)
        yield Commit(above, repository.top, written.paths, written.elsewhere)


def _is_read(path: str, size: int) -> bool:
    """Return whether the content of a file can matter to a rule."""
    if may_be_linted(path):
        return size <= MAXIMUM_READ
    return size <= MAXIMUM_BYTES and not path.lower().endswith(_DATA)
