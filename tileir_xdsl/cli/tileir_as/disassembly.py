"""`tileirdisasm`: prints Tile IR bytecode as text, as `tileir disasm --items` does.

cuTile calls `tileirdisasm` for dumps; the preview features that it passes do not change the text.
"""

import sys

from tileir_xdsl.cli.main import main

if __name__ == "__main__":
    files = [word for word in sys.argv[1:] if not word.startswith("--preview")]
    sys.exit(main(["disasm", "--items", *files]))
