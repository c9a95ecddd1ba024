"""Many processes change one lake at the same time, faults included, and write down what they saw: their histories.

From the histories and the lake as it is in the end, `checker` proves what a user relies on: an acknowledged commit is
there exactly once, one without an answer is there wholly or not at all, every read is the state of one snapshot, and
forks never move. No Spark and no data files: files exist in the metadata only.
"""
