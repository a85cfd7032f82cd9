"""Reading from package indexes that answer wrongly, or not at all."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest

from rocmlint.stack.indexes import fetch
from rocmlint.stack.indexes.fetch import FetchError, IndexReader, OutOfTimeError, UnreachableError
from rocmlint.stack.indexes.simple_index import (
    IndexFile,
    project_files,
    read_page,
    release_of,
    wheel_of,
)
from tests.support.package_index import Page, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.package_index import PackageIndex


def get(index: PackageIndex, path: str = "/page", seconds: float = 20) -> fetch.IndexAnswer:
    return IndexReader(seconds).get(f"{index.url}{path}")


def test_a_page_is_read(index: PackageIndex) -> None:
    index.pages["/page"] = Page(b"hello", "text/html; charset=utf-8")
    assert get(index) == fetch.IndexAnswer(f"{index.url}/page", "text/html", b"hello", 5)


def test_a_page_that_is_missing_is_told_with_its_address(index: PackageIndex) -> None:
    with pytest.raises(FetchError, match=rf"{index.url}/page: HTTP 404"):
        get(index)


def test_a_page_of_too_many_bytes_is_not_read(index: PackageIndex) -> None:
    index.pages["/page"] = Page(bytes(3 << 20))
    with pytest.raises(FetchError, match="larger than 2 MiB"):
        IndexReader(20).get(f"{index.url}/page", most=2 << 20)
    with pytest.raises(FetchError, match="larger than 1 MiB"):
        IndexReader(20, most=1 << 20).get(f"{index.url}/page")


def test_a_page_that_is_cut_is_not_taken(index: PackageIndex) -> None:
    close = (("Content-Length", "99"), ("Connection", "close"))
    index.pages["/page"] = Page(b"half of", headers=close)
    with pytest.raises(FetchError, match=r"7 of 99 bytes|IncompleteRead|7 bytes read"):
        get(index)


def test_a_page_that_is_compressed_unasked_is_not_unpacked(index: PackageIndex) -> None:
    index.pages["/page"] = Page(b"\x1f\x8b", headers=(("Content-Encoding", "gzip"),))
    with pytest.raises(FetchError, match="compressed"):
        get(index)


def test_a_redirect_is_followed(index: PackageIndex) -> None:
    index.pages["/page"] = Page(b"", status=301, headers=(("Location", "/there"),))
    index.pages["/there"] = Page(b"found")
    assert get(index).url == f"{index.url}/there"


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:text/html,x"])
def test_a_redirect_to_a_file_is_not_followed(index: PackageIndex, to: str) -> None:
    index.pages["/page"] = Page(b"", status=302, headers=(("Location", to),))
    with pytest.raises(FetchError, match=r"redirects to|HTTP 302"):
        get(index)


def test_a_page_that_redirects_to_itself_ends(index: PackageIndex) -> None:
    index.pages["/page"] = Page(b"", status=302, headers=(("Location", "/page"),))
    with pytest.raises(FetchError, match=r"/page: it redirects too often$"):
        get(index)
    assert len(index.asked) < 10


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "/etc/passwd", "http://", "http://[", "ssh://x"]
)
def test_only_http_is_asked(url: str) -> None:
    with pytest.raises(FetchError):
        IndexReader(5).get(url)


def test_a_server_that_is_not_there_is_asked_a_few_times_only() -> None:
    with serving() as index:
        url = index.url
    reader = IndexReader(20)
    for _ in range(3):
        with pytest.raises(UnreachableError, match="refused"):
            reader.get(url)
    with pytest.raises(UnreachableError, match="cannot be reached"):
        reader.get(url)


def test_when_the_time_is_over_nothing_more_is_asked(index: PackageIndex) -> None:
    with pytest.raises(OutOfTimeError):
        get(index, seconds=0)
    assert index.asked == []


# Pages


def test_a_page_of_json_is_read(index: PackageIndex) -> None:
    index.project("peft", index.wheel("peft", "1.0"))
    (file,) = project_files(IndexReader(5), index.simple, "Peft")
    assert (file.name, file.url) == (
        "peft-1.0-py3-none-any.whl",
        f"{index.url}/files/peft-1.0-py3-none-any.whl",
    )
    assert (file.uploaded, file.yanked, len(file.metadata or "")) == ("2026-11-20", False, 64)


HTML = """<!DOCTYPE html><html><body><h1>Links</h1>
<a href="/whl/torch-2.14.1%2Brocm7.2-cp313-cp313-manylinux_2_28_x86_64.whl#sha256=0"
   data-requires-python="&gt;=3.10" data-core-metadata="sha256=abc">torch-2.14.1+rocm7.2</a><br>
