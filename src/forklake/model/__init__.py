"""Values and rules, without input or output: the standard library only.

Everything may import it.
"""
