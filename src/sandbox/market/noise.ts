/** A 32-bit hash of text and numbers: the same parts give the same number on every machine and in every time zone. */
export function hashOf(...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const part of parts) {
    const text = String(part);
    for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    hash = Math.imul(hash ^ 0x1f, 0x01000193);
  }
  return scramble(hash);
}

/** A new hash from a hash and a number: a cheap way to get many independent draws for one object. */
export function mix(hash: number, salt: number): number {
  return scramble(hash ^ Math.imul(salt | 0, 0x9e3779b1));
}

/** A hash as a number in [0, 1). */
export function unit(hash: number): number {
  return (hash >>> 0) / 0x1_0000_0000;
}

/** The item that a hash picks. Throws on an empty list. */
export function pick<T>(hash: number, items: readonly T[]): T {
  const item = items[Math.floor(unit(hash) * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

/** Smooth noise in [0, 1); it moves from one level to the next in `period` steps of `x`. */
export function wave(hash: number, x: number, period: number): number {
  const place = x / period;
  const left = Math.floor(place);
  const way = place - left;
  const from = unit(mix(hash, left));
  return from + (unit(mix(hash, left + 1)) - from) * way * way * (3 - 2 * way);
}

/** Slow movement in (-1, 1): the sum of three waves, over weeks, days and less. */
export function wander(hash: number, x: number): number {
  const tide = wave(mix(hash, 1), x, 45) * 0.6;
  const swell = wave(mix(hash, 2), x, 13) * 0.27;
  const ripple = wave(mix(hash, 3), x, 4) * 0.13;
  return (tide + swell + ripple) * 2 - 1;
}

/** murmur3's finaliser: one changed bit of the input changes half of the bits of the output. */
function scramble(hash: number): number {
  let mixed = hash >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