<a href="old-1.0.tar.gz" data-yanked="broken">old</a><a name="nothing">here</a>
"""


def test_a_page_of_html_is_read() -> None:
    first, second = read_page(fetch.IndexAnswer("https://x.org/a/", "text/html", HTML.encode(), 0))
    assert first == IndexFile(
        "torch-2.14.1+rocm7.2-cp313-cp313-manylinux_2_28_x86_64.whl",
        "https://x.org/whl/torch-2.14.1%2Brocm7.2-cp313-cp313-manylinux_2_28_x86_64.whl#sha256=0",
        ">=3.10",
        yanked=False,
        metadata="abc",
    )
    assert (second.url, second.yanked) == ("https://x.org/a/old-1.0.tar.gz", True)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("[" * 100_000, id="nested"),
        pytest.param('{"files": [' + "9" * 10_000 + "]}", id="digits"),
        pytest.param('{"files": {}}', id="another type"),
        pytest.param("[]", id="a list"),
        pytest.param("<html>", id="not JSON"),
        pytest.param('{"files": [' + "{}," * 50_000 + "{}]}", id="too many"),
    ],
)
def test_json_that_is_not_a_page_is_a_line(content: str) -> None:
    answer = fetch.IndexAnswer("https://x.org/a/", "application/json", content.encode(), 0)
    try:
        assert read_page(answer) == ()  # what has no name is left out
    except FetchError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017 - either is right


def test_html_with_too_many_links_is_a_line() -> None:
    answer = fetch.IndexAnswer("https://x.org/a/", "text/html", b'<a href="x">' * 50_001, 0)
    with pytest.raises(FetchError, match=r"^https://x\.org/a/: it lists more than 50000 files$"):
        read_page(answer)


@pytest.mark.parametrize(
    "name",
    [
        *("../../x-1.0.tar.gz", "a\\b-1.0.tar.gz", "", "x\0-1.0.tar.gz"),
        *("x\n-1.0-py3-none-any.whl", "x-1.0-py3-none-\x1b[2J.whl"),
    ],
)
def test_a_name_that_is_a_path_is_left_out(index: PackageIndex, name: str) -> None:
    index.project("peft", {"filename": name, "url": "x"}, {"filename": 7, "url": None})
    assert project_files(IndexReader(5), index.simple, "peft") == ()


@pytest.mark.parametrize(
    ("name", "tags"),
    [
        ("torch-2.14.1+rocm7.2-cp313-cp313t-manylinux_2_28_x86_64.whl", ("cp313t",)),
        ("torch-1.9.0-cp37-cp37m-manylinux1_x86_64.whl", ("cp37",)),
        ("peft-1.0-py3-none-any.whl", ("py3",)),
        ("x-1.0-py2.py3-none-any.whl", ("py2", "py3")),
    ],
)
def test_the_python_tags_of_a_wheel(name: str, tags: tuple[str, ...]) -> None:
    wheel = wheel_of(name)
    assert wheel is not None
    assert wheel.python_tags == tags


MANY = ".".join(f"p{number}" for number in range(6))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(f"x-1.0-{MANY}-{MANY}-{MANY}.whl", id="tags"),
        pytest.param(f"x-1.0-{'py2.' * 999}py3-none-any.whl", id="long"),
        pytest.param(f"x-{'9' * 90}.0-py3-none-any.whl", id="version"),
        pytest.param(f"x-{'9' * 90}.0.tar.gz", id="sdist"),
        pytest.param(f"x-{'1.' * 999}0.tar.gz", id="long sdist"),
    ],
)
def test_an_absurd_name_is_of_no_release(name: str) -> None:
    assert release_of(name) is None


@pytest.mark.parametrize(
    "start",
    [b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"HTTP/1.1 200 OK\r\nX-Slow: "],
    ids=["content", "headers"],
)
def test_a_server_that_drips_is_left_when_the_time_is_over(start: bytes) -> None:
    with dripping(start) as url, pytest.raises(OutOfTimeError):
        IndexReader(0.3).get(url)


def test_a_question_under_way_ends_when_it_is_stopped() -> None:
    reader = IndexReader(60)
    with dripping(b"HTTP/1.1 200 OK\r\nX-Slow: ") as url:
        threading.Timer(0.2, reader.stop).start()
        with pytest.raises(OutOfTimeError):
            reader.get(url)


@pytest.mark.parametrize(
    "answer",
    [
        b"\x1b[2J\r\n\r\n",
        b"HTTP/1.1 \x1b[2J\r\n\r\n",
        b"HTTP/1.1 302 x\r\nLocation: http://x\x1b[2J/\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\x1b[2J\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 99_999 + b"\r\n\r\n",
        b"",
    ],
)
def test_what_is_not_an_answer_is_a_line_that_can_be_printed(answer: bytes) -> None:
    with serving_bytes(answer) as url, pytest.raises(FetchError) as caught:
        IndexReader(5).get(url)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300


@contextmanager
def serving_bytes(answer: bytes) -> Iterator[str]:
    """Answer one question with these bytes."""
    listening = socket.create_server(("127.0.0.1", 0))

    def send() -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.recv(10_000)
            connection.sendall(answer)

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    with listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        thread.join(20)


@contextmanager
def dripping(start: bytes) -> Iterator[str]:
    """Serve one connection a byte at a time, until it is left."""
    listening = socket.create_server(("127.0.0.1", 0))

    def drip() -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.sendall(start)
            while True:
                time.sleep(0.02)
                connection.sendall(b"x")

    thread = threading.Thread(target=drip, daemon=True)
    thread.start()
    with listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        thread.join(20)
        assert not thread.is_alive()
