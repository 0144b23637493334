"""FileCheck of what `xdsl-opt --split-input-file` prints, part by part: `.. | %check-parts %s`.

What a part prints must satisfy the check lines of that part. xdsl-opt prints a message twice, by
itself and in the IR, so that one failure would satisfy the check lines of two neighbours.
"""

import io
import re
import sys
from pathlib import Path

from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import Options
from filecheck.parser import Parser, pattern_for_opts

SEPARATOR = re.compile(r"^// -----.*$", re.MULTILINE)


def main(file: Path, printed: str) -> int:
    """Returns the exit status, after a report of the first part that fails."""
    parts, outputs = (SEPARATOR.split(text) for text in (file.read_text("utf-8"), printed))
    if len(parts) != len(outputs):
        print(f"{file}: {len(parts)} parts, but {len(outputs)} outputs", file=sys.stderr)
        return 1
    options = Options(str(file))
    for number, (part, output) in enumerate(zip(parts, outputs, strict=True), 1):
        checks = Parser(options, io.StringIO(part), *pattern_for_opts(options))
        if Matcher(options, FInput("-", output), checks).run():
            print(f"{file}: part {number} prints:\n{output}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.stdin.read()))
