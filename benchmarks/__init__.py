"""Measurements that anybody can repeat: ratios against a peer or a floor measured in the same run."""
