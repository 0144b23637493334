"""Rows are judged by their goals, and the page has the stored figures."""

from __future__ import annotations

from dataclasses import replace

from bench.cpu.__main__ import STORED
from bench.cpu.rows import MEASURES, ROWS, Row, rows_of
from bench.cpu.table import BEGIN, END, PAGE, table
from bench.framework.results import Result


def test_goals():
    row = Row("softmax 1 MB", "softmax", (256,), 0.8)
    times = {"ours": 0.8, "numpy": 2.0, "jax": 1.0, "numba fast": 0.1, "by hand": 0.7}
    is_reached, text = row.judged(times)
    assert is_reached and "0.80 of jax (goal 0.80), 1.14 of the loop by hand" in text
    assert not row.judged({**times, "jax": 0.9})[0]
    assert not row.judged({**times, "by hand": 0.5})[0]


def test_rates():
    row = Row("matmul", "matmul", (1000, 1000, 1000), 1.2, ("numpy",), gflop=2.0)
    assert "100 GFLOP/s" in row.judged({"ours": 20.0, "numpy": 20.0})[1]


def test_our_code_runs_on_each_number_of_threads():
    (row,) = rows_of(["add 1 MB"])
    runs = replace(row, problem=(2,)).on_threads((1, 2))
    assert list(runs) == ["1", "2"]
    for run in runs.values():
        run()


def test_names():
    assert [row.name for row in rows_of(["add"])] == ["add 1 MB", "add 16 MB"]
    assert rows_of([]) == list(ROWS)
    assert len({row.name for row in ROWS}) == len(ROWS)


def test_table():
    values = tuple(2.0 if name == "ours" else None if name == "numba" else 4.0 for name in MEASURES)
    text = table(Result("cpu", "a machine", MEASURES, {"gelu 1 MB": values}))
    assert "Measured on a machine." in text
    assert "| gelu 1 MB | 2 | 4 | 4 |  | 4 | 4 | 0.50 | 0.80 | 0.50 |" in text


def test_the_page_has_the_stored_figures():
    _, _, rest = PAGE.read_text().partition(BEGIN)
    assert rest.partition(END)[0] == table(Result.read(STORED))
