import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { projectRoot } from "../src/config/config.ts";
import { enginePath, leftOut } from "./support/clickhouse-engine.ts";
import { long } from "./support/long.ts";

/** What the bench prints, in small. */
async function bench(...options: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ["bench/scale.ts", "--small", ...options], { cwd: projectRoot });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [reported, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  expect({ code, errors }).toMatchObject({ code: 0 });
  return reported;
}

test.skipIf(!long)(
  `the bench of a large account runs from end to end in small, and leaves nothing undone${long ? "" : " (left out: npm run test:long plays it)"}`,
  async () => {
    const reported = await bench();
    for (const part of [
      "The ledger of 1,000 apps",
      "`ops.coverage_daily`, an app, 30 days",
      "waiting",
      "average rank of every app",
    ])
      expect(reported).toContain(part);
    expect(reported).not.toContain("NaN");
  },
);

test.skipIf(!long)(
  `the bench of marts names each question with its limit and its plan${long ? "" : " (left out: npm run test:long plays it)"}`,
  async () => {
    const reported = await bench("--marts", "--plans");
    for (const part of ["beside 500 apps that were only seen", "what the releases of 90 days did", "Recursive Union"])
      expect(reported).toContain(part);
    expect(reported).not.toContain("NaN");
  },
);

// test/faults has two real workers that share the shards of a night, every day
test.skipIf(!long)(
  `a night that two workers plan together has the slices and the shards of one that one plans${long ? "" : " (left out: npm run test:long plays it)"}`,
  async () => {
    // it ends with 1 where they differ
    const reported = await bench("--night");
    expect(reported).toMatch(/^shards planned in total +5 +5 +5$/m);
    expect(reported).toContain("Planning a night of 140 requests");
    expect(reported).not.toContain("NaN");
  },
);

// publishing takes it longer than most files of tests
test.skipIf(enginePath === null || !long)(
  `Postgres and ClickHouse have the same answers in the bench of both${long ? leftOut : " (left out: npm run test:long plays it)"}`,
  async () => {
    // it ends with 1 where one differs
    const reported = await bench("--clickhouse", "--markdown");
    const questions = reported.split("\n").filter((line) => / (yes|no: .*) \|$/.test(line));
    expect(questions.filter((line) => !line.endsWith("| yes |"))).toEqual([]);
    expect(questions.length).toBeGreaterThan(20);
    expect(reported).toContain("bytes per rank");
    expect(reported).not.toContain("NaN");
  },
);
