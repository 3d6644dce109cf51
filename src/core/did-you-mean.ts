/** ", did you mean ...?" for the name that a mistyped one was most likely to be; empty when none is near. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const near = names
    .map((name) => ({ name, off: distance(plain(typed), plain(name)) }))
    .filter(({ name, off }) => off <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.off - b.off)[0];
  return near === undefined ? "" : `, did you mean ${near.name}?`;
}

/** Letters and digits of any script; a name without any as it is, or it would be near every short one. */
function plain(name: string): string {
  const kept = name.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]/gu, "");
  return kept === "" ? name : kept;
}

/** Letters to put in, take out or change, to make one word of the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (b[j - 1] === a[i - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
