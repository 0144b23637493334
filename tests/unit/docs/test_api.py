"""`docs/api.md` is what the docstrings say, and tells of every public name."""

import tileir_xdsl as tileir
from docs import api
from tileir_xdsl import cutile


def test_the_page_is_current():
    assert api.PAGE.read_text(encoding="utf-8") == api.page(), "run python -m docs.api"


def test_every_public_name_is_there():
    told = {(module, name) for module, name, _ in api.SECTIONS}
    names = {("tileir", name) for name in tileir.__all__} - {("tileir", "cutile")}
    assert told == names | {("cutile", name) for name in cutile.__all__}


def test_everything_is_documented():
    page = api.page()
    assert "\n\n\n" not in page.replace("\n\n\n## ", "")
    for _, name, value in api.SECTIONS:
        assert value.__doc__, name
    assert "- `warps: int | None = None`: The number of a thread block's computing warps" in page
    assert "- `line`: The line, counted from 1" in page
