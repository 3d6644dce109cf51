import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addDays } from "../src/core/day.ts";
import { datasets } from "../src/datasets/shared/all.ts";
import type { SandboxOptions } from "../src/sandbox/sandbox.ts";
import { everythingOn } from "../src/demo/shows.ts";
import { runCommand } from "./support/command.ts";
import { loadAgain, syncedStage } from "./support/ingest-conformance.ts";
import { syncCommand } from "./support/ingest-child.ts";
import { openStage, today, type Stage } from "./support/ingest-stage.ts";
import { factsOf, versionsOf } from "./support/ingest-tables.ts";
import { long } from "./support/long.ts";

const days = 8;
const market = { apps: 2, countries: ["US"], keywordsPerApp: 4, organicKeywords: 4 } as const;

/** Tables of sums over a window: where its end is left out of it, the service sums up other days. */
const sums = datasets
  .filter(({ timing }) => timing.kind === "period")
  .flatMap(({ tables }) => tables.map(({ name }) => name));

/**
 * Spellings that the contract leaves open: each says the same, so that the same rows must come of it, save in the tables that `differ`.
 * Two that touch different parts of an answer share a warehouse.
 */
const spellings: readonly {
  readonly name: string;
  readonly spelling: SandboxOptions;
  readonly differ?: readonly string[];
}[] = [
  { name: "no envelope where it is open, text as it is", spelling: { openEnvelope: "bare", textAnswer: "text" } },
  { name: "lists under a name, instants as local times", spelling: { bareLists: "named", dateForm: "local" } },
  {
    name: "open ends that are left out, 404 where nothing is there",
    spelling: { openEnd: "exclusive", noData: "404" },
    differ: sums,
  },
  {
    name: "long ranges cut in silence, other words for the stores",
    spelling: { longRange: "cut", storeWords: { ios: "apple", android: "google" } },
  },
];

let usual: Record<string, string[]>;

beforeAll(async () => {
  await using stage = await syncedStage({ market }, days);
  usual = await factsOf(stage);
});

/** All at once, in which every list has a name: the first pair alone, see below, sends lists without one. The long run takes each pair alone. */
const together = {
  name: "the spellings of all at once",
  spelling: Object.assign({}, ...spellings.map(({ spelling }) => spelling)) as SandboxOptions,
  differ: sums,
};

describe.each(long ? [...spellings, together] : [together])(
  "everything on, with $name",
  ({ spelling, differ = [] }) => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await syncedStage({ market, ...spelling }, days);
    });
    afterAll(() => stage[Symbol.asyncDispose]());

    test("every table says what it says of the usual spelling", async () => {
      const same = (facts: Record<string, string[]>) =>
        Object.entries(facts).filter(([table]) => !differ.includes(table));
      expect(same(await factsOf(stage))).toEqual(same(usual));
    });

    test("what was planned is what was charged, but for what was refused", async () => {
      const [sum] = await stage.query<{ planned: number }>(
        "select sum(planned_credits)::int as planned from ops.slice where state in ('loaded', 'empty')",
      );
      expect(stage.asked().reduce((charged, request) => charged + request.charged, 0)).toBe(sum?.planned);
    });

    test.runIf(spelling === together.spelling)("nothing is written when answers are loaded again", async () => {
      const before = await versionsOf(stage);
      for (const dataset of datasets) await loadAgain(stage, dataset, { later: [1], most: long ? null : 2 });
      expect(await versionsOf(stage)).toEqual(before);
    });
  },
);

/** A day takes the first pair and a zone together; the long run takes each alone. */
const zones = long
  ? [
      { TZ: "Pacific/Kiritimati", spelling: {} },
      { TZ: "Pacific/Pago_Pago", spelling: {} },
    ]
  : [{ TZ: "Pacific/Kiritimati", spelling: spellings[0]?.spelling }];

test.each(zones)(
  "every table is the same on a machine in $TZ, with the spelling $spelling",
  async ({ TZ, spelling }) => {
    await using stage = await openStage({ market, ...spelling });
    const command = [...syncCommand, "--from", addDays(today, -days)];
    expect(await runCommand(stage, command, { settings: everythingOn, variables: { TZ } })).toMatchObject({ code: 0 });
    expect(await factsOf(stage)).toEqual(usual);
  },
);

test("an account with nothing connected fails nothing and rejects nothing", async () => {
  await using stage = await syncedStage({ market, connected: false }, days);
  expect(await stage.query("select dataset, state from ops.slice where state not in ('loaded', 'empty')")).toEqual([]);
  expect(await stage.query("select dataset, reason from ops.reject")).toEqual([]);
  const facts = await factsOf(stage);
  expect(facts["core.fact_search_ads_report"]).toEqual([]);
  expect(facts["core.fact_keyword_rank"]).toEqual(usual["core.fact_keyword_rank"]);
});
