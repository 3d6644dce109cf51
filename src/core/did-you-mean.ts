/** ", did you mean ...?" with the name most similar to a mistyped one; empty if none is similar. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const near = names
    .map((name) => ({ name, off: distance(plain(typed), plain(name)) }))
    .filter(({ name, off }) => off <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.off - b.off)[0];
  return near === undefined ? "" : `, did you mean ${near.name}?`;
}

/** Only the letters and digits, of any script; a name without any is unchanged, or it would be similar to every short one. */
function plain(name: string): string {
  const kept = name.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]/gu, "");
  return kept === "" ? name : kept;
}

/** The number of letters to insert, delete or change to turn one word into the other. */
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
