import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { oneDay } from "../../src/core/window.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { keywordRank } from "../../src/datasets/keyword-rank.ts";
import { fetchSlice } from "../../src/ingest/fetch-slice.ts";
import { openRun } from "../../src/ledger/runs.ts";
import { insertSlices } from "../../src/ledger/slices.ts";
import { openIngest } from "../../src/open-ingest.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { openStage, today, until } from "../support/ingest-stage.ts";
import { claim } from "../support/queue-steps.ts";

test("calls go on while others fill the memory, and their answers are stored and not read", async () => {
  await using stage = await openStage();
  await using app = await stage.open();
  await using ingest = await openIngest(app, "foreground", createRunLimit(null));
  const { parts } = ingest;
  const [now, datasets] = [parts.clock.now(), [keywordRank.name]];
  const run = { kind: "sync", account: "", workerId: parts.workerId, asOf: today, datasets, maxCredits: null } as const;
  const drafts = [1, 2].map((days) =>
    sliceOf({
      operation: "android.keyword-ranking",
      scope: { store: "android", app: "app.lumi.habit", country: "US" },
      items: ["word"],
      window: oneDay(addDays(today, -days)),
    }),
  );
  const ids = await insertSlices(parts.db, await openRun(parts.db, run, now), drafts, now);
  parts.claimedSlices.start("full");
  parts.claimedSlices.ready("full", 30_000);
  const read: string[] = [];
  const signal = new AbortController().signal;
  const begin = async (id: string) => {
    parts.claimedSlices.start(id);
    const slice = await claim(parts.db, id, parts, now);
    if (slice === null) throw new Error("the test expected to have the slice");
    await fetchSlice(parts, keywordRank, slice, { unsent: signal, underWay: signal });
    read.push(id);
  };
  const reading: Promise<void>[] = [];
  // by the time that the answer to the second is stored, that to the first could have been read
  for (const [place, id] of ids.entries()) {
    reading.push(begin(id));
    await until(async () => (await stage.query("select from raw.answer")).length === place + 1);
  }
  expect(read).toEqual([]);
  parts.claimedSlices.end("full");
  await Promise.all(reading);
  expect(read.toSorted()).toEqual([...ids].sort());
});
