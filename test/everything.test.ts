import { beforeAll, describe, expect, test } from "vitest";
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
import { forTests } from "./support/for-tests.ts";

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

/** All at once, in which every list has a name; the usual spelling has lists without one. */
const together = {
  name: "the spellings of all at once",
  spelling: Object.assign({}, ...spellings.map(({ spelling }) => spelling)) as SandboxOptions,
  differ: sums,
};

/** Tables by name, without those that differ. */
const without = (facts: Record<string, string[]>, differ: readonly string[]) =>
  Object.entries(facts).filter(([table]) => !differ.includes(table));

/** What was planned, and what was charged for it. */
async function costOf(stage: Stage) {
  const [sum] = await stage.query<{ planned: number }>(
    "select sum(planned_credits)::int as planned from ops.slice where state in ('loaded', 'empty')",
  );
  return {
    planned: sum?.planned,
    charged: stage.requested().reduce((charged, request) => charged + request.charged, 0),
  };
}

// a day takes all spellings and a zone together, see below
describe.runIf(long).each([...spellings, together])("everything on, with $name", ({ spelling, differ = [] }) => {
  const stage = forTests(() => syncedStage({ market, ...spelling }, days));

  test("every table says what it says of the usual spelling", async () => {
    expect(without(await factsOf(stage), differ)).toEqual(without(usual, differ));
  });

  test("what was planned is what was charged, but for what was refused", async () => {
    const { planned, charged } = await costOf(stage);
    expect(charged).toBe(planned);
  });

  // in the usual spelling test/datasets.test.ts does that every day
  test.runIf(spelling === together.spelling)("nothing is written when answers are loaded again", async () => {
    const before = await versionsOf(stage);
    await loadAgain(stage, datasets, { later: [1] });
    expect(await versionsOf(stage)).toEqual(before);
  });
});

const usually = { name: "the usual spelling", spelling: {} as SandboxOptions, differ: [] };

test.each(
  long
    ? [
        { TZ: "Pacific/Kiritimati", ...usually },
        { TZ: "Pacific/Pago_Pago", ...usually },
      ]
    : [{ TZ: "Pacific/Kiritimati", ...together }],
)("every table is the same on a machine in $TZ, with $name, and costs what was planned", async (reported) => {
  const { TZ, spelling, differ } = reported;
  await using stage = await openStage({ market, ...spelling });
  const command = [...syncCommand, "--from", addDays(today, -days)];
  const { storeWords } = spelling;
  const settings = { ...everythingOn, ...(storeWords === undefined ? {} : { api: { store_words: storeWords } }) };
  expect(await runCommand(stage, command, { settings, variables: { TZ } })).toMatchObject({ code: 0 });
  expect(without(await factsOf(stage), differ)).toEqual(without(usual, differ));
  const { planned, charged } = await costOf(stage);
  expect(charged).toBe(planned);
});

// test/datasets tries accounts without search ads and without figures of their own every day
test.runIf(long)("an account with nothing connected fails nothing and rejects nothing", async () => {
  await using stage = await syncedStage({ market, connected: false }, days);
  expect(await stage.query("select dataset, state from ops.slice where state not in ('loaded', 'empty')")).toEqual([]);
  expect(await stage.query("select dataset, reason from ops.reject")).toEqual([]);
  const facts = await factsOf(stage);
  expect(facts["core.fact_search_ads_report"]).toEqual([]);
  expect(facts["core.fact_keyword_rank"]).toEqual(usual["core.fact_keyword_rank"]);
});
