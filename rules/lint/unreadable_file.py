"""ROC900, unreadable-file."""

from __future__ import annotations

from rocmlint.rule import EngineRule


class UnreadableFile(EngineRule):
    """File cannot be read, decoded or parsed.

    ## Why it matters
    No other rule has seen the file, so silence about it means nothing; and Python cannot import
    it either. It is a warning, and not an error, for a cell of a notebook, for a template (a path
    or a line with ``{{``) and for code that looks like Python 2: those are often meant to be so.

    A Python file is reported if it is evidently meant to run: the command line, a document, a
    script or a setting names it, another module imports it, it is the only one of the project, or
    it imports a package that rules know. A cell of a notebook is reported if the command line names
    the notebook: it is often a draft. `check-syntax` reports all of them.

    Without it, a file in which no rule has work is parsed only where its bytes already look broken
    (a bracket without its partner, the marks of a merge conflict).

    Not reported: a cell with options of a command, a name in angle brackets or the rest of a
    command for a shell, and a file in a directory that is an archive by its name. Without
    `check-syntax` neither is what is read as text: a few lines that simply end, files of one name
    in numbered directories, a template, a script that says at its top that it is deprecated; nor
    what nothing imports or names in a directory for data or samples, in Python 2, or exported from
    a notebook.

    ## Example
    ```python
    def load(path:
        return path
    ```

    ## Use instead
    Fix what the message names, or exclude the file if it is not Python (a template, say).
    ```python
    def load(path):
        return path
    ```

    ## References
    - https://docs.python.org/3/reference/lexical_analysis.html#encoding-declarations
    - https://github.com/Instagram/LibCST/issues/1000
    """

    code = "ROC900"
    name = "unreadable-file"
    since = "0.1.0"
    skips = frozenset({"archive"})
