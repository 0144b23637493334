"""`tileir view`: a kernel that changes, and a choice that the reader forces in the page."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.watching import Watch
from tests.unit.tools import REPOSITORY

KERNEL = REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "divisible" / "transpose.mlir"
LAYOUTS = "tileas-assign-load-store-layouts"
NARROW = f"{LAYOUTS}{{force=#18=ldg_32}}"
WIDE = {"width": 2400, "height": 1000}
MINUTE = 60_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "transpose.mlir").write_bytes(KERNEL.read_bytes())
    return folder


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """Where `tileir view` shows the folder."""
    command = [sys.executable, "-m", "tileir_xdsl.cli.main", "view", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[0]
        process.terminate()
        assert process.wait(60) == 0


def settled(page: Page) -> None:
    """Waits until the page shows what was compiled last."""
    expect(page.locator("#live-state")).to_have_text("Up to date", timeout=MINUTE)


@pytest.fixture
def page(address: str, open_page: OpenPage) -> Page:
    """The page of the kernel, reached as a reader does, with nothing forced."""
    page = open_page(address, viewport=WIDE)
    page.get_by_role("link", name="transpose.mlir").click()
    settled(page)
    give_up = page.get_by_role("button", name="Give up all")
    if give_up.count():
        give_up.click()
        expect(give_up).to_have_count(0, timeout=MINUTE)
    return page


def choose(page: Page, force: str) -> None:
    """Chooses another candidate by its button, as a reader does by keys."""
    name = page.locator(".phase-name").filter(has_text=re.compile(r"^10"))
    name.click()
    page.locator("#tab-decisions").click()
    decision = page.locator("details.decision").filter(has=page.get_by_text(force, exact=True))
    if decision.get_attribute("open") is None:
        decision.locator("summary").first.click()
    row = decision.locator("tr").filter(has=page.get_by_text(force, exact=True))
    row.get_by_role("button", name="Choose").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="1 choice forced")).to_be_visible(timeout=MINUTE)


def cells(page: Page, name: str) -> Locator:
    """The cells of a row of the comparison."""
    row = page.locator("#tab-panel tr").filter(has=page.get_by_role("cell", name=name, exact=True))
    return row.locator("td")


def expect_counts(page: Page, name: str, before: str, now: str) -> None:
    """Waits until a row of the comparison has these two."""
    expect(cells(page, name).nth(1)).to_have_text(before)
    expect(cells(page, name).nth(2)).to_have_text(now)


def test_another_choice_is_compiled_and_compared(page: Page):
    choose(page, NARROW)
    expect(page.locator("#tab-choices")).to_have_attribute("aria-selected", "true")
    expect_counts(page, "ld.global.v4.b32", "1", "0")
    expect_counts(page, "ld.global.b32", "0", "4")
    _, before, now, change = cells(page, f"score of what {LAYOUTS} chose").all_inner_texts()
    assert float(now) > float(before) and change.startswith("+")

    page.locator("#tab-panel").get_by_role("button", name="PTX", exact=True).click()
    expect(page.locator(".row.removed").filter(has_text="ld.global.v4.b32")).to_have_count(1)
    expect(page.locator(".compared select").last).to_have_value("ptx")

    page.get_by_role("button", name=f"Give up {NARROW}").click()
    expect(page.get_by_role("button", name="1 choice forced")).to_have_count(0, timeout=MINUTE)
    expect_counts(page, "ld.global.v4.b32", "0", "1")


def test_a_choice_that_no_longer_fits(page: Page, folder: Path):
    choose(page, NARROW)
    kernel = folder / "transpose.mlir"
    text = kernel.read_text()
    kernel.write_text(re.sub(r"^.*(load|store|permute|return).*\n", "", text, flags=re.M))
    expect(page.get_by_role("alert")).to_be_visible(timeout=MINUTE)
    expect(page.locator("#live-state")).to_have_text("Failed: see the diagnostic")
    kernel.write_text(text)
    settled(page)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_file_that_changes_leaves_open_what_is_open(page: Page, folder: Path):
    page.locator(".phase-name").filter(has_text=re.compile(r"^5")).click()
    page.locator("#tab-resources").click()
    page.keyboard.press("d")
    page.locator("#panels > .panel >> nth=0 >> .row").nth(5).locator(".line-number").click()
    expect(page.locator(".legend")).to_have_count(1)
    titles = [panel.get_attribute("aria-label") for panel in page.locator(".panel").all()]

    with page.expect_navigation(timeout=MINUTE):
        kernel = folder / "transpose.mlir"
        kernel.write_text(kernel.read_text() + "// changed\n")
    settled(page)
    expect(page.locator("#tab-resources")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".legend")).to_have_count(1)
    assert [panel.get_attribute("aria-label") for panel in page.locator(".panel").all()] == titles
    page.keyboard.press("1")
    page.keyboard.press("End")
    expect(page.locator(".row.cursor").first).to_contain_text("// changed")


def test_the_list_follows_the_folder(address: str, open_page: OpenPage, folder: Path):
    page = open_page(address, viewport=WIDE)
    expect(page.get_by_role("link")).to_have_text(["transpose.mlir"])
    (folder / "new <kernel>.mlir").write_text("")
    expect(page.get_by_role("link")).to_have_text(["new <kernel>.mlir", "transpose.mlir"])
    (folder / "new <kernel>.mlir").unlink()
    expect(page.get_by_role("link")).to_have_text(["transpose.mlir"])


def test_another_site_reads_nothing(
    address: str, open_page: OpenPage, tmp_path: Path, watch: Watch
):
    other = tmp_path / "other.html"
    other.write_text("<!doctype html><title>other</title>")
    page = open_page(other)
    script = """async (address) => {
      const modes = [{}, { mode: "no-cors" }, { method: "POST", body: "{}" }];
      const asked = modes.map((mode) => fetch(address + "changes", mode).then((r) => r.text()));
      return (await Promise.allSettled(asked)).map(({ value }) => value ?? "");
    }"""
    assert page.evaluate(script, address) == ["", "", ""]
    assert all("error: " in problem for problem in watch.problems)
    watch.problems.clear()
