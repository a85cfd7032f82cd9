"""A repository of openpi's shape, a small transformers to patch, and what Python makes of both."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

OVERLAY = "src/openpi/models_pytorch/transformers_replace"
_CHECK = "check_whether_transformers_replace_is_installed_correctly"
_STOCK = "def forward():\n    return 'stock'\n"
_PATCHED = "def forward():\n    return 'patched'\n"
INSTALLED = {
    "__init__.py": '__version__ = "4.53.2"\n',
    "utils.py": "",
    "models/__init__.py": "",
    "models/gemma/__init__.py": "",
    "models/gemma/modeling_gemma.py": _STOCK,
    "models/siglip/__init__.py": "",
    "models/siglip/modeling_siglip.py": _STOCK,
}
PATCH = {
    "models/gemma/modeling_gemma.py": _PATCHED,
    "models/siglip/modeling_siglip.py": _PATCHED,
    "models/siglip/check.py": f"def {_CHECK}():\n    return True\n",
}
CHECKS = f"""\
def load():
    try:
        from transformers.models.siglip import check

        if not check.{_CHECK}():
            raise ValueError("transformers is not patched")
    except ImportError:
        raise ValueError("transformers is not patched") from None
"""
CHECK_LINE = "src/openpi/models_pytorch/pi0.py:5"
README = f"""\
Apply the patches:

    cp -r ./{OVERLAY}/* \\
      .venv/lib/python3.11/site-packages/transformers/
"""
DOCKERFILE = f"""\
FROM rocm/pytorch
COPY {OVERLAY}/ /tmp/transformers_replace/
RUN python -c "import transformers; print(transformers.__file__)" | xargs dirname \\
    | xargs -I{{}} cp -r /tmp/transformers_replace/* {{}}
"""
_PROGRAM = """\
import transformers.models.gemma.modeling_gemma as gemma
import transformers.models.siglip.modeling_siglip as siglip
import transformers.models.siglip.check
print(gemma.forward(), siglip.forward())
"""


class Openpi:
    """A checkout in ``root`` and the packages in ``site``, which come before all others."""

    def __init__(self, root: Path, site: Path) -> None:
        self.root, self.site = root, site
        self.package = site / "transformers"
        self.overlay = root / OVERLAY
        (root / ".git").mkdir(exist_ok=True)
        rows = []
        metadata = "Metadata-Version: 2.1\nName: transformers\nVersion: 4.53.2\n"
        files = {f"transformers/{path}": text for path, text in INSTALLED.items()}
        for path, text in {**files, "transformers-4.53.2.dist-info/METADATA": metadata}.items():
            self._write(site / path, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode()
            rows.append(f"{path},sha256={digest.rstrip('=')},{len(text)}\n")
        self._write(site / "transformers-4.53.2.dist-info/RECORD", "".join(rows))
        for path, text in PATCH.items():
            self._write(self.overlay / path, text)
        self.write("src/openpi/models_pytorch/pi0.py", CHECKS)

    @staticmethod
    def _write(path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def write(self, path: str, text: str) -> None:
        self._write(self.root / path, text)

    def copy(self, target: Path | None = None) -> None:
        """Lay the overlay over a folder: the package, unless another is given."""
        shutil.copytree(self.overlay, target or self.package, dirs_exist_ok=True)

    def copy_from(self, folder: str) -> None:
        """Lay another folder of the checkout over the package."""
        shutil.copytree(self.root / folder, self.package, dirs_exist_ok=True)

    def is_patched(self) -> bool:
        """Return whether a program that imports the package gets the patch, all of it."""
        done = subprocess.run(
            [sys.executable, "-B", "-c", _PROGRAM],
            env={**os.environ, "PYTHONPATH": str(self.site)},
            cwd=self.site,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.split() == ["patched", "patched"]
