import type { Task } from "graphile-worker";
import { z } from "zod";
import type { IngestParts } from "../src/ingest/ingest-parts.ts";
import type { TaskContext } from "./task-context.ts";

/** A line of the crontab has no payload for it. */
export const ExportPayload = z.strictObject({});

/** Brings the files of `export.to` up to date; does nothing if the configuration names no place. */
export default function exportTask({ clock, log, halted }: IngestParts, { config, warehouse }: TaskContext): Task {
  return async () => {
    if (config.settings.export.to === undefined) return;
    // loaded when it is due: a worker has no other use for it
    const { exportAsConfigured } = await import("../src/export/export-as-configured.ts");
    await exportAsConfigured(warehouse, config, {
      now: () => clock.now(),
      signal: halted,
      onTable: ({ table, written, removed, rows, again }) => {
        if (again.length > 0) log.warn({ table, months: again }, "export.loaded_again");
        if (written + removed > 0) log.info({ table, files: written, removed, rows }, "export.table");
      },
    });
  };
}
