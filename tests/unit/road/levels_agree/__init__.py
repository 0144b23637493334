"""Does each level, PTX among them, compute what the first one does, and keep its lines?"""
