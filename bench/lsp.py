"""How long an editor waits for the language server.

`python -m bench.lsp [RUNS]` starts `tileir lsp`, opens files of about 500 ops at each level, and
asks as an editor does, over the protocol. It prints medians of RUNS runs in milliseconds of wall
time, warm: from a change of the text to the diagnostics for it, and from a request to its answer
where the text has been read before; and the server's processor time for a change, which other work
on the machine does not lengthen. The goal is 200 ms for each.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import psutil

from bench.framework.results import Kind, Recorder, parse_runs
from bench.parse import KERNELS, kernel_text, tile_text
from tests.unit.lsp.client import URI, Client, served
from tileir_xdsl import load
from tileir_xdsl.runtime.reader import new_context

OPS = 500
KERNEL = "attention"
LEVELS = {"nv_tileaa": KERNEL, "nv_tileas": KERNEL, "llvm": "heat_step"}
"""The kernel of each lower level: that of the first ones has 1,600 ops at the last."""
PROCESSOR = "processor"
"""The processor time of a change."""

QUESTIONS = ("change", PROCESSOR, "hover", "definition", "references", "completion", "outline")


def texts() -> dict[str, str]:
    """Programs of about `OPS` ops."""
    context = new_context()
    found = {"cuda_tile, elementwise": tile_text(OPS)}
    found[f"cuda_tile, {KERNEL}"] = kernel_text(context, KERNEL, OPS)
    for level, kernel in LEVELS.items():
        lowered = load(str(KERNELS / f"{kernel}.mlir"), "sm_90a").lower(level)
        found[f"{level}, {kernel}"] = _enlarged(lowered.text)
    return found


def _enlarged(text: str) -> str:
    """The text as often as makes `OPS` lines, each for itself."""
    lines = text.count("\n")
    return "// -----\n".join([text] * max(1, round(OPS / lines)))


def _milliseconds(ask: Callable[[], object]) -> float:
    start = time.perf_counter()
    ask()
    return 1e3 * (time.perf_counter() - start)


def _processor_milliseconds(client: Client) -> float:
    times = psutil.Process(client.process.pid).cpu_times()
    return 1e3 * (times.user + times.system)


def measure(client: Client, text: str, runs: int) -> list[float]:
    """Medians for each of `QUESTIONS`."""
    lines = text.split("\n")
    line = next(n for n in range(len(lines) // 2, len(lines)) if " = " in lines[n])
    operand = lines[line].rfind("%")
    asks: dict[str, Callable[[], object]] = {
        "hover": lambda: client.at("hover", line, operand + 1),
        "definition": lambda: client.at("definition", line, operand + 1),
        "references": lambda: client.at(
            "references", line, operand + 1, context={"includeDeclaration": True}
        ),
        "completion": lambda: client.at("completion", line, operand + 1),
        "outline": lambda: client.ask("textDocument/documentSymbol", textDocument={"uri": URI}),
    }
    taken: dict[str, list[float]] = {name: [] for name in QUESTIONS}
    for run in range(runs + 2):
        edited = text + f"// {run}\n"
        before = _processor_milliseconds(client)
        times = {"change": _milliseconds(lambda edited=edited: client.change(edited))}
        times[PROCESSOR] = _processor_milliseconds(client) - before
        times |= {name: _milliseconds(ask) for name, ask in asks.items()}
        # The first ones import dialects.
        if run >= 2:
            for name, milliseconds in times.items():
                taken[name].append(milliseconds)
    return [statistics.median(taken[name]) for name in QUESTIONS]


def main() -> None:
    """Measures and prints the table."""
    args = parse_runs(__doc__, 5)
    measures: dict[str, Kind] = dict.fromkeys(QUESTIONS, "time")
    recorder = Recorder("lsp", measures)
    print(f"{'milliseconds':<28}{'lines':>7}" + "".join(f"{name:>12}" for name in QUESTIONS))
    with served() as client:
        client.initialize()
        client.open("")
        for label, text in texts().items():
            medians = measure(client, text, args.runs)
            recorder.add(label, medians)
            count = text.count("\n")
            print(f"{label:<28}{count:>7}" + "".join(f"{median:>12.1f}" for median in medians))
    recorder.write(args.json)


if __name__ == "__main__":
    main()
