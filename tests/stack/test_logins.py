"""Names and passwords in the addresses of package indexes: sent where they belong, told nowhere."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import pytest

from rocmlint.published import rocm_wheels
from rocmlint.stack.indexes.fetch import FetchError, IndexReader, UnreachableError
from rocmlint.stack.indexes.simple_index import project_files
from rocmlint.stack.indexes.wheel_metadata import facts_of
from rocmlint.text.secrets import without_logins, without_password
from tests.support.fetched_tables import ONLY, data_of, fetched
from tests.support.package_index import NIGHTLY, WHEELS, Page, serving

if TYPE_CHECKING:
    from tests.support.package_index import PackageIndex
    from tests.support.project import Project
    from tests.support.stacks import FakeEnvironment


def sent(index: PackageIndex, path: str) -> list[str]:
    """Return the name and password of each question for a path."""
    headers = [headers.get("Authorization", "") for asked, headers in index.asked if asked == path]
    return [base64.b64decode(each.removeprefix("Basic ")).decode() for each in headers]


@pytest.mark.parametrize(
    ("login", "name_and_password"),
    [
        ("me:s%40cret", "me:s@cret"),
        ("me%40x.org:s%23c%2Fr%3Fet", "me@x.org:s#c/r?et"),
        ("me@x.org:s@cret", "me@x.org:s@cret"),
        ("me:s%C3%A9cret", "me:s\u00e9cret"),
        ("me:s\u00e9cret", "me:s\u00e9cret"),
        ("token-cret", "token-cret:"),
    ],
)
def test_a_password_goes_into_the_header_and_into_no_message(
    index: PackageIndex, login: str, name_and_password: str
) -> None:
    with pytest.raises(FetchError) as caught:
        IndexReader(5).get(index.url.replace("//", f"//{login}@") + "/page")
    assert str(caught.value) == f"{index.url}/page: HTTP 404"
    assert sent(index, "/page") == [name_and_password]


@pytest.mark.parametrize(
    "url",
    [
        "https://me:se#cret@a.invalid/simple",
        "https://me:se?cret@a.invalid/simple",
        "https://me:se/cret@a.invalid/simple",
        "https://me@x.org:se/cret@a.invalid/simple",
        "https://cret#x@a.invalid/simple",
        "https://me:cret@a.invalid:port/simple",
        "https://me:cret\u2100@a.invalid/simple",
        "https://me:cret@[a/simple",
        "https:me:cret@a.invalid/simple",
    ],
)
def test_a_password_that_is_written_wrongly_is_told_nowhere(url: str) -> None:
    with pytest.raises(FetchError, match=r"not a valid URL|not an HTTP or HTTPS URL") as caught:
        IndexReader(5).get(url)
    assert "cret" not in str(caught.value)
    assert "cret" not in without_password(url)


def test_what_stands_behind_a_question_mark_is_told_nowhere() -> None:
    assert without_password("https://a.org/x?token=cret#y") == "https://a.org/x"


def test_the_files_of_an_index_are_asked_with_its_password(index: PackageIndex) -> None:
    for beside in (True, False):
        index.asked.clear()
        index.project("peft", index.wheel("peft", "1.0", beside=beside))
        reader = IndexReader(5)
        (file,) = project_files(reader, index.simple.replace("//", "//me:secret@"), "peft")
        facts_of(reader, "peft", file)
        paths = [path for path, _ in index.asked]
        assert len(paths) > 1
        assert {login for path in paths for login in sent(index, path)} == {"me:secret"}


def test_a_redirect_on_the_same_server_keeps_the_password(index: PackageIndex) -> None:
    index.pages["/page"] = Page(b"", status=302, headers=(("Location", "/there"),))
    index.pages["/there"] = Page(b"found")
    IndexReader(5).get(index.url.replace("//", "//me:secret@") + "/page")
    assert sent(index, "/there") == ["me:secret"]


def test_a_password_is_not_sent_to_another_server(index: PackageIndex) -> None:
    with serving() as other:
        index.pages["/page"] = Page(b"", status=302, headers=(("Location", f"{other.url}/page"),))
        other.pages["/page"] = Page(b"found")
        IndexReader(5).get(index.url.replace("//", "//me:secret@") + "/page")
        assert sent(other, "/page") == [""]


def test_a_redirect_with_a_password_is_not_followed(index: PackageIndex) -> None:
    to = index.url.replace("//", "//you:secret@")
    index.pages["/page"] = Page(b"", status=302, headers=(("Location", f"{to}/there"),))
    with pytest.raises(FetchError, match=r"redirects to http://127.*not followed") as caught:
        IndexReader(5).get(f"{index.url}/page")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "proxy",
    [
        "http:/me:cret@127.0.0.1:9",
        "http://me:cret/x@127.0.0.1:9",
        "http://me:cret@127.0.0.1:port",
        "http://me:cret@127.0.0.1:9",
        "socks5://me:cret@127.0.0.1:9",
    ],
)
def test_the_password_of_a_proxy_is_told_nowhere(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, proxy)
    with pytest.raises(UnreachableError, match=r"^http://a\.invalid/: ") as caught:
        IndexReader(5).get("http://a.invalid/")
    assert "cret" not in str(caught.value)


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_output_of_the_verb_has_the_password(
    project: Project, index: PackageIndex, form: str
) -> None:
    index.project("peft", index.wheel("peft", "9.0.0"))
    index.pages["/whl/torch/"] = Page(WHEELS.encode(), "text/html")
    index.pages["/whl/nightly/torch/"] = Page(NIGHTLY.encode(), "text/html")
    server = index.url.replace("//", "//me:s%40cret@")
    flags = ("--index-url", f"{server}/simple", "--pytorch-url", f"{server}/whl", *ONLY)
    done = project.run("stack", "update", *flags, "--output-format", form, **data_of(project))
    assert done.returncode == 3
    assert index.simple in done.stdout
    assert "cret" not in done.stdout + done.stderr
    assert "cret" not in fetched(project, rocm_wheels.NAME).read_text()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("torch @ https://me:cret@a.invalid/t.whl", "torch @ https://a.invalid/t.whl"),
        ("git+https://cret@a.invalid/r@main#egg=x", "git+https://a.invalid/r@main#egg=x"),
        ("https://me:cr/et@a.invalid/x https://cret@b/", "https://a.invalid/x https://b/"),
        ("https://a.invalid/simple?token=cret#sha256=1", "https://a.invalid/simple#sha256=1"),
        ("https://a.invalid:8080/r@main", "https://a.invalid:8080/r@main"),
        ("git+ssh://git@github.com/o/r@v1", "git+ssh://git@github.com/o/r@v1"),
        ("https://${USER}:${WORD}@a.invalid/x", "https://${USER}:${WORD}@a.invalid/x"),
        ("what? me@x.org", "what? me@x.org"),
    ],
)
def test_a_text_is_shown_without_the_passwords_in_it(text: str, shown: str) -> None:
    assert without_logins(text) == shown


def test_no_verb_prints_or_writes_what_a_project_or_an_installer_keeps_secret(
    packages: FakeEnvironment, project: Project
) -> None:
    packages.torch("2.9.1+rocm6.4", "6.4.43484")
    place = packages.install("peft", "0.21.2")
    origin = {"url": "https://me:S3CRET@a.invalid/peft.whl?sig=S3CRET", "archive_info": {}}
    (place / "direct_url.json").write_text(json.dumps(origin))
    (place / "INSTALLER").write_text("of https://me:S3CRET@a.invalid/" + "x" * 5000)
    url = "https://me:S3CRET@download.pytorch.org/whl/cu121"
    project.write("requirements.txt", f"--index-url {url}\ntorch @ {url}/torch.whl\ntorch==2.4.1\n")
    python = ("--python", str(packages.python))
    said = ""
    for words in (("plan", "--to", "7.1"), ("freeze",), ("show",), ("survived",), ("compatible",)):
        offline = ("--offline",) if words[0] == "compatible" else ()
        for form in ("text", "json") if words[0] != "freeze" else ("text",):
            flags = ("--output-format", form) if words[0] != "freeze" else ()
            done = project.run("stack", *words, *python, *offline, *flags)
            said += done.stdout + done.stderr
    made = [each for each in project.root.iterdir() if each.suffix in {".json", ".txt"}]
    written = [each.read_text() for each in made if each.name != "requirements.txt"]
    assert "download.pytorch.org/whl/cu121" in said
    assert any("https://a.invalid/peft.whl" in each for each in written)
    assert "S3CRET" not in said + "".join(written)
