"""The page "Which ROCm, which torch?": tables and a picture of what the shipped tables know."""

from __future__ import annotations

from functools import cache
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from packaging.version import Version

from rocmlint.published import amd_wheels, rocm_wheels

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FAMILIES = {
    **dict.fromkeys(("gfx900", "gfx906"), "Vega"),
    **dict.fromkeys(("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1250"), "CDNA"),
    "gfx101": "RDNA 1",
    "gfx103": "RDNA 2",
    "gfx110": "RDNA 3",
    "gfx115": "RDNA 3.5",
    "gfx120": "RDNA 4",
}
"""What architectures are called, by the beginning of a GPU's name (LLVM's AMDGPUUsage has more)."""
MAKERS = ("PyTorch", "AMD")
_FILL = {"PyTorch": "#a83a1d", "AMD": "#006a75"}
"""Dark enough for white text, and to be seen on a light and on a dark page."""
_LEFT, _TOP, _WIDTH, _HEIGHT, _BAR = 78, 88, 63, 36, 15
"""Pixels: of the names of ROCm versions, of those of GPUs, and of a cell and a bar in it."""


_CENTERED = 'text-anchor="middle" fill="currentColor"'
_BOLD = f'font-weight="bold" {_CENTERED}'


class Column(NamedTuple):
    """GPUs of a family that the same wheels have code for."""

    gpus: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return what stands above the column, a line each."""
        if len(self.gpus) <= 2:
            return self.gpus
        return (self.gpus[0], f"to {self.gpus[-1][3:]}")


def which_picture() -> str:
    """Return the picture as SVG, with a title and a description for those who cannot see it."""
    columns, rows = _columns(), _versions()
    width, height = _LEFT + _WIDTH * len(columns) + 2, _TOP + _HEIGHT * len(rows) + 2
    parts = [
        '<div style="overflow-x: auto">',
        _open(width, height),
        '<title id="which-title">Which torch supports which GPU and ROCm</title>',
        f'<desc id="which-text">{escape(_description())}</desc>',
        *_legend(),
        *_families(columns),
        *(part for at, each in enumerate(columns) for part in _head(at, each)),
        *(part for at, each in enumerate(rows) for part in _row(at, each, columns)),
        "</svg>",
        "</div>",
    ]
    return "\n".join(parts)


def which_gpus() -> str:
    """Return a table: for each GPU, the newest wheels of PyTorch's and of AMD's."""
    rows = [
        "| GPU | sold as | PyTorch's newest | all of PyTorch's | AMD's newest, Linux | Windows |",
        "|---|---|---|---|---|---|",
    ]
    for gpu in _gpus():
        of_pytorch = [pair for pair, gpus in _built("PyTorch").items() if gpu in gpus]
        about = amd_wheels.device(gpu)
        rows.append(
            f"| {gpu} | {about.products if about else ''} | {_newest(of_pytorch)} "
            f"| {_span(torch for _, torch in of_pytorch)} | {_newest(_of_amd(gpu, 'linux'))} "
            f"| {_newest(_of_amd(gpu, 'windows'))} |"
        )
    return "\n".join(rows)


def which_versions() -> str:
    """Return a table: for each ROCm, the builds of torch of PyTorch and of AMD."""
    rows = ["| ROCm | PyTorch's torch | AMD's torch | AMD's index |", "|---|---|---|---|"]
    known = {*rocm_wheels.rocm_versions(), *amd_wheels.rocm_versions()}
    for rocm in sorted(known, key=Version, reverse=True):
        listed = [each for each in rocm_wheels.rows() if rocm in each.rocm]
        nightly = [each.torch for each in listed if each.status == "nightly"]
        said = _span(each.torch for each in listed if each.status != "nightly")
        said += f"{', ' if said else ''}{_span(nightly)} (nightly)" if nightly else ""
        builds = [each for each in amd_wheels.builds() if each.rocm == rocm]
        torch = _span(_minor(each.torch) for each in builds)
        links = dict.fromkeys(f"<{_page(each)}>" for each in builds)
        rows.append(f"| {rocm} | {said} | {torch} | {' '.join(links)} |")
    return "\n".join(rows)


def which_sources() -> str:
    """Return the sources of both tables, and the date of the newest row of each."""
    of_amd = (each.url for build in amd_wheels.builds() for each in build.sources)
    return (
        f"- PyTorch's wheels, newest row {rocm_wheels.as_of()}: the build matrices in "
        "<https://github.com/pytorch/test-infra> (which ROCm), the build scripts in "
        "<https://github.com/pytorch/pytorch> and <https://github.com/pytorch/builder> (which "
        "GPUs), PyPI (which Pythons); `rocmlint.published.rocm_wheels` has a source for each row."
        f"\n- AMD's wheels, newest row {amd_wheels.as_of()}: "
        f"{', '.join(f'<{each}>' for each in dict.fromkeys(of_amd))}."
    )


# What is known


@cache
def _built(maker: str) -> dict[tuple[str, str], frozenset[str]]:
    """Return the GPUs of each ROCm (to its minor version, where it is AMD's) and torch."""
    if maker == "PyTorch":
        return {
            (rocm, row.torch): frozenset(gpus.split())
            for row in rocm_wheels.rows()
            if row.status == "release"
            for rocm, gpus in row.gfx.items()
        }
    found: dict[tuple[str, str], frozenset[str]] = {}
    for each in amd_wheels.builds():
        if each.system == "linux" and each.devices:
            key = (_minor(each.rocm), _minor(each.torch))
            found[key] = found.get(key, frozenset()) | frozenset(each.devices)
    return found


def _of_amd(gpu: str, system: str) -> list[tuple[str, str]]:
    return [
        (each.rocm, _minor(each.torch))
        for each in amd_wheels.builds()
        if each.system == system and gpu in each.devices
    ]


def _torches(maker: str, rocm: str, gpu: str) -> tuple[str, ...]:
    """Return the minor versions of torch of a cell of the picture."""
    return tuple(
        torch for (version, torch), gpus in _built(maker).items() if version == rocm and gpu in gpus
    )


@cache
def _versions() -> tuple[str, ...]:
    """Return the ROCm versions of the picture, the newest first."""
    found = {rocm for maker in MAKERS for rocm, _ in _built(maker)}
    return tuple(sorted(found, key=Version, reverse=True))


@cache
def _gpus() -> tuple[str, ...]:
    found = {gpu for maker in MAKERS for gpus in _built(maker).values() for gpu in gpus}
    return tuple(sorted(found, key=lambda each: (len(each), int(each[3:], 16))))


def _columns() -> tuple[Column, ...]:
    """Put GPUs of a family together that differ in nothing that the picture shows."""

    def shown(gpu: str) -> tuple[object, ...]:
        cells = (_torches(maker, rocm, gpu) for maker in MAKERS for rocm in _versions())
        return (gpu[:-1], *cells)

    return tuple(Column(tuple(same)) for _, same in groupby(_gpus(), shown))


def _minor(version: str) -> str:
    found = Version(version)
    return f"{found.major}.{found.minor}"


def _newest(pairs: Iterable[tuple[str, str]]) -> str:
    """Return the newest torch with its ROCm, the newest where there are several."""
    found = max(pairs, key=lambda each: (Version(each[1]), Version(each[0])), default=None)
    return f"{found[1]}, ROCm {found[0]}" if found else ""


def _span(versions: Iterable[str]) -> str:
    """Return minor versions of torch in short: 2.9, 2.11 to 2.14."""
    known = [each.torch for each in rocm_wheels.rows()]
    places = sorted({known.index(each) for each in versions})
    runs = [
        [place for _, place in run]
        for _, run in groupby(enumerate(places), lambda each: each[1] - each[0])
    ]
    return ", ".join(
        known[run[0]] if len(run) == 1 else f"{known[run[0]]}\N{EN DASH}{known[run[-1]]}"
        for run in runs
    )


def _page(build: amd_wheels.Build) -> str:
    """Return the address of an index, or of the directory of those for each family."""
    return build.index.url.replace("{rocm}", build.rocm).replace("{family}/", "")


# The picture

_ABOUT = (
    "Columns are GPUs, rows are versions of ROCm, the newest first. A cell has the versions of "
    "torch whose wheels have code for these GPUs: the upper bar is PyTorch's own wheels, the "
    "lower one AMD's. The tables below the picture have the same facts as text."
)


def _description() -> str:
    lines = [_ABOUT]
    for rocm in _versions()[:3]:
        for maker in MAKERS:
            gpus = [gpu for gpu in _gpus() if _torches(maker, rocm, gpu)]
            if gpus:
                torches = _span({torch for gpu in gpus for torch in _torches(maker, rocm, gpu)})
                lines.append(f"ROCm {rocm}: {maker} has torch {torches} for {', '.join(gpus)}.")
    return " ".join(lines)


def _open(width: int, height: int) -> str:
    return (
        f'<svg role="img" aria-labelledby="which-title which-text" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" style="max-width: none; font-size: 10.5px" '
        'xmlns="http://www.w3.org/2000/svg">'
    )


def _legend() -> Iterator[str]:
    for at, maker in enumerate(MAKERS):
        x = _LEFT + at * 150
        yield f'<rect x="{x}" y="2" width="14" height="14" rx="2" fill="{_FILL[maker]}"/>'
        yield _text(x + 20, 13, f"{maker}'s wheels", 'fill="currentColor"')


def _families(columns: Iterable[Column]) -> Iterator[str]:
    """Yield a line and a name above the columns of each architecture."""
    places = groupby(enumerate(columns), lambda each: _family(each[1].gpus[0]))
    for name, same in places:
        at = [place for place, _ in same]
        x, end = _LEFT + at[0] * _WIDTH + 3, _LEFT + (at[-1] + 1) * _WIDTH - 3
        yield f'<path d="M{x} 48H{end}" stroke="currentColor" stroke-opacity="0.5"/>'
        yield _text((x + end) / 2, 42, name)


def _family(gpu: str) -> str:
    return next((name for start, name in FAMILIES.items() if gpu.startswith(start)), "")


def _head(at: int, column: Column) -> Iterator[str]:
    x = _LEFT + at * _WIDTH + _WIDTH / 2
    for line, name in enumerate(column.names):
        yield _text(x, 64 + 14 * line, name, _BOLD)


def _row(at: int, rocm: str, columns: Iterable[Column]) -> Iterator[str]:
    y = _TOP + at * _HEIGHT
    yield _text(_LEFT - 8, y + _HEIGHT / 2 + 4, f"ROCm {rocm}", _BOLD.replace("middle", "end"))
    for place, column in enumerate(columns):
        x = _LEFT + place * _WIDTH
        yield (
            f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" '
            'stroke="currentColor" stroke-opacity="0.25"/>'
        )
        for bar, maker in enumerate(MAKERS):
            torches = _torches(maker, rocm, column.gpus[0])
            if torches:
                yield from _one(x, y + 2 + bar * (_BAR + 2), maker, rocm, column, _span(torches))


def _one(  # noqa: PLR0913, PLR0917 - what a bar is made of
    x: float, y: float, maker: str, rocm: str, column: Column, torches: str
) -> Iterator[str]:
    """Yield a bar: the builds of one maker for a ROCm and some GPUs."""
    told = f"ROCm {rocm}, {', '.join(column.gpus)}: {maker} has torch {torches}"
    yield f"<g><title>{escape(told)}</title>"
    yield (
        f'<rect x="{x + 3}" y="{y}" width="{_WIDTH - 6}" height="{_BAR}" rx="2" '
        f'fill="{_FILL[maker]}"/>'
    )
    white = _CENTERED.replace("currentColor", "#fff")
    yield f"{_text(x + _WIDTH / 2, y + _BAR - 3.5, torches, white)}</g>"


def _text(x: float, y: float, text: str, style: str = _CENTERED) -> str:
    return f'<text x="{x:g}" y="{y:g}" {style}>{escape(text)}</text>'
