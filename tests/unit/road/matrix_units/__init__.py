"""Are dots right on the matrix units of each target, and in the form that is meant for them?"""
