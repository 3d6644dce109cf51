import path from "node:path";
import type { ArchiveTime } from "./archive-measured.ts";
import type { Bench, Size } from "./bench.ts";
import { emptyRanks, forgetAll, settle } from "./postgres.ts";
import { atFullTilt, copyOnce, expect, fetchAll, order } from "./rounds.ts";
import { answersOf } from "./work.ts";

/** One round: `COPY` before each of our measurements. Times in ms. */
export type ArchiveRound = {
  readonly copies: readonly number[];
  readonly replay: ArchiveTime;
  readonly replayBeside: ArchiveTime;
  readonly import: ArchiveTime;
};

/**
 * Measures replay, into an empty table and over existing rows, and the import of the same answers from files. The answers are fetched
 * first. `text`: the rows for COPY.
 */
export async function measureArchive(
  bench: Bench,
  size: Size,
  text: readonly Buffer[],
): Promise<readonly ArchiveRound[]> {
  const { client, folder: place } = bench.postgres;
  const folder = path.join(place, "answers");
  const run = async (what: "replay" | "export" | "import") => {
    await settle(client);
    const { config } = atFullTilt(bench, size);
    const done = await order<ArchiveTime>(bench, { kind: "archive", config, what, folder });
    expect(done.slices, answersOf(size.work), `answers of ${what}`);
    return done;
  };
  const rounds: ArchiveRound[] = [];
  bench.say("answers into files");
  await forgetAll(client);
  await fetchAll(bench, size, "new");
  await run("export");
  for (let round = 1; round <= size.rounds; round += 1) {
    bench.say(`round ${round} of ${size.rounds}: COPY, replay, COPY, import of files`);
    const first = await copyOnce(bench, size, text);
    await emptyRanks(client);
    const [replay, replayBeside] = [await run("replay"), await run("replay")];
    const second = await copyOnce(bench, size, text);
    await forgetAll(client);
    rounds.push({ copies: [first, second], replay, replayBeside, import: await run("import") });
  }
  return rounds;
}
