"""The report of the columns of tensor memory."""

import json
from pathlib import Path

from tests.unit.tools import REPOSITORY
from tileir_xdsl.testing import tools

PASS = "tileas-allocate-tensor-memory"
EXAMPLE = REPOSITORY / "tests/filecheck/transforms" / f"{PASS}.mlir"


def test_the_report_has_the_columns_of_each_accumulator(tmp_path: Path):
    path = tmp_path / "columns.json"
    text = EXAMPLE.read_text("utf-8")
    explained = tools.run_passes(tools.parse(text), f'{PASS}{{explain="{path}"}}')
    columns = json.loads(path.read_text())["functions"]["accumulators"]
    named = {row["op"].rpartition(" ")[2]: row["columns"] for row in columns}
    assert named == {"%d": "0 to 63", "%e": "192 to 255", "%f": "64 to 127"}
    # A report changes nothing.
    assert str(explained) == str(tools.run_passes(tools.parse(text), PASS))
