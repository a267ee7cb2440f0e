"""Machines for the fifteen problems that turingmachine.io shows, in its format, written for these tests."""

MACHINES = {
    "add in binary": """
input: '10+11'
blank: ' '
start state: end
table:
  end: {[0, 1, +]: R, ' ': {L: take}}
  take:
    0: {write: ' ', L: seek zero}
    1: {write: ' ', L: seek one}
    +: {write: ' ', L: clean}
  seek zero: {[0, 1]: L, +: {L: put zero}}
  seek one: {[0, 1]: L, +: {L: put one}}
  put zero:
    [o, i]: L
    [0, ' ']: {write: o, R: return}
    1: {write: i, R: return}
  put one:
    [o, i]: L
    [0, ' ']: {write: i, R: return}
    1: {write: o, L: carried}
  carried:
    1: {write: 0, L}
    [0, ' ']: {write: 1, R: return}
  return: {[0, 1, o, i, +]: R, ' ': {L: take}}
  clean:
    o: {write: 0, L}
    i: {write: 1, L}
    [0, 1]: L
    ' ': {R: sum}
  sum:
""",
    "increment": """
input: '1101'
blank: ' '
start state: end
table:
  end: {[0, 1]: R, ' ': {L: one more}}
  one more:
    1: {write: 0, L}
    0: {write: 1, N: ready}
    ' ': {write: 1, N: ready}
  ready:
""",
    "multiply in binary": """
input: '11*10'
blank: ' '
start state: first
table:
  first: {[0, 1]: {L: mark}}
  mark: {' ': {write: =, R: end}}
  end: {[0, 1, '*']: R, ' ': {L: bit}}
  bit:
    0: {write: ' ', L: shift}
    1: {write: ' ', L: to sum}
  to sum: {[0, 1]: L, '*': {L: take}}
  shift: {[0, 1]: L, '*': {write: 0, R: move}}
  again: {[0, 1, =]: R, '*': {write: 0, R: move}}
  move:
    0: {write: '*', R: with 0}
    1: {write: '*', R: with 1}
    ' ': {L: wipe}
  with 0:
    0: R
    1: {write: 0, R: with 1}
    ' ': {write: 0, R: end}
  with 1:
    1: R
    0: {write: 1, R: with 0}
    ' ': {write: 1, R: end}
  wipe: {[0, 1]: {write: ' ', L}, =: {write: ' ', L: product}}
  product:
  take:
    0: {write: z, L: seek 0}
    1: {write: y, L: seek 1}
    =: {L: clean}
  seek 0: {[0, 1]: L, =: {L: put 0}}
  seek 1: {[0, 1]: L, =: {L: put 1}}
  put 0:
    [o, i]: L
    [0, ' ']: {write: o, R: return}
    1: {write: i, R: return}
  put 1:
    [o, i]: L
    [0, ' ']: {write: i, R: return}
    1: {write: o, L: carried}
  carried:
    1: {write: 0, L}
    [0, ' ']: {write: 1, R: return}
  return:
    [0, 1, o, i, =]: R
    z: {write: 0, L: take}
    y: {write: 1, L: take}
  clean:
    o: {write: 0, L}
    i: {write: 1, L}
    [0, 1]: L
    ' ': {R: again}
""",
    "busy beaver of three states": """
blank: 0
start state: p
table:
  p: {0: {write: 1, R: q}, 1: {R: stop}}
  q: {0: {write: 1, L: q}, 1: {write: 0, R: r}}
  r: {0: {write: 1, L: r}, 1: {L: p}}
  stop:
""",
    "busy beaver of four states": """
blank: 0
start state: p
table:
  p: {0: {write: 1, R: q}, 1: {L: q}}
  q: {0: {write: 1, L: p}, 1: {write: 0, L: r}}
  r: {0: {write: 1, R: stop}, 1: {L: s}}
  s: {0: {write: 1, R: s}, 1: {write: 0, R: p}}
  stop:
""",
    "copy ones": """
input: '11'
blank: ' '
start state: next
table:
  next:
    1: {write: x, R: gap}
    ' ': {L: restore}
  gap: {1: R, ' ': {R: far}}
  far: {1: R, ' ': {write: 1, L: near}}
  near: {1: L, ' ': {L: home}}
  home: {1: L, x: {R: next}}
  restore: {x: {write: 1, L}, ' ': {R: copied}}
  copied:
""",
    "divisible by three": """
input: '110'
blank: ' '
start state: none
table:
  none: {0: R, 1: {R: one}, ' ': {N: accept}}
  one: {0: {R: two}, 1: {R: none}}
  two: {0: {R: one}, 1: R}
  accept:
""",
    "divisible by three, in decimal": """
input: '471'
blank: ' '
start state: none
table:
  none: {[0, 3, 6, 9]: R, [1, 4, 7]: {R: one}, [2, 5, 8]: {R: two}, ' ': {N: accept}}
  one: {[0, 3, 6, 9]: R, [1, 4, 7]: {R: two}, [2, 5, 8]: {R: none}}
  two: {[0, 3, 6, 9]: R, [1, 4, 7]: {R: none}, [2, 5, 8]: {R: one}}
  accept:
""",
    "product of lengths": """
input: aabbcccc
blank: ' '
start state: outer
table:
  outer:
    a: {write: ' ', R: inner}
    b: {R: rest}
    ' ': {N: accept}
  inner:
    a: R
    b: {write: d, R: pay}
    x: {L: reset}
    ' ': {N: accept}
  pay:
    [b, x]: R
    c: {write: x, L: back}
  back:
    [b, x]: L
    d: {R: inner}
  reset:
    d: {write: b, L}
    a: L
    ' ': {R: outer}
  rest:
    [b, x]: R
    ' ': {N: accept}
  accept:
""",
    "equal strings": """
input: '10#10'
blank: ' '
start state: take
table:
  take:
    0: {write: ' ', R: zero}
    1: {write: ' ', R: one}
    '#': {R: nothing left}
  zero: {[0, 1]: R, '#': {R: expect zero}}
  one: {[0, 1]: R, '#': {R: expect one}}
  expect zero: {x: R, 0: {write: x, L: home}}
  expect one: {x: R, 1: {write: x, L: home}}
  home: {[0, 1, '#', x]: L, ' ': {R: take}}
  nothing left: {x: R, ' ': {N: accept}}
  accept:
""",
    "three equal lengths": """
input: aabbcc
blank: ' '
start state: next
table:
  next:
    a: {write: x, R: to b}
    x: R
    ' ': {N: accept}
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
""",
    "palindromes": """
input: abba
blank: ' '
start state: left
table:
  left:
    a: {write: ' ', R: a to the right}
    b: {write: ' ', R: b to the right}
    ' ': {N: accept}
  a to the right: {[a, b]: R, ' ': {L: is it a}}
  b to the right: {[a, b]: R, ' ': {L: is it b}}
  is it a: {a: {write: ' ', L: home}, ' ': {N: accept}}
  is it b: {b: {write: ' ', L: home}, ' ': {N: accept}}
  home: {[a, b]: L, ' ': {R: left}}
  accept:
""",
    "powers of two": """
input: '0000'
blank: ' '
start state: first
table:
  first: {0: {write: ' ', R: only one}}
  only one:
    x: R
    0: {write: x, R: even}
    ' ': {N: accept}
  even:
    x: R
    0: {R: odd}
    ' ': {L: home}
  odd:
    x: R
    0: {write: x, R: even}
  home: {[0, x]: L, ' ': {R: only one}}
  accept:
""",
    "zero, one, for ever": """
blank: ' '
start state: zero
table:
  zero: {' ': {write: 0, R: gap after zero}}
  gap after zero: {' ': {R: one}}
  one: {' ': {write: 1, R: gap after one}}
  gap after one: {' ': {R: zero}}
""",
    "multiply in unary": """
input: '11*11'
blank: ' '
start state: outer
table:
  outer:
    1: {write: ' ', R: over}
    '*': {R: rest}
  over: {1: R, '*': {R: inner}}
  inner:
    1: {write: ' ', R: gap}
    ' ': {L: back}
  gap: {1: R, ' ': {R: far}}
  far: {1: R, ' ': {write: 1, L: near}}
  near: {1: L, ' ': {L: home}}
  home: {1: L, ' ': {write: 1, R: inner}}
  back: {[1, '*']: L, ' ': {write: 1, R: outer}}
  rest: {1: R, ' ': {N: product}}
  product:
""",
}
