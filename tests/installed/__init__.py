"""What cuTile, `tileiras` and `ptxas`, as they are installed, have and this package does not.

`facts` reads what they have from what they say of themselves, `parts` compares it with our tables,
and `reasons` lists what is missing here, and why.
"""
