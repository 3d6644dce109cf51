/** True if one of some names means an app: its track id, or `store:trackId`. */
export function isAppNamed(
  names: readonly string[] | ReadonlySet<string>,
  { store, trackId }: { readonly store?: string | null | undefined; readonly trackId: string },
): boolean {
  const has = (name: string) => ("has" in names ? names.has(name) : names.includes(name));
  return has(trackId) || (typeof store === "string" && has(`${store}:${trackId}`));
}
