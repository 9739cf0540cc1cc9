"""Makes questions as Long2RAG does: seeds are filtered, and others are evolved from them.

Source: section 3.1 and appendix B of the paper. The evolving is that of Evol-Instruct.
"""
