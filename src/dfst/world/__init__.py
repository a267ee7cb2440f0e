"""The world a control unit acts in: the plane, runs, traces, and the loop that closes them."""
