"""Command-line arguments that select random programs."""

import argparse


def add_seeds(parser: argparse.ArgumentParser, size: int, unit: str) -> None:
    """Declares the arguments for the seeds, the size of each program in `unit`, and the
    printing.
    """
    parser.add_argument("--seeds", type=int, default=200, help="how many programs")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one")
    parser.add_argument("--size", type=int, default=size, help=f"{unit} of each")
    parser.add_argument("--whole", action="store_true", help="print programs as they are")
