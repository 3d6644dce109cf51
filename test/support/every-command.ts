import { today, type Stage } from "./ingest-stage.ts";

/** A command as it is typed, and how it must end. */
export type TypedCommand = { readonly typed: readonly string[]; readonly ends: number };

/**
 * Every command of Storehouse that ends without a signal, once, for a stage whose small market is synced; in an order in which each has something
 * to do. `folder` is where files go; the last ones need the owner's rights, and end with 2 without them.
 */
export async function everyCommand(stage: Stage, folder: string, isOwner: boolean): Promise<readonly TypedCommand[]> {
  const [app] = await stage.query<{ id: string; name: string }>(
    "select track_id as id, app_name as name from core.dim_app where store = 'ios' and app_name is not null order by app_key limit 1",
  );
  const { id = "", name = "" } = app ?? {};
  const typed: readonly (readonly string[])[] = [
    ["init", "--yes", "--write", "init.env"],
    ["plan", "--as-of", today, "--json"],
    ["sync", "--as-of", today, "--yes", "--json"],
    [
      "backfill",
      "--dataset",
      "keyword_rank",
      "--from",
      "2026-07-20",
      "--to",
      "2026-07-22",
      "--as-of",
      today,
      "--yes",
      "--json",
    ],
    ["status", "--json"],
    ["gaps", "--as-of", today, "--json"],
    ["failures", "--json"],
    ["held", "--json"],
    ["runs", "--json"],
    ["show", "1", "--json"],
    ["credits", "--json"],
    ["retry", "--json"],
    ["find", name, "--json"],
    ["app", id, "--country", "US", "--json"],
    ["discover", "ios", id, "--json"],
    ["keywords", "add", id, "US", "a new keyword", "--yes", "--json"],
    ["replay", "--dataset", "keyword_rank", "--json"],
    ["raw", "list", "--json"],
    ["raw", "show", "1"],
    ["raw", "export", "--out", folder, "--json"],
    ["raw", "import", folder, "--json"],
    ["prune", "--keep-days", "0", "--yes", "--json"],
    ["retention", "--yes", "--json"],
    ["alerts", "--json"],
    ["alerts", "test", "--json"],
    ["doctor", "--json"],
    ["schedule", "--json"],
    ["estimate", "--apps", "1", "--countries", "1", "--keywords", "1", "--dataset", "app_rating", "--json"],
    ["lookback", "--json"],
    ["export", "--table", "dim_app", "--out", `${folder}/parquet`, "--json"],
    ["dbt", "--out", `${folder}/dbt`],
    ["chart", "coverage", "--dataset", "keyword_rank", "--out", `${folder}/coverage.svg`],
    ["operations", "--json"],
    ["datasets", "--json"],
    ["completion", "bash"],
    ["migrate"],
    ["grants", "--print"],
  ];
  const owners = [["grants", "--json"]];
  return [
    ...typed.map((one) => ({ typed: one, ends: 0 })),
    // nobody answers there
    { typed: ["metabase", "--url", "http://127.0.0.1:1", "--wait", "0", "--json"], ends: 2 },
    // it has no address
    { typed: ["publish", "--json"], ends: 2 },
    // its input is empty; where the owner's rights are, the reader has a password
    { typed: ["mcp"], ends: isOwner ? 0 : 2 },
    ...owners.map((one) => ({ typed: one, ends: isOwner ? 0 : 2 })),
  ];
}

/** Those that go on until they are stopped. */
export const endless = ["worker", "sandbox", "console", "gateway"];
