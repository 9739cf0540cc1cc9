"""Does this version print and write what an earlier one did?"""
