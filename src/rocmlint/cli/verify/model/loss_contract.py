"""``rocmlint verify model loss-contract``: what one compute_loss returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.cli.verify.common import finish, help_of
from rocmlint.cli.verify.model.common import add_model_arguments, asking_of
from rocmlint.verify.model.loss_contract import check

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import SimpleNamespace

HELP = help_of(
    "PKG.MOD:FACTORY",
    "Compute the loss once, with compute_loss of the trainer of the factory or with the model "
    "itself, and check that it is a finite scalar with finite gradients, and that metrics are "
    "plain floats. NaN and infinity are traced to the module and the line.",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what follows ``rocmlint verify model loss-contract``."""
    add_model_arguments(parser)


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint verify model loss-contract``."""
    return finish(check(asking_of(flags)), flags)
