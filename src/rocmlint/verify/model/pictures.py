"""Drawing what was measured, as SVG or PNG: the histogram of tokens, the memory of each step."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rocmlint.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.verify.model.trend import Trend

_BINS = 40
_BLUE, _RED, _GRAY = "#2f6f9f", "#c0392b", "#777777"


def histogram(path: str, counts: Sequence[tuple[int, int]], limit: int) -> None:
    """Draw how many samples have how many tokens. Raises ConfigError where it cannot be written."""
    figure, axes = _figure()
    values = [value for value, _ in counts]
    weights = [many for _, many in counts]
    largest = max([limit, *values])
    edges = [largest * 1.05 * each / _BINS for each in range(_BINS + 1)]
    axes.hist(values, bins=edges, weights=weights, color=_BLUE, edgecolor="white", linewidth=0.4)
    over = sum(many for value, many in counts if value > limit)
    axes.axvline(limit, color=_RED, linestyle="--", label=f"limit {limit:,}: {over:,} samples over")
    axes.set_xlabel("vision tokens per sample")
    axes.set_ylabel("samples")
    axes.set_title(f"Vision tokens of {sum(weights):,} samples")
    axes.legend()
    _save(figure, path)


def steps(path: str, values: Sequence[int], warm_up: int, line: Trend, what: str) -> None:
    """Draw the bytes after each step and the fitted line. Raises ConfigError."""
    figure, axes = _figure()
    scale, unit = _unit(max(values))
    numbers = range(1, len(values) + 1)
    measured = numbers[warm_up:]
    axes.axvspan(0.5, warm_up + 0.5, color="#eeeeee", label="warm-up, not fitted")
    axes.plot(
        numbers, [each / scale for each in values], "o-", color=_BLUE, markersize=3, label=what
    )
    ends = [line.start, line.start + line.slope * (len(measured) - 1)]
    color = _RED if line.kind == "grows" else _GRAY
    label = f"{line.slope:+,.1f} ± {line.error:,.1f} bytes per step"
    axes.plot(
        [measured[0], measured[-1]], [each / scale for each in ends], "--", color=color, label=label
    )
    axes.set_xlabel("step")
    axes.set_ylabel(f"{unit} after the step")
    words = {"grows": "a leak", "stays": "no leak"}
    axes.set_title(f"Memory of {len(values)} steps: {words.get(line.kind, 'not proven')}")
    axes.ticklabel_format(axis="y", useOffset=False)
    low, high = min(values) / scale, max(values) / scale
    room = max(high - low, high * 0.01, 1e-9) * 0.15
    axes.set_ylim(low - room, high + room)
    axes.legend()
    _save(figure, path)


def _unit(largest: int) -> tuple[float, str]:
    """Return how many bytes a unit has, and its name."""
    units = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
    return next((each for each in units if largest >= each[0]), (1.0, "bytes"))


def _figure() -> tuple[Any, Any]:
    """Return an empty drawing; without pyplot, which would look for a display."""
    figure: Any = import_module("matplotlib.figure").Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    return figure, axes


def _save(figure: Any, path: str) -> None:
    try:
        figure.savefig(path, dpi=130)
    except OSError as error:
        message = f"--plot {path}: cannot be written: {error.strerror}"
        raise ConfigError(message) from error
