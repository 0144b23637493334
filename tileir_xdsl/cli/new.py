"""`tileir new`: a cuTile kernel that runs on numpy, or a package with a pass, an op or a target."""

import argparse
import json
import re
from importlib.util import find_spec
from pathlib import Path

from xdsl.universe import XDSL_UNIVERSE

from tileir_xdsl import samples, templates
from tileir_xdsl.cli.output import write_output
from tileir_xdsl.passes import PASSES
from tileir_xdsl.runtime.errors import InputError

SUFFIX = ".py"

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir new`."""
    written = parser.add_mutually_exclusive_group(required=True)
    written.add_argument(
        "file", nargs="?", metavar="FILE.py", help="a kernel: the file, which must not exist"
    )
    for kind, said in templates.KINDS.items():
        written.add_argument(
            f"--{kind}",
            metavar="NAME",
            help=f"an installable package with {said}, and its tests, in the folder NAME",
        )
    parser.add_argument(
        "--json", action="store_true", help="print the name of the file or folder as JSON"
    )


def run(args: argparse.Namespace) -> int:
    """Writes the files and prints the next steps. Raises InputError for existing files or bad
    names.
    """
    given = {kind: getattr(args, kind) for kind in templates.KINDS}
    kind, name = next(((k, n) for k, n in given.items() if n is not None), ("", args.file))
    said = _write_package(kind, name) if kind else _write_kernel(name)
    print(json.dumps({"folder" if kind else "file": name}) if args.json else said)
    return 0


def _write_kernel(file: str) -> str:
    """Writes the file of a kernel; returns the next steps."""
    path = Path(file)
    if path.suffix != SUFFIX:
        raise InputError(file, f"expected a name that ends in {SUFFIX}")
    if path.exists():
        raise InputError(file, "the file already exists")
    write_output(file, samples.CUTILE_KERNEL.read_text("utf-8").replace("NAME", path.name))
    return f"{file}: run it with python {file}"


def _write_package(kind: str, name: str) -> str:
    """Writes the folder of a package; returns the next steps."""
    option = f"--{kind} {name}"
    if _NAME.fullmatch(name) is None:
        raise InputError(
            option,
            "expected a letter, then lower-case letters, digits and single "
            "underscores, such as my_name",
        )
    if Path(name).exists():
        raise InputError(option, f"{name} already exists")
    if find_spec(name) is not None or name.replace("_", "-") in {
        *PASSES,
        *XDSL_UNIVERSE.all_passes,
    }:
        raise InputError(option, "a module or a pass of this name already exists")
    for file, text in templates.files_of(kind, name).items():
        path = Path(name, file)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(str(path.parent), error.strerror or error) from error
        write_output(str(path), text)
    return f"{name}: test it with pytest {name}, and read {name}/README.md"
