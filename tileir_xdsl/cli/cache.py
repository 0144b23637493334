"""`tileir cache`: lists and removes stored results of earlier compilations."""

import argparse
import json
import sys
from datetime import datetime

from tileir_xdsl.runtime.cache.entries import title
from tileir_xdsl.runtime.cache.keys import is_on, opened
from tileir_xdsl.runtime.cache.store import Store
from tileir_xdsl.runtime.errors import InputError

ACTIONS = {
    "list": "each entry, the one used last first",
    "stats": "where the cache is, its size and limit, how often it had what was asked for",
    "clear": "remove all entries",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir cache`."""
    described = "; ".join(f"{name}: {what}" for name, what in ACTIONS.items())
    parser.add_argument("action", choices=ACTIONS, help=described)
    parser.add_argument("--json", action="store_true", help="print a JSON object")


def run(args: argparse.Namespace) -> int:
    """Executes the chosen action. Raises InputError for an entry that cannot be removed."""
    actions = {"list": _list, "stats": _stats, "clear": _clear}
    found, text = actions[args.action](opened())
    sys.stdout.write(json.dumps(found) + "\n" if args.json else text)
    return 0


def _list(store: Store) -> tuple[object, str]:
    rows: list[dict[str, object]] = []
    for entry in sorted(store.entries(), key=lambda entry: -entry.used):
        data = store.peek(entry)
        if data is None:
            continue
        about = title(data)
        if about is None:
            continue
        used = datetime.fromtimestamp(entry.used).isoformat(" ", "seconds")
        rows.append(
            {
                "used": used,
                "bytes": entry.size,
                "gpu": about.gpu,
                "emit": about.emit,
                "file": about.file,
            }
        )
    lines = [
        f"{row['used']} {row['bytes']:>10} {row['gpu']:<8} {row['emit']:<9} {row['file']}\n"
        for row in rows
    ]
    return rows, "".join(lines)


def _stats(store: Store) -> tuple[object, str]:
    entries, counts = store.entries(), store.counts()
    size = sum(entry.size for entry in entries)
    found = {
        "folder": str(store.folder),
        "on": "yes" if is_on() else "no",
        "entries": len(entries),
        "bytes": size,
        "limit": store.limit,
        "hits": counts.hits,
        "misses": counts.misses,
    }
    lines = [f"{name:<8} {value}\n" for name, value in found.items()]
    return found, "".join(lines)


def _clear(store: Store) -> tuple[object, str]:
    try:
        count = store.clear()
    except OSError as error:
        raise InputError(str(error.filename or store.folder), error.strerror or error) from error
    return {"removed": count}, f"{count} entries removed\n"
