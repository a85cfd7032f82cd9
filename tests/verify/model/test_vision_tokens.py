"""``rocmlint verify model vision-tokens``: the images of a data set, counted by the processor."""

from __future__ import annotations

import base64
import io
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.verify.model.vision_tokens import results_of
from tests.support import tiny_vl

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.verify.result import Result
    from tests.support.project import Project

Image = pytest.importorskip("PIL.Image")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("model")]

SMALL = (280, 280)
"""100 tokens: 28 x 28 pixels are one."""
LARGE = (560, 560)
"""400 tokens."""


def healthy() -> Any:
    return tiny_vl.model(), tiny_vl.Processor()


def results(data: Path, build: Any = healthy, limit: int = 200) -> list[Result]:
    request = {"data": str(data), "images": None, "limit": limit, "worst": 5}
    return list(results_of(tiny_vl.ask("vision_tokens", build, **request), limit))


def picture(folder: Path, name: str, size: tuple[int, int] = SMALL) -> str:
    Image.new("RGB", size).save(folder / name)
    return name


def lines(folder: Path, *samples: Any) -> Path:
    path = folder / "data.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in samples))
    return path


def evidence(result: Result, name: str) -> list[str]:
    return [each.value for each in result.evidence if each.name == name]


def test_samples_below_the_limit_are_proven(tmp_path: Path) -> None:
    picture(tmp_path, "a.png")
    tokens, patches = results(tmp_path)
    assert (tokens.verdict, patches.verdict) == ("proven", "proven")
    assert tokens.seen == "1 sample, 1 image, at most 100 tokens, 0 over 200"


def test_the_worst_sample_is_named_with_the_size_that_fits(tmp_path: Path) -> None:
    picture(tmp_path, "a.png")
    picture(tmp_path, "b.png", LARGE)
    tokens = results(tmp_path)[0]
    assert (tokens.verdict, tokens.reason.partition(" of ")[0]) == ("contradicted", "1 sample")
    first = evidence(tokens, "most tokens")[0]
    assert first.startswith("b.png: 400 tokens: ")
    assert "560x560; fits at 406x406 (196 tokens)" in first
    assert "max_pixels=156800 (a token is 28x28 pixels)" in tokens.action


def test_the_size_that_fits_really_fits(tmp_path: Path) -> None:
    picture(tmp_path, "b.png", LARGE)
    picture(tmp_path, "b.png", (406, 406))
    assert results(tmp_path)[0].verdict == "proven"


def test_the_images_of_a_sample_count_together(tmp_path: Path) -> None:
    names = [picture(tmp_path, name) for name in ("a.png", "b.png", "c.png")]
    tokens = results(lines(tmp_path, {"images": names}, {"images": names[:1]}))[0]
    assert tokens.seen == "2 samples, 4 images, at most 300 tokens, 1 over 200"


@pytest.mark.parametrize(
    "sample",
    [
        {"image": "a.png"},
        {"images": ["a.png"], "messages": [{"content": "<image> what is a.txt?"}]},
        {"messages": [{"role": "user", "content": [{"type": "image", "image": "a.png"}]}]},
        {"messages": [{"content": [{"type": "image", "path": "a.png"}, {"text": "a"}]}]},
        {"images": ["a.png"], "messages": [{"content": [{"type": "image", "image": "a.png"}]}]},
    ],
)
def test_the_usual_shapes_of_samples_are_known(tmp_path: Path, sample: Any) -> None:
    picture(tmp_path, "a.png")
    assert results(lines(tmp_path, sample))[0].seen.startswith("1 sample, 1 image, at most 100")


def test_a_list_in_json_and_one_below_a_key(tmp_path: Path) -> None:
    sample = {"image": picture(tmp_path, "a.png")}
    path = tmp_path / "data.json"
    for document in ([sample, sample], {"version": 1, "samples": [sample, sample]}):
        path.write_text(json.dumps(document))
        assert results(path)[0].seen.startswith("2 samples, 2 images")


def test_an_image_inside_of_the_data(tmp_path: Path) -> None:
    held = io.BytesIO()
    Image.new("RGB", SMALL).save(held, "PNG")
    text = f"data:image/png;base64,{base64.b64encode(held.getvalue()).decode()}"
    assert results(lines(tmp_path, {"image": text}))[0].verdict == "proven"


def test_another_merge_size_than_the_models_is_contradicted(tmp_path: Path) -> None:
    picture(tmp_path, "a.png")
    build = lambda: (tiny_vl.model(), tiny_vl.Processor(merge_size=1))  # noqa: E731 - a factory
    tokens, patches = results(tmp_path, build)
    assert tokens.seen == "1 sample, 1 image, at most 400 tokens, 1 over 200"
    assert (patches.verdict, patches.seen) == (
        "contradicted",
        "merge size 1 and 2, patch size 14 and 14",
    )


