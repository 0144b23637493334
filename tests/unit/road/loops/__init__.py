"""Are loops and branches right, with loads that are started ahead of their iteration?"""
