"""Starts the worker in a process of its own.

It is run as a file: with ``-c`` and ``-m`` Python would look for its modules in the current folder
first, which is that of a project.
"""

import sys

if __name__ == "__main__":
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]  # the folder of this file
    from rocmlint.editors.server.worker import main

    main()