def test_where_the_processor_enlarges_no_size_fits(tmp_path: Path) -> None:
    picture(tmp_path, "a.png")
    build = lambda: tiny_vl.Processor(min_pixels=500 * 784, max_pixels=900 * 784)  # noqa: E731
    (tokens,) = results(tmp_path, build)
    assert "no smaller size fits" in evidence(tokens, "most tokens")[0]


def broken(folder: Path) -> Path:
    """Write data of which one image is fine."""
    picture(folder, "a.png")
    (folder / "text.png").write_text("no image")
    cut = folder / picture(folder, "cut.png", LARGE)
    cut.write_bytes(cut.read_bytes()[:60])
    os.mkfifo(folder / "pipe.png")
    picture(folder, "thin.png", (1, 900))
    names = (
        "a.png",
        "text.png",
        "cut.png",
        "pipe.png",
        "thin.png",
        "absent.png",
        "https://a/b.png",
    )
    path = lines(folder, *({"image": each} for each in names))
    with path.open("a") as file:
        file.write("{not json\n\n" + "[" * 100_000 + "\n")
    return path


def test_what_cannot_be_read_is_unproven_and_named(tmp_path: Path) -> None:
    tokens = results(broken(tmp_path))[0]
    assert (tokens.verdict, tokens.reason) == ("unproven", "8 images or lines could not be read")
    assert tokens.seen.startswith("9 samples, 1 image, at most 100 tokens")
    told = evidence(tokens, "not read")
    assert "not a regular file" in " ".join(told)
    assert told[-1] == "and 3 more"


def test_over_the_limit_is_contradicted_beside_what_cannot_be_read(tmp_path: Path) -> None:
    assert results(broken(tmp_path), limit=50)[0].verdict == "contradicted"


def test_videos_are_not_counted_and_said_to_be(tmp_path: Path) -> None:
    sample = {"images": [picture(tmp_path, "a.png"), "b.mp4"]}
    assert results(lines(tmp_path, sample))[0].reason == "1 video were not counted"


def test_a_folder_without_images_proves_nothing(tmp_path: Path) -> None:
    assert results(tmp_path)[0].reason == "no image was found in the data"


def test_images_of_which_no_token_is_made_prove_nothing(tmp_path: Path) -> None:
    class Other(tiny_vl.Processor):
        """Names another id than the one that it writes."""

        def __call__(self, **_: Any) -> dict[str, list[list[int]]]:
            return {"input_ids": [[self.image_token_id + 1] * 4]}

    picture(tmp_path, "a.png")
    assert results(tmp_path, Other)[0].reason == "the processor made no token of 1 image"


def test_without_a_processor_nothing_is_proven(tmp_path: Path) -> None:
    (only,) = results(tmp_path, tiny_vl.model)
    assert (only.verdict, only.reason) == ("unproven", "there is no processor of images to ask")


MINE = """\
from tests.support.tiny_vl import Processor
def processor():
    return Processor()
"""


def run(project: Project, *arguments: str) -> tuple[int, str, str]:
    project.write("mine.py", MINE)
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
    command = ("verify", "model", "mine:processor", "vision-tokens", *arguments)
    ran = project.run(*command, PYTHONPATH=root)
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.parametrize("name", ["plot.svg", "plot.png"])
def test_the_histogram_is_drawn(project: Project, name: str) -> None:
    pytest.importorskip("matplotlib")
    picture(project.root, "a.png")
    picture(project.root, "b.png", LARGE)
    code, _, err = run(project, ".", "--plot", name)
    assert code == 1, err
    if name.endswith(".png"):
        assert Image.open(project.root / name).size[0] > 800
    else:
        assert "vision tokens per sample" in (project.root / name).read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("absent.json",), "absent.json: no such file or directory"),
        (("pipe.json",), "pipe.json: not a regular file"),
        (("broken.json",), "not JSON"),
        (("text.json",), "holds str instead of a list of samples"),
        (("huge.json",), "larger than 2 GB"),
        ((".", "--limit", "0"), "not a whole number of at least 1"),
        ((".", "--plot", "a.pdf"), "must end with .svg or .png"),
        ((".", "--plot", "no/where.svg"), "no such directory"),
    ],
)
def test_data_that_cannot_be_read_is_one_error(
    project: Project, arguments: tuple[str, ...], message: str
) -> None:
    os.mkfifo(project.root / "pipe.json")
    project.write("broken.json", "[1, 2")
    project.write("text.json", '"a"')
    with (project.root / "huge.json").open("wb") as file:
        file.truncate(3_000_000_000)
    code, out, err = run(project, *arguments)
    assert (code, out) == (2, "")
    assert message in err
