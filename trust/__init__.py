"""How we try to break it, and what we count."""
