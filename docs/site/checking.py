"""What a built site must be: small, whole, and free of anything that is loaded from elsewhere."""

import re
from collections.abc import Iterator
from pathlib import Path

MAX_BYTES = 10_000_000

LOADED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*?\bsrc=[\"']?((?:https?:)?//[^\"'\s>]+)"
    r"|<link\b(?=[^>]*\brel=[\"']?(?:stylesheet|preconnect|preload|icon))[^>]*?"
    r"\bhref=[\"']?((?:https?:)?//[^\"'\s>]+)"
)
"""What a browser fetches when it shows a page, from another host."""

IMPORTED = re.compile(r"url\([\"']?((?:https?:)?//[^)\"']+)|@import [\"']?(https?:[^\"';]+)")


def problems_of(site: Path) -> list[str]:
    """What is wrong with a site, a line each."""
    return list(_problems(site))


def _problems(site: Path) -> Iterator[str]:
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    if size > MAX_BYTES:
        yield f"{site}: {size} bytes, expected at most {MAX_BYTES}"
    if not (site / "search" / "search_index.json").is_file():
        yield f"{site}: nothing to search"
    for path in sorted(site.rglob("*")):
        pattern = {".html": LOADED, ".css": IMPORTED}.get(path.suffix)
        if pattern is None:
            continue
        for found in pattern.finditer(path.read_text(encoding="utf-8")):
            address = next(group for group in found.groups() if group)
            yield f"{path.relative_to(site)}: loads {address}"
