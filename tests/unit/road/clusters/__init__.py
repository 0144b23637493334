"""Are kernels right whose tile blocks several thread blocks (CTAs) carry out together?"""
