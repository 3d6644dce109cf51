import { openClickHouse } from "../../src/publish/clickhouse.ts";
import { publish } from "../../src/publish/publish.ts";
import { openClickHouseStage, type ClickHouseStage } from "./clickhouse-stage.ts";
import { openExportStage, type ExportStage } from "./export-stage.ts";

/** The table that tests publish. */
export const ranks = "core.fact_keyword_rank";

type Environment = {
  CLICKHOUSE_URL: string;
  CLICKHOUSE_USER: string;
  CLICKHOUSE_PASSWORD: string;
  LOG_LEVEL: "silent";
};

/** A warehouse and a ClickHouse into which it is published. */
export type PublishStage = AsyncDisposable & {
  readonly stage: ExportStage;
  readonly there: ClickHouseStage;
  readonly environment: Environment;
  /** Publishes the ranks alone, or what is named; what came of the ranks. */
  readonly published: (
    only?: readonly string[],
    to?: Environment,
  ) => Promise<Readonly<Record<"swapped" | "unchanged" | "removed" | "rows", number | undefined>>>;
  /** Ranks that are there, by month. */
  readonly months: () => ReturnType<ClickHouseStage["ask"]>;
};

/** Opens both; one at a time, as the ClickHouse. */
export async function openPublishStage(): Promise<PublishStage> {
  await using opened = new AsyncDisposableStack();
  const stage = opened.use(await openExportStage());
  const there = opened.use(await openClickHouseStage());
  const environment: Environment = {
    CLICKHOUSE_URL: there.url,
    CLICKHOUSE_USER: there.user,
    CLICKHOUSE_PASSWORD: there.password,
    LOG_LEVEL: "silent",
  };
  let at = 0;
  const all = opened.move();
  return {
    stage,
    there,
    environment,
    published: async (only = [ranks], to = environment) => {
      await using clickHouse = openClickHouse({ environment: to });
      const { tables } = await publish(stage, clickHouse, { now: () => (at += 1000), only });
      const one = tables.find(({ table }) => table === ranks);
      return { swapped: one?.swapped, unchanged: one?.unchanged, removed: one?.removed, rows: one?.rows };
    },
    months: () =>
      there.ask(
        `select toYYYYMM(date_day) as month, toInt32(count()) as count from ${ranks} group by month order by month`,
      ),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
