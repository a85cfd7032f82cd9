"""Linting tables of files: the files of repositories as rows, and findings as rows again."""

from rocmlint.errors import RocmlintError

try:
    import pyarrow as pa  # noqa: F401 - all modules here need it
except ImportError as error:
    message = "linting a table requires pyarrow: pip install 'rocmlint[arrow]'"
    raise RocmlintError(message) from error
