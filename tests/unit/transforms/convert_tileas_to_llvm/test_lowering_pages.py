"""docs/lowering: the pages of the folders of the last conversion say what it does."""

import pytest

from docs import lowering
from tests.unit.tools import REPOSITORY

CONVERSION = REPOSITORY / "tileir_xdsl" / "transforms" / "convert_tileas_to_llvm"


def test_every_folder_has_a_page():
    folders = {path.parent.name for path in CONVERSION.glob("*/__init__.py")}
    assert {room.name for room in lowering.ROOMS} == folders
    assert {path.stem for path in lowering.FOLDER.glob("*.md")} == folders


@pytest.mark.one_in(3)
@pytest.mark.parametrize("room", lowering.ROOMS, ids=lambda room: room.name)
def test_the_page_is_up_to_date(room: lowering.Room):
    page = (lowering.FOLDER / f"{room.name}.md").read_text()
    assert page == lowering.page(room), "run python -m docs.lowering"
