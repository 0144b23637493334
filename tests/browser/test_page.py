"""What one sees and does on the page of a report, on a report made by hand."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.page_report import failing_report, full_report
from tileir_xdsl.report.page.render import render

WIDE = {"width": 2400, "height": 1000}

Show = Callable[..., Page]


@pytest.fixture
def show(open_page: OpenPage, tmp_path: Path) -> Show:
    """Opens the page of a report; keywords are those of the browser's context."""

    def shown(report: dict[str, Any], place: str = "", **options: Any) -> Page:
        path = tmp_path / "report.html"
        path.write_text(render(report), encoding="utf-8")
        page = open_page(path.as_uri() + place, **{"viewport": WIDE, **options})
        page.wait_for_selector("html[data-ready]")
        return page

    return shown


def rows(page: Page, panel: int, text: str):
    """The rows in sight of a panel that contain a text."""
    return page.locator(f"#panels > .panel >> nth={panel} >> .row").filter(has_text=text)


def expect_lit(page: Page, slot: int, *values: str) -> None:
    """Waits until just these values are highlighted in a colour, over all panels."""
    page.wait_for_function(
        """([slot, values]) => {
            const found = [...document.querySelectorAll(`.code .slot-${slot}`)];
            const texts = new Set(found.map((one) => one.textContent));
            return texts.size === values.length && values.every((value) => texts.has(value));
        }""",
        arg=[slot, list(values)],
    )


def expect_value(page: Page, expression: str, value: str) -> None:
    """Waits until an expression of JavaScript has a value."""
    page.wait_for_function(f"({expression}) === {json.dumps(value)}")


def expect_current(page: Page, phase: str) -> None:
    """Waits until a pass of the list is the current one."""
    found = page.locator('[data-phase][aria-current="true"]')
    expect(found).to_have_attribute("data-phase", phase)


def test_source_pass_ptx_and_sass_stand_side_by_side(show: Show):
    page = show(full_report())
    titles = [p.get_attribute("aria-label") for p in page.locator(".panel").all()]
    assert titles == [
        "Panel 1: add.mlir",
        "Panel 2: 5 barriers",
        "Panel 3: PTX",
        "Panel 4: SASS",
    ]
    boxes = [p.bounding_box() for p in page.locator(".panel").all()]
    assert len({box["y"] for box in boxes if box}) == 1


@pytest.mark.parametrize(
    ("width", "panels"), [(1000, 2), (1280, 2), (1700, 2), (1900, 3), (2400, 4)]
)
def test_as_many_panels_as_fit_with_sixty_characters(show: Show, width: int, panels: int):
    page = show(full_report(), viewport={"width": width, "height": 900})
    expect(page.locator(".panel")).to_have_count(panels)
    if width < 1280:
        return
    # Letters of a row that are in sight of the leftmost panel.
    room = page.evaluate(
        """() => {
            const box = document.querySelector(".panel .text");
            const line = document.createElement("span");
            line.textContent = "0".repeat(60);
            box.append(line);
            const width = line.getBoundingClientRect().width;
            line.remove();
            const code = document.querySelector(".panel .code").getBoundingClientRect();
            return (box.getBoundingClientRect().right - code.left) / width;
        }"""
    )
    assert room >= 1


def test_the_page_opens_at_the_kernel_and_at_resources(show: Show):
    report = full_report()
    before = [{"text": f"# {n}", "ids": [], "spans": []} for n in range(200)]
    report["sources"][0]["lines"] = [*before, *report["sources"][0]["lines"], *before]
    page = show(report)
    expect(rows(page, 0, "entry @add(")).to_be_in_viewport()
    first = page.locator("#panels > .panel >> nth=0 >> .text")
    assert first.evaluate("(box) => box.scrollTop") == 200 * 18
    expect(page.get_by_role("tab", name="Resources")).to_have_attribute("aria-selected", "true")
    failing = show(failing_report())
    expect(failing.get_by_role("tab", name="Pass")).to_have_attribute("aria-selected", "true")


