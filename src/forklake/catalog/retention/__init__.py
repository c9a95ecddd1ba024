"""What is kept and what is released: expiry, garbage, files due for deletion, and who keeps a file.

Imports `lakes`, `reading` and `transaction`.
"""
