import type { Task } from "graphile-worker";
import { z } from "zod";
import type { IngestParts } from "../src/ingest/ingest-parts.ts";
import type { TaskContext } from "./task-context.ts";

/** A line of the crontab has no payload for it. */
export const PublishPayload = z.strictObject({});

/** Brings the ClickHouse of CLICKHOUSE_URL up to date; does nothing if it is not set. */
export default function publishTask({ clock, log, halted }: IngestParts, { config, warehouse }: TaskContext): Task {
  return async () => {
    if (config.environment.CLICKHOUSE_URL === undefined) return;
    // loaded when it is due: a worker has no other use for it
    const { openClickHouse } = await import("../src/publish/clickhouse.ts");
    const { publish } = await import("../src/publish/publish.ts");
    await using clickHouse = openClickHouse(config);
    await publish(warehouse, clickHouse, {
      now: () => clock.now(),
      signal: halted,
      onLost: ({ table, lost }) => log.warn({ table, months: lost }, "publish.lost"),
      onTable: ({ table, swapped, removed, rows, rowsOutOfRange, outOfRange }) => {
        if (swapped + removed > 0) log.info({ table, months: swapped, removed, rows }, "publish.table");
        if (rowsOutOfRange > 0) log.warn({ table, rows: rowsOutOfRange, values: outOfRange }, "publish.out_of_range");
      },
    });
  };
}