def test_a_value_is_highlighted_everywhere_and_cleared(show: Show):
    page = show(full_report())
    rows(page, 0, "%x = load").locator("[data-value]").first.click()
    # The panel of the PTX has gone to where the value is, 3,000 lines below.
    expect(rows(page, 2, "ld.global.b32")).to_be_visible()
    expect_lit(page, 0, "%x", "%0", "%r1")
    expect(page.locator("#legend")).to_have_text(re.compile("^A %x ×"), use_inner_text=True)
    rows(page, 1, "nv_tileaa.load").locator("[data-value]").first.click()
    expect_lit(page, 0)


@pytest.mark.parametrize("resized", [False, True])
def test_a_value_is_highlighted_by_a_slow_click(show: Show, resized: bool):
    page = show(full_report())
    rows(page, 0, "%x = load").locator("[data-value]").first.hover()
    page.mouse.down()
    if resized:
        # Rows are drawn anew for another height.
        page.set_viewport_size({"width": 1280, "height": 700})
    page.evaluate(
        "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
    )
    page.mouse.up()
    expect_lit(page, 0, "%x", "%0", "%r1")


def test_values_of_a_source_that_has_only_origins(show: Show):
    bare = [{**one, "spans": []} for one in full_report()["sources"][0]["lines"]]
    sources = [{"title": "add.mlir", "language": "mlir", "lines": bare}]
    page = show(full_report(sources=sources))
    rows(page, 0, "%y = addf").locator("[data-value]").nth(1).click()
    expect_lit(page, 0, "%x", "%0", "%r1")


def test_a_line_is_highlighted_down_to_the_machine_code(show: Show):
    page = show(full_report())
    rows(page, 0, "%x = load").locator(".line-number").click()
    for panel, text in ((1, "nv_tileaa.load"), (2, "ld.global.b32"), (3, "LDG.E")):
        expect(rows(page, panel, text)).to_have_class(re.compile("tint-0"))
    rows(page, 3, "LDG.E").click()
    expect(page.locator(".tint-0")).to_have_count(0)


def test_highlights_have_colours_and_letters_of_their_own(show: Show):
    page = show(full_report())
    rows(page, 0, "%x = load").locator("[data-value]").first.click()
    rows(page, 0, "%y = addf").locator("[data-value]").first.click()
    expect_lit(page, 0, "%x", "%0", "%r1")
    expect_lit(page, 1, "%y", "%1", "%f1")
    expect(rows(page, 0, "%y = addf").locator(".letters")).to_have_text("AB", use_inner_text=True)
    page.locator(".legend.slot-0").click()
    expect_lit(page, 0)
    expect_lit(page, 1, "%y", "%1", "%f1")
    page.keyboard.press("Escape")
    expect_lit(page, 1)
    expect(page.locator(".legend")).to_have_count(0)


def test_dead_values_are_grey(show: Show):
    page = show(full_report(), place="#phase=0&tab=pass")
    expect(rows(page, 1, "%z = negf").locator(".code")).to_have_class("code dead")
    expect(rows(page, 1, "%y = addf").locator(".dead")).to_have_count(0)


def test_only_lines_in_sight_are_elements(show: Show):
    page = show(full_report())
    assert page.locator(".row").count() < 400
    page.keyboard.press("3")
    page.keyboard.press("End")
    expect(rows(page, 2, "add.f32")).to_be_visible()
    page.keyboard.press("Home")
    expect(rows(page, 2, "mov.u32 %r0,")).to_be_visible()


def test_unchanged_passes_are_folded(show: Show):
    page = show(full_report())
    expect(page.locator("[data-phase]")).to_have_count(5)
    fold = page.locator(".folded button")
    expect(fold).to_have_text("▸ 2 unchanged", use_inner_text=True)
    fold.click()
    expect(page.locator("[data-phase]")).to_have_count(7)
    expect_value(page, "document.activeElement.dataset.phase", "2")
    page.keyboard.press("u")
    page.keyboard.press("u")
    expect(page.locator("[data-phase]")).to_have_count(5)


def test_keys_go_from_pass_to_pass(show: Show):
    page = show(full_report())
    expect_current(page, "5")
    keys = ("j", "j", "k", "k", "ArrowUp", "k", "k", "k", "ArrowDown")
    for key, phase in zip(keys, "665410001", strict=True):
        page.keyboard.press(key)
        expect_current(page, phase)
    expect(page.locator(".panel").nth(1)).to_have_attribute("aria-label", "Panel 2: 1 convert")


