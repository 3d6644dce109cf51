/**
 * Throws a UsageError for a name that no dataset has: that nothing is found of it says nothing. For commands that read the ledger alone;
 * loading the datasets is most of what such a command costs, so it is done for this alone.
 */
export async function checkNames(names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const { datasetNamed } = await import("../datasets/shared/all.ts");
  for (const name of names) datasetNamed(name);
}
