"""Integer and float arithmetic on the registers of one thread."""
