"""Learners side by side: trained on the same traces, measured by one function, kept as one line each."""