def test_the_address_keeps_the_place(show: Show):
    page = show(full_report(), place="#tab=pass")
    page.keyboard.press("k")
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile(re.escape("#phase=4&tab=decisions") + "$"))
    page.reload()
    page.wait_for_selector("html[data-ready]")
    expect_current(page, "4")
    expect(page.locator("#tab-decisions")).to_have_attribute("aria-selected", "true")


def test_search_counts_and_finds(show: Show):
    page = show(full_report())
    page.keyboard.press("/")
    page.keyboard.type("BAR")
    expect(page.locator("#search-result")).to_contain_text("in 2 texts first: 5 barriers")
    expect(page.locator('.phase:has([data-phase="5"]) .hits')).to_have_text(
        "1", use_inner_text=True
    )
    page.locator("#search-result button").click()
    expect(rows(page, 1, "nv_tileas.barrier").locator(".hit")).to_have_text("bar")
    page.keyboard.press("3")
    page.keyboard.press("n")
    expect(rows(page, 2, "bar.sync").locator(".hit")).to_have_text("bar")
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    expect(page.locator(".hit")).to_have_count(0)


def test_difference_shows_what_a_pass_changed(show: Show):
    page = show(full_report())
    page.keyboard.press("d")
    panel = page.locator(".panel").filter(has=page.locator(".changes"))
    expect(panel.locator(".changes")).to_have_text("+1 −0")
    expect(panel.locator(".row.added")).to_contain_text("nv_tileas.barrier")
    panel.locator(".fold").click()
    expect(panel.locator(".fold")).to_have_count(0)
    page.keyboard.press("d")
    expect(page.locator(".changes")).to_have_count(0)


def test_difference_of_any_two(show: Show):
    page = show(full_report())
    page.keyboard.press("d")
    page.get_by_label("From", exact=True).select_option(label="0 read")
    page.get_by_label("to", exact=True).select_option(label="1 convert")
    changes = page.locator(".changes")
    expect(changes).to_have_text("+33 −4")
    page.get_by_label("From", exact=True).select_option(label="add.mlir")
    page.get_by_label("to", exact=True).select_option(label="0 read")
    expect(changes).to_have_text("+0 −0")


def test_help_lists_the_keys(show: Show):
    page = show(full_report())
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Clear all highlights")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_panels_open_close_and_fill_the_row(show: Show):
    page = show(full_report())
    page.get_by_label("Open a panel of its own: 1 convert").click()
    expect(page.locator(".panel")).to_have_count(5)
    expect(page.locator(".panel").nth(1)).to_have_attribute("aria-label", "Panel 2: 1 convert")
    page.keyboard.press("m")
    expect(page.locator(".panel:visible")).to_have_count(1)
    page.keyboard.press("m")
    page.keyboard.press("x")
    expect(page.locator(".panel")).to_have_count(4)
    page.keyboard.press("p")
    expect(page.locator(".panel")).to_have_count(3)
    for _ in range(3):
        page.locator(".panel").first.get_by_label("Close this panel").click()
    expect(page.locator("#no-panels")).to_be_visible()


def test_a_panel_shows_any_text(show: Show):
    page = show(full_report())
    page.get_by_label("Text of this panel").first.select_option(label="6 to-llvm")
    expect(page.locator(".row").filter(has_text="llvm.func")).to_be_visible()


def test_everything_by_keys_alone(show: Show):
    page = show(full_report())
    page.keyboard.press("1")
    expect_value(page, "document.activeElement.getAttribute('role')", "listbox")
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect_lit(page, 0, "%x", "%0", "%r1")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press(" ")
    expect(rows(page, 3, "LDG.E")).to_have_class(re.compile("tint-1"))
    expect(page.locator('.row[aria-selected="true"]').first).to_be_attached()
    page.keyboard.press("0")
    expect_value(page, "document.activeElement.dataset.phase", "5")


