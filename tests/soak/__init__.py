"""Long runs of everything that draws its inputs, within a time.

`python -m tests.soak --minutes 60 --log build/soak.json` shares the time among the parts, goes on with the
seeds after those of earlier runs, and ends with a table.
"""
