"""What is masked in a text: the login and the tokens of URLs, and nothing else."""

from __future__ import annotations

import pytest

from rocmlint.text.secrets import with_starred_credentials, without_credentials

MASKED = {
    "a user and a password": ("https://me:S3CRET@a.org/x", "https://***@a.org/x"),
    "a token for a user": ("git+https://S3CRET@github.com/o/r", "git+https://***@github.com/o/r"),
    "a password alone": ("https://:S3CRET@a.org", "https://***@a.org"),
    "an @ in the password": ("https://me:p@S3CRET@a.org/", "https://***@a.org/"),
    "a slash in the password": ("https://me:p/S3CRET@a.org/x", "https://***@a.org/x"),
    "a # in the password": ("https://me:p#S3CRET@a.org/x", "https://***@a.org/x"),
    "a password that begins with digits": (
        "https://me:1S3CRET/x@a.org",
        "https://***@a.org",
    ),
    "a reference for the user": (
        "https://${{ secrets.USER }}:S3CRET@a.org",
        "https://***@a.org",
    ),
    "a default of a variable": ("https://${USER:-S3CRET}@a.org/x", "https://***@a.org/x"),
    "a password for ssh": ("git+ssh://git:S3CRET@a.org/x", "git+ssh://***@a.org/x"),
    "slashes as JSON writes them": (
        r'"https:\/\/me:S3CRET@a.org\/x"',
        r'"https:\/\/***@a.org\/x"',
    ),
    "a parameter": ("https://a.org/x?v=1&token=S3CRET#y", "https://a.org/x?v=1&token=***#y"),
    "a signature": (
        "https://a.org/x?X-Amz-Signature=S3CRET&sig=S3CRET",
        "https://a.org/x?X-Amz-Signature=***&sig=***",
    ),
    "several": (
        "'https://a:S3CRET@a.org', \"https://S3CRET@b.org\"",
        "'https://***@a.org', \"https://***@b.org\"",
    ),
    "no host": ("https://me:S3CRET@", "https://***@"),
}
KEPT = (
    "https://a.org/x",
    "https://a.org:8080/x@v1.0",
    "git+https://github.com/o/r@v2.6.3#egg=r",
    "git+ssh://git@github.com/o/r.git@main",
    "https://a.org/x?page=2&tokens=8",
    "see https://a.org, or write to me@a.org",
    "git@github.com:o/r.git",
    "x: int  # noqa: ROC501",
    "",
)


@pytest.mark.parametrize(("text", "expected"), MASKED.values(), ids=MASKED)
def test_credentials_are_masked(text: str, expected: str) -> None:
    assert without_credentials(text) == expected


@pytest.mark.parametrize("text", KEPT)
def test_all_else_is_kept(text: str) -> None:
    assert without_credentials(text) == with_starred_credentials(text) == text


@pytest.mark.parametrize("text", [text for text, _ in MASKED.values()], ids=MASKED)
def test_columns_stay_where_the_mask_is_as_long_as_what_it_hides(text: str) -> None:
    starred = with_starred_credentials(text)
    assert len(starred) == len(text)
    assert "S3CRET" not in starred


@pytest.mark.parametrize("text", [text for text, _ in MASKED.values()], ids=MASKED)
def test_what_is_masked_stays_so(text: str) -> None:
    masked = without_credentials(text)
    assert without_credentials(masked) == masked