def test_tab_reaches_every_control(show: Show):
    page = show(full_report())
    wanted = page.evaluate(
        """() => [...document.querySelectorAll('button, select, input, summary, [tabindex="0"]')]
        .filter((e) => e.checkVisibility() && e.tabIndex >= 0).length"""
    )
    page.evaluate("window.reached = new Set()")
    page.evaluate("addEventListener('focusin', (e) => window.reached.add(e.target))")
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")
    assert page.evaluate("[...window.reached].filter((e) => e !== document.body).length") >= wanted
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_tabs_follow_the_arrow_keys(show: Show):
    page = show(full_report(), place="#tab=pass")
    page.locator("#tab-pass").focus()
    for name in ("decisions", "selection", "drawings", "resources", "run", "pass"):
        page.keyboard.press("ArrowRight")
        expect_value(page, "document.activeElement.id", f"tab-{name}")
        expect(page.locator("#tab-panel")).to_have_attribute("aria-labelledby", f"tab-{name}")


def test_pass_tab(show: Show):
    page = show(full_report(), place="#tab=pass")
    body = page.locator("#tab-panel")
    expect(body).to_contain_text("remark: a barrier")
    expect(body.locator("tr").filter(has_text="nv_tileas.barrier")).to_contain_text("+1")
    body.get_by_role("button", name="nv_tileas.barrier").click()
    expect(page.locator("#search")).to_have_value("nv_tileas.barrier")


def test_decisions_tab(show: Show):
    page = show(full_report(), place="#phase=4&tab=decisions")
    row = page.locator("#tab-panel tr").filter(has_text="ldg_64")
    expect(row).to_contain_text("only 4 bytes aligned")
    expect(page.locator("#tab-panel tr").filter(has_text="ldg_32")).to_contain_text("322")
    expect(page.get_by_role("button", name="Choose")).to_have_count(0)
    page.get_by_role("button", name="#1 nv_tileaa.addf", exact=True).click()
    expect(page.locator(".row.tint-0").filter(has_text="%y = addf")).to_be_visible()


def test_force_is_copied_or_selected(show: Show):
    page = show(full_report(), place="#phase=4&tab=decisions")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(Error('no')); }")
    page.locator(".force .copy").click()
    expect_value(page, "document.activeElement.value", "assign{force=#0=ldg_32}")
    expect_value(page, "getSelection().toString()", "assign{force=#0=ldg_32}")
    page.evaluate("() => { navigator.clipboard.writeText = async (t) => { window.copied = t; }; }")
    page.locator("#copy-command").click()
    expect_value(page, "window.copied", "tileir explain add.mlir --gpu sm_90a")


def test_selection_tab_tells_what_became_of_it(show: Show):
    page = show(full_report())
    page.locator("#tab-selection").click()
    expect(page.locator("#tab-panel")).to_contain_text("Click a value")
    page.keyboard.press("3")
    page.keyboard.press("End")
    rows(page, 2, "ld.global.b32").locator(".line-number").click()
    body = page.locator("#tab-panel")
    expect(body).to_contain_text("What became of ld.global.b32")
    expect(body.locator("tr").filter(has_text="ldg_64")).to_contain_text("only 4 bytes aligned")
    stations = body.locator(".station h4").all_inner_texts()
    assert stations == ["add.mlir", "1 convert", "6 to-llvm: gone", "PTX", "SASS"]
    body.locator(".code-line").nth(1).click()
    expect_current(page, "1")


def test_drawings_zoom_and_highlight(show: Show):
    page = show(full_report(), place="#phase=4&tab=drawings")
    page.get_by_label("Drawing", exact=True).select_option(label="Layout of %0")
    expect_value(page, "document.activeElement.tagName", "SELECT")
    drawing = page.locator(".drawing")
    before = drawing.locator("svg").bounding_box()
    page.get_by_label("Larger").click()
    after = drawing.locator("svg").bounding_box()
    assert before and after and after["width"] > before["width"]
    drawing.locator('[data-id="o2"]').click()
    expect(page.locator(".row.tint-0").filter(has_text="LDG.E")).to_be_visible()
    expect(drawing.locator('[data-id="o2"]')).to_have_class("lit")
    page.locator(".parts").get_by_role("button").nth(1).press("Enter")
    expect(drawing.locator('[data-id="v9 o3"]')).to_have_class("lit")
    assert page.evaluate("window.ran") is None
    with page.expect_download() as download:
        page.get_by_role("button", name="Save Perfetto trace").click()
    assert Path(download.value.path()).read_text() == '{"traceEvents":[]}'


