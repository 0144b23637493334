"""The `tileir` command: compile, run and check Tile IR kernels."""


def may_be_python(word: str) -> bool:
    """Whether a word of a command line may name a Python file, or a kernel in one."""
    return word.endswith(".py") or ".py:" in word
