"""Values and rules. No I/O, standard library only.

May be imported by every other package.
"""
