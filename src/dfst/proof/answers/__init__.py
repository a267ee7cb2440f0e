"""What the experts compute, and why: for each family the shapes of its runs, for answer_checker.py.

Nothing here is trusted. What is written down wrongly, the checker refuses.
"""
