"""Makes haystacks as "Summary of a Haystack" does: documents of which it is known what they say.

A topic is expanded into subtopics, each into insights; every document is written to mention a few
of them, and it is checked which it mentions. Source: section 3.2 and appendix A.1 of the paper.
"""
