"""The Python door: thin handles, whose methods call the verbs of the layers below."""
