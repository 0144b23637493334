"""Forms: what each step of the compiler makes of the inputs that the unit tests give it.

While unit tests run, `hooks.py` notes what every pass, the PTX backend, the readers and writers, the
emulator and the interpreters return, each with its input. `forms.tsv` has digests of both. Where an
input is known and the output is another one, the test that gave it fails, and names the first such
step. An input that is not known says nothing: so a row depends on one step alone, and neither on the
steps before it nor on the order of tests.

`python -m tests.forms update` writes the digests anew, and `python -m tests.forms show TEST` prints
how an output differs from that of another revision.
"""
