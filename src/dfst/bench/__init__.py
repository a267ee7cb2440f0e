"""Measurements behind every speed that is claimed: ours and the plain way, side by side in one run."""
