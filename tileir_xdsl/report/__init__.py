"""The report of a compilation: IR of every phase, decisions of passes, and origins of lines.

`schema.py` defines the data and their JSON; `recording.py` observes a compilation and writes the
report while it runs. `provenance.py` tracks ops and values from phase to phase; `explaining.py`
compiles one file and reports on it. This package is imported only when a report is requested.
"""
