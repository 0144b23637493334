"""Does `mlir-opt` of upstream read what we print of its dialects, and refuse what we refuse?"""
