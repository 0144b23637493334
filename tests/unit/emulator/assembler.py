"""What ptxas says against PTX text."""

import re
import subprocess
from pathlib import Path

from tileir_xdsl.testing.tools import ptxas_path


def assemble(text: str, target: str, folder: Path) -> str:
    """What ptxas says against a module, remarks on speed aside; empty when it accepts it."""
    source = folder / "module.ptx"
    source.write_text(text)
    command = [ptxas_path(), "-O0", f"-arch={target}", str(source), "-o", str(folder / "out")]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    return "".join(x for x in said.splitlines(True) if not re.match("ptxas (info|.*; info )", x))
