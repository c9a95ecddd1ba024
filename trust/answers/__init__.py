"""Right answers: generated statements, judged by an engine that takes no shortcuts."""
