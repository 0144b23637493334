"""A test format of lit in which commands that are Python scripts start with their modules imported.

lit's own shell does all but start them: a fork of lit's process takes the place of a new interpreter,
and runs the same script, `xdsl-opt` of the environment for example, with the arguments, environment,
folder and streams that the shell gives it.
"""

import gc
import importlib
import os
import signal
import subprocess
import sys
import types
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from multiprocessing import current_process
from pathlib import Path
from typing import Any, NoReturn
from unittest import mock

import lit.formats
import lit.TestRunner

MODULES = (
    "filecheck.main",
    "tileir_xdsl.backend.ptx.target",
    "tileir_xdsl.cli.compile_server.client",
    "tileir_xdsl.cli.main",
    "tileir_xdsl.universe",
    "xdsl.dialects.test",
    "xdsl.targets.mlir",
    "xdsl.tools.xdsl_opt",
)
"""What most commands import, besides passes."""

BROKEN_STREAM = 120
"""Exit status of Python where its output cannot be written at the end."""


class ForkingShTest(lit.formats.ShTest):
    """Tests with `RUN:` lines, whose Python scripts run in forks of the process of lit."""

    def __init__(self, environment: Mapping[str, str]):
        """Imports what the commands will import, as they would; nothing of it is called.

        Args:
            environment: the variables of the commands.
        """
        super().__init__(execute_external=False)
        with warnings.catch_warnings(), mock.patch.dict(os.environ, environment, clear=True):
            warnings.simplefilter("error")
            for name in MODULES:
                importlib.import_module(name)
            for entry in importlib.import_module("tileir_xdsl.passes").PASSES.values():
                entry.load()
        # The pages stay shared with the forks.
        gc.collect()
        gc.freeze()

    def execute(self, test: Any, litConfig: Any) -> Any:
        """The result of a test."""
        popen = partial(_Popen, variables=_for_python(test.config.environment))
        shell = types.SimpleNamespace(**vars(subprocess) | {"Popen": popen})
        with mock.patch.object(lit.TestRunner, "subprocess", shell):
            return super().execute(test, litConfig)


class _Popen(subprocess.Popen[str]):
    """A process of a command: a fork where that does the same as a new program.

    It does not where a script is not this interpreter's, or a variable of Python is not that of the
    modules imported here, as after `env PYTHONPATH=..`.
    """

    def __init__(
        self,
        args: Sequence[str],
        *,
        executable: str,
        env: Mapping[str, str],
        variables: Mapping[str, str],
        **options: Any,
    ):
        words = words_of_script(args, executable)
        become = None
        if words and _for_python(env) == variables:
            # It does not return, so that the program that follows is not executed.
            become = partial(_become, words, env)
        super().__init__(args, executable=executable, env=env, preexec_fn=become, **options)


def words_of_script(args: Sequence[str], executable: str) -> Sequence[str]:
    """The arguments of a Python script that this interpreter would run, the script first.

    Nothing for other programs.
    """
    if executable == sys.executable:
        return args[1:] if len(args) > 1 and args[1].endswith(".py") else ()
    with open(executable, "rb") as file:
        is_script = file.readline().rstrip() == b"#!" + os.fsencode(sys.executable)
    return (executable, *args[1:]) if is_script else ()


def _for_python(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that a new interpreter reads."""
    return {name: value for name, value in environment.items() if name.startswith("PYTHON")}


def _become(words: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """Runs a script in this process, the streams 0 to 2 of which are its own, and ends it."""
    # The shell waits until its side of this process is closed.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    sys.stdin = os.fdopen(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
    # As Python has them; `Popen` has set them back for the program, and keeps the collector away.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_IGN)
    gc.enable()
    # A worker of lit may not have processes of its own.
    current_process().daemon = False
    os.environ.clear()
    os.environ.update(environment)
    warnings.simplefilter("error")
    status = _run(words)
    os._exit(status if _flush() else BROKEN_STREAM)


def _flush() -> bool:
    """Writes what is left of the output; whether that succeeds."""
    try:
        sys.stdout.flush()
    except OSError:
        return False
    return True


def _run(words: Sequence[str]) -> int:
    """The exit status of a script."""
    script = words[0]
    sys.argv[:] = words
    sys.path.remove(os.path.dirname(__file__))
    sys.path[0] = os.path.dirname(script)
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    module.__file__ = script
    try:
        exec(compile(Path(script).read_bytes(), script, "exec"), vars(module))
    except BaseException as error:
        _flush()
        if isinstance(error, SystemExit) and not isinstance(error.code, str):
            return error.code or 0
        if isinstance(error, SystemExit):
            print(error.code, file=sys.stderr)
        else:
            # Without the frame of this function.
            here = error.__traceback__
            sys.excepthook(type(error), error.with_traceback(here and here.tb_next), None)
        return 1
    return 0
