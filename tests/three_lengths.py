"""A machine that more than one test is about."""

THREE = """
input: aabbcc
blank: ' '
start state: next
table:
  next:
    a: {write: x, R: to b}
    x: R
    ' ': {L: accept}
  to b:
    [a, x]: R
    b: {write: x, R: to c}
  to c:
    [b, x]: R
    c: {write: x, L: home}
  home:
    [a, b, x]: L
    ' ': {R: next}
  accept:
"""
"""As many a as b as c, in this order; nearly every string drawn at random is rejected at once."""
