"""Do the sources, tests, commands and pages keep the rules that hold for all of them?"""
