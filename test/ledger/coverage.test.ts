import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { scopeKey } from "../../src/core/slice.ts";
import { readCoverage } from "../../src/ledger/coverage.ts";
import { august, draft, openLedgerStage, type LedgerStage } from "../support/ledger-stage.ts";

describe("readCoverage", () => {
  let stage: LedgerStage;
  let worker: string;
  let run: string;

  beforeAll(async () => {
    stage = await openLedgerStage();
  });

  beforeEach(async () => {
    await stage.reset();
    worker = await stage.alive();
    run = await stage.run();
  });

  afterAll(() => stage[Symbol.asyncDispose]());

  test("tells of every slice of the dataset what was asked for and what came of it", async () => {
    const states = ["pending", "running", "deferred", "loaded", "empty", "skipped", "failed"] as const;
    for (const [index, state] of states.entries())
      await stage.inState(
        run,
        state,
        worker,
        draft({ window: august(index + 1), items: ["a, b", "c"], fingerprint: "f" }),
      );
    await stage.inState(run, "loaded", worker, draft({ dataset: "other" }));
    const { scope, asOf } = draft();
    const found = await readCoverage(stage.db, "keyword_rank", {});
    expect([...found.keys()]).toEqual([scopeKey(scope)]);
    expect(found.get(scopeKey(scope))).toEqual(
      states.map((state, index) => ({
        scope,
        items: ["a, b", "c"],
        window: august(index + 1),
        state,
        asOf,
        fingerprint: "f",
        refused: false,
      })),
    );
  });

  test("keeps scopes apart and knows one whatever the order of its parts", async () => {
    const german = { store: "ios", app: "1", country: "DE" };
    await stage.insert(
      run,
      draft(),
      draft({ scope: german }),
      draft({ scope: { country: "DE", app: "1", store: "ios" }, window: august(1) }),
    );
    const found = await readCoverage(stage.db, "keyword_rank", {});
    expect(found.get(scopeKey(german))).toHaveLength(2);
    expect(found.get(scopeKey(draft().scope))).toHaveLength(1);
  });

  test("reads only windows that touch the days asked for, ends left out", async () => {
    const week = { start: day("2026-08-03"), end: day("2026-08-10") };
    await stage.insert(run, draft({ window: august(1) }), draft({ window: week }), draft({ window: august(10) }));
    const windows = async (within: Parameters<typeof readCoverage>[2]) =>
      [...(await readCoverage(stage.db, "keyword_rank", within)).values()].flat().map(({ window }) => window.start);
    expect(await windows({ start: day("2026-08-02"), end: day("2026-08-04") })).toEqual([week.start]);
    expect(await windows({ start: week.end })).toEqual(["2026-08-10"]);
    expect(await windows({ end: week.start })).toEqual(["2026-08-01"]);
    expect(await windows({})).toHaveLength(3);
  });
});
