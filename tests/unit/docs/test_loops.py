"""The table of loops is that of the stored rows, and what is above the goal has a cause."""

from bench.loops import stored_rows
from docs import loops


def test_the_page_has_the_stored_rows():
    text = loops.PAGE.read_text("utf-8")
    assert loops.page(text) == text


def test_each_row_above_the_goal_has_a_cause():
    lacking = [line for line in loops.causes(stored_rows()) if line.endswith(": ")]
    assert not lacking


def test_rows_of_the_tensor_cores_do_not_count():
    fast = (1.0, 0.4, *(0.0,) * 20)
    slow = (1.0, 0.6, *(0.0,) * 20)
    rival = (0.5, 0.2, *(0.0,) * 20)
    assert loops.cell({"ours": fast, "Triton": rival}) == "1.00, 0.50, (2.00)"
    assert loops.cell({"ours": slow, "Triton": rival}) == "1.00, 0.50, **2.00**"
    assert loops.cell({"ours": slow, "Triton": "refused"}) == "1.00, no rival"
    assert loops.above({f"sm_80 B by order: {who}": row for who, row in
                        (("ours", slow), ("Triton", rival))}) == {"B by order": ["sm_80"]}  # fmt: skip
