// The random numbers of numpy's default_rng(seed), so that a training in the browser starts where Python's does.
//
// SeedSequence spreads the seed over 256 bits, PCG64 (XSL-RR) turns these into doubles in [0, 1).

const MASK32 = 0xffffffffn;
const MASK64 = (1n << 64n) - 1n;
const MASK128 = (1n << 128n) - 1n;
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;
const POOL = 4;

/** Four words of 64 bits for a seed of at most 32 bits. */
function spread(seed) {
  let constant = 0x43b0d7e5n;
  const hash = (value) => {
    value = (value ^ constant) & MASK32;
    constant = (constant * 0x931e8875n) & MASK32;
    value = (value * constant) & MASK32;
    return value ^ (value >> 16n);
  };
  const mix = (x, y) => {
    const result = (0xca01f9ddn * x - 0x4973f715n * y) & MASK32;
    return result ^ (result >> 16n);
  };
  const pool = Array.from({ length: POOL }, (_, i) => hash(i === 0 ? BigInt(seed) : 0n));
  for (let from = 0; from < POOL; from++)
    for (let to = 0; to < POOL; to++) if (from !== to) pool[to] = mix(pool[to], hash(pool[from]));
  constant = 0x8b51f9ddn;
  const words = Array.from({ length: 8 }, (_, i) => {
    let value = pool[i % POOL] ^ constant;
    constant = (constant * 0x58f38dedn) & MASK32;
    value = (value * constant) & MASK32;
    return value ^ (value >> 16n);
  });
  return [0, 2, 4, 6].map((i) => words[i] | (words[i + 1] << 32n));
}

/** A function that gives the next number of numpy.random.default_rng(seed).random(). */
export function defaultRng(seed) {
  const [high, low, incHigh, incLow] = spread(seed);
  const increment = ((((incHigh << 64n) | incLow) << 1n) | 1n) & MASK128;
  const advance = (state) => (state * MULTIPLIER + increment) & MASK128;
  let state = advance((advance(0n) + ((high << 64n) | low)) & MASK128);
  return () => {
    state = advance(state);
    const word = (state >> 64n) ^ (state & MASK64);
    const turn = state >> 122n;
    const bits = ((word >> turn) | (word << (-turn & 63n))) & MASK64;
    return Number(bits >> 11n) / 2 ** 53;
  };
}
