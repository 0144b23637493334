"""Do ops on tiles give each element its value in PTX, whatever its type and its place?"""
