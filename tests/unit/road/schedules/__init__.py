"""Does work overlap as the schedule says, and are the results right all the same?"""