def test_resources_tab(show: Show):
    page = show(full_report())
    page.locator("#tab-resources").click()
    body = page.locator("#tab-panel")
    expect(body).to_contain_text("300 predicted, 255 by ptxas")
    expect(body.locator("tr").filter(has_text="Spilled, bytes")).to_contain_text("48")
    body.get_by_role("button", name="5 barriers").click()
    expect_current(page, "5")


def test_spills_are_explained(show: Show):
    page = show(full_report())
    page.locator("#tab-resources").click()
    body = page.locator("#tab-panel")
    expect(body).to_contain_text("8 thread blocks of 128 threads")
    expect(body).to_contain_text("65,536 registers are then 64 a thread")
    numbers = body.locator("tr").filter(has_text="%y = addf").locator(".number")
    expect(numbers).to_have_text(["1", "1"])
    body.get_by_role("button", name="%y = addf").click()
    expect(rows(page, 0, "%y = addf")).to_have_class(re.compile("tint-0"))
    body.get_by_role("button", name="line 4").click()
    expect(rows(page, 3, "STL [R1+4]")).to_have_class(re.compile("tint-1"))
    body.get_by_role("button", name="PTX line 3003").click()
    expect(rows(page, 2, ".minnctapersm")).to_be_visible()


def test_run_tab(show: Show):
    page = show(full_report())
    page.locator("#tab-run").click()
    body = page.locator("#tab-panel")
    expect(body.locator(".races")).to_contain_text("add.ptx:3004")
    body.locator(".races .ids").last.click()
    expect(page.locator(".row.tint-0").filter(has_text="add.f32")).to_be_visible()
    expect(body.locator("tr").filter(has_text="bar.sync")).to_contain_text("8")
    body.locator("summary").filter(has_text="%x: 2×2").click()
    expect(body.locator(".tile")).to_contain_text("4.5")


def test_failure_is_where_it_happened(show: Show):
    page = show(failing_report())
    expect(page.get_by_role("alert")).to_contain_text("Failed in barriers")
    expect_current(page, "5")
    page.get_by_role("button", name="Go to it").click()
    notes = page.locator(".row.note")
    expect(notes).to_have_count(2)
    for panel in range(2):
        note = page.locator(f"#panels > .panel >> nth={panel} >> .note")
        before = note.evaluate("(e) => e.previousElementSibling.textContent")
        assert "load" in before
        expect(note).to_have_text("'nv_tileaa.load' op needs too much")


def test_text_that_cannot_be_read(show: Show):
    failure = {"phase": 0, "message": "expected ','", "where": "add.mlir:2:5", "ids": []}
    page = show(full_report(status="failed", failure=failure, phases=[], ptx=None, sass=None))
    expect(page.locator(".note").first).to_have_text("expected ','")
    for name in ("decisions", "selection", "drawings", "resources", "run"):
        page.locator(f"#tab-{name}").click()


def test_themes(show: Show):
    page = show(full_report(), color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    expect_value(page, ground, "rgb(20, 23, 27)")
    page.get_by_role("button", name="Theme: auto").click()
    expect_value(page, ground, "rgb(255, 255, 255)")
    page.keyboard.press("t")
    expect_value(page, ground, "rgb(20, 23, 27)")


@pytest.mark.parametrize("width", [360, 700])
def test_narrow(show: Show, width: int):
    page = show(full_report(), viewport={"width": width, "height": 800})
    boxes = [box for p in page.locator(".panel").all() if (box := p.bounding_box())]
    assert all(box["width"] <= width for box in boxes)
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#tab-decisions").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_divider_moves_by_keys(show: Show):
    page = show(full_report())
    height = "document.getElementById('tab-panel').clientHeight"
    before = page.evaluate(height)
    page.locator("#divider").focus()
    page.keyboard.press("ArrowUp")
    page.wait_for_function(f"{height} > {before}")
