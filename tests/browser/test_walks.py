"""The three walks of `docs/explain.md`, step by step, on the kernels that they name."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.kernels import page_of
from tileir_xdsl.options import Options


def opened(open_page: OpenPage, path: Path) -> Page:
    """A page at the size of a desktop."""
    page = open_page(path, viewport={"width": 2400, "height": 1000})
    page.wait_for_selector("html[data-ready]")
    return page


def rows(page: Page, panel: int, text: str) -> Locator:
    """The rows in sight of a panel that contain a text."""
    return page.locator(f"#panels > .panel >> nth={panel - 1} >> .row").filter(has_text=text)


def click_number(row: Locator) -> None:
    """Clicks the number of a line, which highlights the line."""
    row.locator(".line-number").click()


HIGHLIGHTED = re.compile("tint-0")


def test_why_is_this_load_four_bytes_wide(open_page: OpenPage):
    page = opened(open_page, page_of("tileir_xdsl/testing/kernels/unaligned_add.mlir", "sm_90a"))
    click_number(rows(page, 1, "load_view_tko").first)
    expect(rows(page, 3, "ld.global.f32").first).to_have_class(HIGHLIGHTED)
    page.keyboard.press("s")
    decision = page.locator(".decision").first
    expect(decision.locator("summary")).to_contain_text("ldg_32")
    ruled_out = decision.locator("tr").filter(has_text="ldg_64")
    expect(ruled_out).to_contain_text("needs addresses aligned to 8 bytes, but only 4 is known")
    station = page.locator(".station").filter(has_text="tileas-assign-load-store-layouts")
    expect(station.locator("mark", has_text="ldg_32").first).to_be_visible()
    expect(rows(page, 2, "#12")).to_have_class(HIGHLIGHTED)
    expect(decision).to_contain_text("{force=#12=ldg_32}", use_inner_text=True)
    expect(rows(page, 1, "assume div_by<4>").first).to_be_visible()


def test_why_does_this_spill(open_page: OpenPage):
    path = page_of("tileir_xdsl/testing/kernels/attention.mlir", "sm_80", Options(occupancy=8))
    page = opened(open_page, path)
    page.get_by_role("tab", name="Resources").click()
    body = page.locator("#tab-panel")
    expect(body).to_contain_text("78 predicted, 64 by ptxas")
    expect(body).to_contain_text("Why 96 bytes are spilled")
    expect(body).to_contain_text("8 thread blocks of 128 threads on a multiprocessor")
    body.get_by_role("button", name="PTX line").click()
    expect(rows(page, 3, ".minnctapersm 8")).to_be_visible()
    page.get_by_text("Options and tools").click()
    expect(page.locator(".about dl")).to_contain_text("occupancy")
    table = body.locator("table").filter(has_text="Spilled around")
    spilled = table.locator("tbody tr").first
    spilled.locator(".code-line").click()
    expect(page.locator(".row.tint-0").first).to_be_visible()
    spilled.locator(".jump").click()
    expect(page.locator(".panel.active .row.cursor")).to_contain_text(re.compile("STL|LDL"))


def test_where_does_this_barrier_come_from(open_page: OpenPage):
    page = opened(open_page, page_of("tileir_xdsl/samples/row_softmax.mlir", "sm_90a"))
    page.keyboard.press("/")
    page.keyboard.type("bar.sync")
    expect(page.locator("#search-result")).to_contain_text("first: PTX")
    page.locator("#search-result button").click()
    page.keyboard.press("n")
    found = page.locator("#panels > .panel >> nth=2 >> .row.cursor")
    expect(found).to_contain_text("bar.sync")
    page.get_by_label("Marked line before").nth(2).click()
    page.get_by_label("Next marked line").nth(2).click()
    click_number(found)
    expect(rows(page, 1, "%sum = reduce")).to_have_class(HIGHLIGHTED)
    expect(rows(page, 2, "nv_tileas.barrier agent")).to_have_class(HIGHLIGHTED)
    page.keyboard.press("s")
    decision = page.locator(".decision").filter(has_text="barrier agent")
    decision.locator("summary").click()
    expect(decision).to_contain_text("one allocation reuses the memory of another")
    expect(decision).to_contain_text("0 to 15 of shared memory")
    expect(decision.locator("button.link").nth(1)).to_be_visible()
    page.locator("#search").fill("barrier")
    for name, hits in (("tileas-insert-barriers", "1"), ("convert-tileas-to-llvm", "3")):
        phase = page.locator(".phase").filter(has_text=name)
        expect(phase.locator(".hits")).to_have_text(hits)
    lowered = page.locator(".decision").filter(has_text="shared_memory")
    expect(lowered.first.locator("summary")).to_contain_text("nv_tileas.reduce %sum")
