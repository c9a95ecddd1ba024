"""What a user would pick instead, doing the same work on the same machine in the same run."""
