import { createApp } from "../src/app.ts";
import { exportRaw } from "../src/archive/export-answers.ts";
import { importFiles } from "../src/archive/import-files.ts";
import { replay } from "../src/archive/replay.ts";
import type { Config } from "../src/config/config.ts";
import { datasetNamed } from "../src/datasets/shared/all.ts";
import { createDimensions } from "../src/load/dimensions.ts";
import { createPartitions } from "../src/load/partitions.ts";
import { ownCpuSince } from "./cpu.ts";
import { timed } from "./stopwatch.ts";
import { today } from "./work.ts";

/** What work on stored answers took; `peak` is the largest resident set, in bytes. */
export type ArchiveTime = {
  readonly ms: number;
  readonly cpuMs: number;
  readonly slices: number;
  readonly peak: number;
};

/**
 * What is done with the stored answers of keyword ranks: tables are rebuilt from them, or they are written to a folder or loaded from it.
 */
export type ArchiveWork = {
  readonly config: Config;
  readonly what: "replay" | "export" | "import";
  readonly folder: string;
};

/** Does what `storehouse replay`, `raw export` and `raw import` do. */
export async function archiveMeasured({ config, what, folder }: ArchiveWork): Promise<ArchiveTime> {
  await using app = await createApp(config, today);
  const { db } = app.warehouse;
  const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  const strike = (body: Buffer) => body;
  const works = {
    replay: async () => (await replay(parts, datasetNamed("keyword_rank"), { within: {}, keepPruned: false })).slices,
    export: async () => (await exportRaw(db, { datasets: ["keyword_rank"], within: {}, out: folder, strike })).written,
    import: async () =>
      (
        await importFiles(parts, [folder], {
          account: "",
          dryRun: false,
          strike,
          refused: (error) => {
            throw error;
          },
        })
      ).loaded,
  };
  const cpuBefore = process.cpuUsage();
  const { result, ms } = await timed(works[what]);
  return { ms, cpuMs: ownCpuSince(cpuBefore), slices: result, peak: process.resourceUsage().maxRSS * 1024 };
}
