"""Errors of a command line, with a suggestion."""

import argparse
import re

from tileir_xdsl.suggestions import did_you_mean

_CHOICE = re.compile(r"invalid choice: '(?P<given>[^']*)' \(choose from (?P<known>.*)\)")
_UNRECOGNIZED = "unrecognized arguments: "


def with_suggestion(message: str, parser: argparse.ArgumentParser) -> str:
    """The message of argparse, with the most similar choice or option of the parser."""
    if choice := _CHOICE.search(message):
        known = re.findall(r"[\w.-]+", choice["known"])
        return message + did_you_mean(choice["given"], known)
    if message.startswith(_UNRECOGNIZED):
        first, *_ = message.removeprefix(_UNRECOGNIZED).split()
        options = re.findall(r"(?<![\w-])--[\w-]+", parser.format_help())
        return message + did_you_mean(first.partition("=")[0], options)
    return message
