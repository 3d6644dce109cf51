/**
 * Throws a UsageError for a name that no dataset has; without it, an empty result would mislead. For commands that only read the ledger:
 * loading the datasets takes most of the time of such a command, so it is done only for this check.
 */
export async function checkNames(names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const { datasetNamed } = await import("../datasets/shared/all.ts");
  for (const name of names) datasetNamed(name);
}
