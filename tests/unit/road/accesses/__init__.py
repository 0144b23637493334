"""Do accesses of memory touch what they say, in the order of their tokens, and nothing else?"""
