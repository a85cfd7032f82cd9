"""``rocmlint stack index-url``: prints where torch's wheels for a version of ROCm are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.cli.stack.chosen import add_rocm_arguments, add_wheel_arguments, tell, wanted_of
from rocmlint.cli.stack.common import Help, add_output_format, print_document
from rocmlint.stack.wheels.install import with_extras
from rocmlint.stack.wheels.wheel_sources import index

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator
    from types import SimpleNamespace

    from rocmlint.stack.wheels.install import Wheels

HELP = Help(
    "[--rocm VERSION] [--gpu GFX] [--nightly]",
    "Print only the URL of the package index that has torch wheels for a ROCm version:\n\n  "
    "pip install torch --index-url $(rocmlint stack index-url --rocm 7.1)",
    "exit codes: 0 printed, 2 there are no wheels for this version, or usage error",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint stack index-url``."""
    add_rocm_arguments(parser)
    add_wheel_arguments(parser)
    add_output_format(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint stack index-url``."""
    wanted, notes = wanted_of(flags)
    wheels = index(wanted, flags.source, flags.index_url)
    notes = (*notes, *wheels.notes, *_how_to_use(wheels))
    if flags.output_format == "json":
        said = {
            "rocm": wheels.rocm,
            "url": wheels.url,
            "nightly": wheels.nightly,
            "source": wheels.source,
            "gpus": wanted.gpus,
            "system": wheels.system,
        }
        return print_document("index-url", 0, **said, notes=notes)
    tell(notes)
    print(wheels.url)
    return 0


def _how_to_use(wheels: Wheels) -> Iterator[str]:
    """Say what ``--index-url`` and the name of torch alone do not install."""
    if wheels.source == "radeon":
        yield "it is a page of files, not an index: pass it with --find-links, not --index-url"
    if wheels.extras:
        torch = with_extras("torch", wheels.extras)
        yield f"in this index the code for GPUs is an extra: install {torch}"
