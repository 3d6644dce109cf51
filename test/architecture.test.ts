import { describe, expect, test } from "vitest";
import { datasets } from "../src/datasets/shared/all.ts";
import { rooms } from "../src/docs/rooms.ts";
import { circles, filesWith, forbidden, importersOf, sourcesIn, stepOf, type Source } from "./support/imports.ts";
import { datasetBranches } from "./support/dataset-branches.ts";

/** Who may import whom. */
const allowed = Object.fromEntries(rooms.map(({ name, mayImport }) => [name, mayImport]));

const sources = sourcesIn("src", "jobs");

/** Where alone each of these may stand. */
const homes = [
  {
    what: "process.env",
    pattern: /\bprocess\s*\.\s*env\b|\bprocess\s*\[\s*["']env|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/,
    home: "src/config/env.ts",
  },
  {
    what: "the machine's clock",
    pattern:
      /\bDate\s*\.\s*now\b|\bnew\s+Date\s*\(\s*\)|\bnew\s+Date\b(?!\s*\()|(?<!new\s)\bDate\s*\(\s*\)|\bperformance\s*\.\s*now\b|\bhrtime\b/,
    home: "src/core/clock.ts",
  },
] as const;

const packages = [
  { what: "undici", name: /^undici$/, home: ["src/core/http-agent.ts"] },
  { what: "DuckDB", name: /^@duckdb\//, home: ["src/export/parquet.ts"] },
  { what: "the library of S3", name: /^@aws-sdk\//, home: ["src/export/bucket-place.ts", "src/export/s3-client.ts"] },
  { what: "the client of ClickHouse", name: /^@clickhouse\//, home: ["src/publish/clickhouse.ts"] },
  { what: "the library that draws", name: /^@observablehq\/plot$|^domino$/, home: ["src/charts/draw.ts"] },
  { what: "p-queue", name: /^p-queue$/, home: ["src/credits/queue.ts"] },
] as const;

const datasetNames = datasets.map(({ name }) => name);

/** Files that list datasets and decide nothing by it: what a mart is made from, examples, the demo and the docs. */
const naming = [
  "src/config/alert-marts.ts",
  "src/config/budget-settings.ts",
  "src/export/mart-metrics.ts",
  "src/incidents/kinds/",
  "src/demo/",
  "src/docs/",
] as const;

describe("the source", () => {
  test("is read whole", () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.map(({ file }) => stepOf(file)).filter((step) => !(step in allowed))).toEqual([]);
  });

  test("has no import against the arrows", () => {
    expect(forbidden(sources, allowed)).toEqual([]);
  });

  test("has rooms that import only rooms above them", () => {
    for (const [index, { name, mayImport }] of rooms.entries()) {
      const above = rooms.slice(0, index).map((room) => room.name);
      expect([name, mayImport.filter((room) => !above.includes(room))]).toEqual([name, []]);
    }
  });

  test("has no file that imports itself by way of others", () => {
    expect(circles(sources)).toEqual([]);
  });

  test.each(homes)("has $what in one file", ({ pattern, home }) => {
    expect(filesWith(sources, pattern)).toEqual([home]);
  });

  test.each(packages)("has $what where it belongs", ({ name, home }) => {
    expect(importersOf(sources, name)).toEqual(home);
  });

  test("speaks HTTP nowhere but in its clients, one a service", () => {
    const clients = [
      "src/api/client.ts",
      "src/export/s3-client.ts",
      "src/incidents/webhook.ts",
      "src/metabase/client.ts",
    ];
    expect(filesWith(sources, /(?<!function )\bcreateHttpAgent\s*\(/)).toEqual(clients);
    expect(filesWith(sources, /(?<![.\w])fetch\s*\(|\bXMLHttpRequest\b|\bWebSocket\b/)).toEqual([]);
    // servers of the contract know the words for its statuses
    const outside = sources.filter(({ file }) => !/^src\/(sandbox|api\/serve)\//.test(file));
    expect(importersOf(outside, /^(node:)?(https?|http2)$/)).toEqual([]);
  });

  test("prints nothing past output and log", () => {
    expect(filesWith(sources, /(?<![.\w"])console\s*\.\s*(log|info|warn|error|debug|dir|table|trace)\b/)).toEqual([]);
  });

  test("exports by name; only tasks of the queue have a default", () => {
    const others = sources.filter(({ file }) => !file.startsWith("jobs/"));
    expect(filesWith(others, /\bexport\s+default\b|\bas\s+default\b/)).toEqual([]);
  });

  test("exports one type of a name", () => {
    const types = sources.flatMap(({ text }) =>
      [...text.matchAll(/^export (?:type|interface|class) (\w+)/gm)].map(([, name = ""]) => name),
    );
    expect(types.length).toBeGreaterThan(500);
    expect(types.filter((name, index) => types.indexOf(name) !== index)).toEqual([]);
  });

  test("exports one function or constant of a name, save an operation and the dataset named after it", () => {
    const named = sources.flatMap(({ file, text }) => {
      const names = [...text.matchAll(/^export (?:async )?(?:function\*?|const) (\w+)/gm)].map(([, name = ""]) => name);
      // a function with overloads is one
      return file.startsWith("src/api/operations/") ? [] : [...new Set(names)];
    });
    expect(named.length).toBeGreaterThan(1_000);
    expect(named.filter((name, index) => named.indexOf(name) !== index)).toEqual([]);
  });

  test("has no file of more than 250 lines", () => {
    const long = sources.filter(({ text }) => text.trimEnd().split("\n").length > 250).map(({ file }) => file);
    expect(long, "a file has at most 250 lines: split one that is longer by concept").toEqual([]);
  });

  test("branches on no dataset by its name", () => {
    const shared = sources.filter(({ file }) => !naming.some((place) => file.startsWith(place)));
    const found = shared.flatMap((source) => datasetBranches(source, datasetNames).map((code) => [source.file, code]));
    expect(found).toEqual([]);
  });
});

describe("the checker", () => {
  const sample = (file: string, text: string): Source => ({ file, text });

  test.each([
    ["a sibling", "src/credits/bad.ts", 'import { createClient } from "../api/client.ts";'],
    ["a sibling's type", "src/plan/bad.ts", 'import type { Database } from "../postgres/database.ts";'],
    ["a step ahead", "src/core/bad.ts", 'export * from "../config/env.ts";'],
    ["a step ahead, by several lines", "src/api/bad.ts", 'import {\n  a,\n  type B as C,\n} from "../runs/sync.ts";'],
    ["a step ahead, when called", "src/ledger/bad.ts", 'const late = await import("../runs/sync.ts");'],
    ["a step ahead, for its effects", "src/postgres/bad.ts", 'import "../app.ts";'],
    ["an entry", "jobs/bad.ts", 'import { runWorker } from "../src/worker/worker.ts";'],
    ["a folder that nobody listed", "src/elsewhere/bad.ts", 'import { fail } from "../core/errors.ts";'],
  ])("finds an import of %s", (_, file, text) => {
    expect(forbidden([sample(file, text)], allowed)).toHaveLength(1);
  });

  test("finds a circle, of types as well", () => {
    const there = sample("src/api/a.ts", 'import type { B } from "./b.ts";');
    const back = sample("src/api/b.ts", 'import { a } from "./a.ts";');
    const beside = sample("src/api/c.ts", 'import { a } from "./a.ts";');
    expect(circles([there, back, beside])).toEqual(["src/api/a.ts -> src/api/b.ts", "src/api/b.ts -> src/api/a.ts"]);
    expect(circles([there, beside])).toEqual([]);
  });

  test("lets a comment, a package, the own folder and an arrow's direction pass", () => {
    const text = [
      '// import { a } from "../runs/sync.ts";',
      '/* import { a } from "../runs/sync.ts"; */',
      'import { z } from "zod";',
      'import { b } from "./client.ts";',
      'import { c } from "../core/day.ts";',
    ].join("\n");
    expect(forbidden([sample("src/api/good.ts", text)], allowed)).toEqual([]);
  });

  test.each([
    [0, "const { env } = process;"],
    [0, 'const url = process.env["DATABASE_URL"];'],
    [1, "const now = Date.now();"],
    [1, "const now = new Date();"],
    [1, "const now = new Date ( ).getTime();"],
    [1, "const began = performance.now();"],
    [1, "const began = process.hrtime.bigint();"],
  ] as const)("finds what is outside its one file (%i): %s", (index, text) => {
    expect(filesWith([sample("src/ingest/bad.ts", text)], homes[index].pattern)).toHaveLength(1);
  });

  test("does not take a date that is given for the clock", () => {
    expect(filesWith([sample("src/ingest/good.ts", "new Date(at).toISOString()")], homes[1].pattern)).toEqual([]);
  });

  test.each([
    'if (dataset.name === "keyword_rank") return;',
    'const isChart = what !== "top_chart";',
    'const isOwn = "sales_metric" === one.source;',
    'switch (table) {\n  case "review":\n}',
    'const dear = new Set(["app_rating", "review"]);',
    'const byName = new Map([["review", 1]]);',
    "const late: readonly string[] = ['visibility'];",
    'if (["top_chart", "featuring"].includes(name)) skip();',
    'if (chosen.has("featuring")) skip();',
    "sql`select from ops.slice where dataset = 'keyword_rank'`",
  ])("finds what depends on the name of a dataset: %s", (text) => {
    expect(datasetBranches(sample("src/ledger/bad.ts", text), datasetNames)).toHaveLength(1);
  });

  test.each([
    'const columns = ["date_day", "keyword_rank"] as const;',
    'const rank = row["keyword_rank"];',
    'if (state === "failed") return;',
    '// dataset === "review"',
  ])("lets other words pass: %s", (text) => {
    expect(datasetBranches(sample("src/ledger/good.ts", text), datasetNames)).toEqual([]);
  });

  test("finds a package under each of its names", () => {
    const text =
      'import { DuckDBInstance } from "@duckdb/node-api";\nimport { bindings } from "@duckdb/node-bindings";';
    expect(importersOf([sample("src/plan/bad.ts", text)], packages[1].name)).toHaveLength(1);
  });
});
