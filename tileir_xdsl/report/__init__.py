"""The report of a compilation: every phase of the IR, what was decided, where each line is from.

`schema.py` is the data and their JSON, `recording.py` observes a compilation and writes the report
while it runs. `provenance.py` follows ops and values from phase to phase, and `explaining.py`
compiles one file this way. Nothing of this package is imported unless somebody asks for a report.
"""
