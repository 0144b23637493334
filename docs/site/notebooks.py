"""Notebooks as pages: their text, their code, and the outputs that are stored in them."""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def page(notebook: Path, folder: Path) -> str:
    """The page of a notebook; its pictures are written into `folder`."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    text = "\n\n".join(
        part for number, cell in enumerate(cells) for part in _parts(cell, notebook, folder, number)
    )
    return text + "\n"


def _parts(cell: dict[str, Any], notebook: Path, folder: Path, number: int) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield re.sub(r"(\]\(\w+)\.ipynb", r"\1.md", source)
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        if "text" in output:
            yield f"```text\n{''.join(output['text']).rstrip()}\n```"
        elif "traceback" in output:
            yield "```text\n" + "\n".join(output["traceback"]) + "\n```"
        elif svg := output["data"].get("image/svg+xml"):
            name = f"{notebook.stem}-{number}.svg"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("".join(svg), encoding="utf-8")
            told = html.escape(" ".join("".join(output["data"]["text/plain"]).split()))
            yield f'<img class="drawing" src="{folder.name}/{name}" alt="{told}">'
        else:
            # A blank line would end the block.
            yield re.sub(r"\n(?=\n)", "\n&#8203;", "".join(output["data"]["text/html"]))


def index(notebooks: list[Path]) -> str:
    """The page that lists the notebooks, each with the question it answers."""
    lines = ["# Notebooks", "", "They run without a GPU, and hold their outputs.", ""]
    lines += ["| notebook | question |", "|---|---|"]
    for notebook in notebooks:
        first = "".join(json.loads(notebook.read_text(encoding="utf-8"))["cells"][0]["source"])
        title, question, *_ = first.split("\n\n")
        asked = " ".join(question.strip("*").split())
        lines.append(f"| [{title.removeprefix('# ')}]({notebook.stem}.md) | {asked} |")
    return "\n".join(lines) + "\n"
