"""Scripts with findings and without."""

from __future__ import annotations

UNSAFE = """\
from PIL import Image, ImageOps


def load(path):
    image = Image.open(path)
    ImageOps.exif_transpose(image)
    return image
"""


FIXED = UNSAFE.replace("    ImageOps", "    image = ImageOps")


SAFE = "import os  # rocmlint: ignore[ROC501]\n"


CLEAN = "import os\n"


WARNED = """\
import torch

for batch in loader:
    loss = model(batch)
    loss.backward()
    optimizer.step()
    torch.cuda.synchronize()
"""
