import { beforeEach, describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { scopeKey } from "../../src/core/slice.ts";
import { coverageReader } from "../../src/ledger/coverage.ts";
import { endAttempt } from "../../src/ledger/slices.ts";
import { august, draft, ending, now, openLedgerStage } from "../support/ledger-stage.ts";
import { forTests } from "../support/for-tests.ts";

describe("coverageReader", () => {
  const stage = forTests(openLedgerStage);
  let worker: string;
  let run: string;

  beforeEach(async () => {
    await stage.reset();
    worker = await stage.alive();
    run = await stage.run();
  });

  test("reports of every slice of the dataset what was requested and what came of it", async () => {
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
    const found = await coverageReader(stage.db, "keyword_rank", {}).read([draft().scope]);
    expect([...found.keys()]).toEqual([scopeKey(scope)]);
    expect(found.get(scopeKey(scope))).toEqual(
      states.map((state, index) => ({
        scope,
        operation: draft().operation,
        items: ["a, b", "c"],
        window: august(index + 1),
        state,
        asOf,
        fingerprint: "f",
        refused: false,
      })),
    );
  });

  test("says which of the failed ones failed with an error that a later request may not meet", async () => {
    for (const [index, code] of ["server_error", "unexpected_shape"].entries()) {
      const [id = ""] = await stage.insert(run, draft({ window: august(index + 1) }));
      const error = { code, message: "" };
      await endAttempt(stage.db, await stage.claimed(id, worker), { ...ending, state: "failed", error }, now);
    }
    const found = await coverageReader(stage.db, "keyword_rank", {}).read([draft().scope]);
    expect(found.get(scopeKey(draft().scope))?.map(({ isPassing }) => isPassing)).toEqual([true, undefined]);
  });

  test("keeps scopes apart and recognises one in any order of its parts", async () => {
    const german = { store: "ios", app: "1", country: "DE" };
    await stage.insert(
      run,
      draft(),
      draft({ scope: german }),
      draft({ scope: { country: "DE", app: "1", store: "ios" }, window: august(1) }),
    );
    const found = await coverageReader(stage.db, "keyword_rank", {}).read([german, draft().scope]);
    expect(found.get(scopeKey(german))).toHaveLength(2);
    expect(found.get(scopeKey(draft().scope))).toHaveLength(1);
  });

  test("reads only windows that touch the requested days, ends left out", async () => {
    const week = { start: day("2026-08-03"), end: day("2026-08-10") };
    await stage.insert(run, draft({ window: august(1) }), draft({ window: week }), draft({ window: august(10) }));
    const windows = async (within: Parameters<typeof coverageReader>[2]) => {
      const found = await coverageReader(stage.db, "keyword_rank", within).read([draft().scope]);
      return [...found.values()].flat().map(({ window }) => window.start);
    };
    expect(await windows({ start: day("2026-08-02"), end: day("2026-08-04") })).toEqual([week.start]);
    expect(await windows({ start: week.end })).toEqual(["2026-08-10"]);
    expect(await windows({ end: week.start })).toEqual(["2026-08-01"]);
    expect(await windows({})).toHaveLength(3);
  });

  test("reads the requested scopes, and reports nothing of the others", async () => {
    const german = { store: "ios", app: "1", country: "DE" };
    await stage.insert(run, draft(), draft({ scope: german }));
    const coverage = coverageReader(stage.db, "keyword_rank", {});
    expect([...(await coverage.read([german])).keys()]).toEqual([scopeKey(german)]);
    expect(await coverage.read([{ ...german, country: "FR" }])).toEqual(new Map());
    expect(await coverage.read([])).toEqual(new Map());
  });

  test("lists slices in the order in which they were made, for any windows", async () => {
    await stage.insert(run, draft({ window: august(9) }), draft({ window: august(3) }), draft({ window: august(5) }));
    const found = await coverageReader(stage.db, "keyword_rank", {}).read([draft().scope]);
    expect(found.get(scopeKey(draft().scope))?.map(({ window }) => window)).toEqual([august(9), august(3), august(5)]);
  });

  test("gives one array of items to all slices of a batch, from one reading to the next", async () => {
    const other = { ...draft().scope, country: "DE" };
    const items = ["a", "b"];
    await stage.insert(
      run,
      draft({ items, window: august(1) }),
      draft({ items, window: august(2) }),
      draft({ items, scope: other }),
      draft({ items: ["a"], window: august(3) }),
    );
    const coverage = coverageReader(stage.db, "keyword_rank", {});
    const found = [
      ...(await coverage.read([draft().scope])).values(),
      ...(await coverage.read([other])).values(),
    ].flat();
    expect(new Set(found.map((slice) => slice.items)).size).toBe(2);
    expect(found.map((slice) => slice.items)).toEqual([items, items, ["a"], items]);
  });

  test("keeps texts whole that resemble lists", async () => {
    const odd = { ...draft().scope, app: 'a,"b"|{c}' };
    await stage.insert(
      run,
      draft({ scope: odd, fingerprint: "keywords, 12" }),
      draft({ scope: odd, window: august(7) }),
    );
    const found = (await coverageReader(stage.db, "keyword_rank", {}).read([odd])).get(scopeKey(odd));
    expect(found?.map(({ fingerprint }) => fingerprint)).toEqual(["keywords, 12", draft().fingerprint]);
  });

  test("gives loaded slices that are final as the stretches of days that those of a list cover, and all others apart", async () => {
    const planned = day("2026-08-12");
    const items = ["a"];
    for (const date of [1, 2, 5, 9, 10])
      await stage.inState(run, "loaded", worker, draft({ items, window: august(date), asOf: planned }));
    await stage.inState(run, "loaded", worker, draft({ items: ["b"], window: august(2), asOf: planned }));
    await stage.inState(run, "empty", worker, draft({ items, window: august(3), asOf: planned }));
    await stage.insert(run, draft({ items, window: august(4), asOf: planned }));
    const read = async (finalDays: number) => {
      const found = await coverageReader(stage.db, "keyword_rank", { finalDays }).read([draft().scope]);
      return [...found.values()]
        .flat()
        .map(({ items: own, window, state, asOf }) => [
          own?.[0],
          window.start.slice(-2),
          window.end.slice(-2),
          state,
          asOf,
        ])
        .sort();
    };
    const others = [
      ["a", "03", "04", "empty", planned],
      ["a", "04", "05", "pending", planned],
      ["b", "02", "03", "loaded", planned],
    ];
    const stretch = (start: string, end: string, asOf = planned) => ["a", start, end, "loaded", asOf];
    expect(await read(2)).toEqual([stretch("01", "03"), stretch("05", "06"), stretch("09", "11"), ...others].sort());
    // the 10th was planned for a day after its end, the others for two or more
    await stage.pool.query("update ops.slice set as_of = '2026-08-14' where window_start = '2026-08-01'");
    const newest = day("2026-08-14");
    expect(await read(3)).toEqual(
      [
        stretch("01", "03", newest),
        stretch("05", "06", newest),
        stretch("09", "10", newest),
        stretch("10", "11"),
        ...others,
      ].sort(),
    );
  });

  test("says of answered days that were dropped since before which day, and of which slices that are tails", async () => {
    const week = { start: day("2026-07-29"), end: day("2026-08-05") };
    await stage.inState(run, "loaded", worker, draft({ window: week }));
    await stage.inState(run, "failed", worker, draft({ window: august(1) }));
    const [first] = await stage.slices("slice_id");
    await stage.insert(run, draft({ window: august(9), tailOf: String(first?.["slice_id"]) }));
    const read = async () =>
      [...(await coverageReader(stage.db, "keyword_rank", {}).read([draft().scope])).values()].flat();
    expect((await read()).map(({ goneBefore, isTail }) => [goneBefore, isTail])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [undefined, true],
    ]);
    await stage.pool.query(
      `insert into ops.dropped_month values ('keyword_rank', 'core.fact_keyword_rank', '2026-07-01', 'drop', 0, 0, 'me', now() + interval '100 years', true)`,
    );
    expect((await read()).map(({ goneBefore }) => goneBefore)).toEqual(["2026-08-01", undefined, undefined]);
    await stage.pool.query("delete from ops.dropped_month");
  });
});
