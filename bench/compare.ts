import path from "node:path";
import { parseArgs } from "node:util";
import { print, remark } from "../src/cli/output.ts";
import { sizes, type Bench } from "./bench.ts";
import { connectTo, openBenchPostgres } from "./postgres.ts";
import { oneRound, passes, warmUp, type Round } from "./rounds.ts";
import { startService } from "./service.ts";
import { spreadOf } from "./statistics.ts";
import { plain } from "./table.ts";
import { answersOf } from "./work.ts";

/*
 * npm run bench:compare -- --with FOLDER [--rounds N] [--full]
 *
 * Measures the whole path and the load alone in this checkout and in another one, in turn in one run, each in a separate database:
 * otherwise the variation of the machine from one minute to the next could hide the effect of a change.
 */

const { values } = parseArgs({
  options: { with: { type: "string" }, rounds: { type: "string", default: "5" }, full: { type: "boolean" } },
});
if (values.with === undefined) throw new Error("name the other checkout: --with FOLDER");
// long enough that the start of a process is a small part of it
const size = values.full === true ? sizes.full : { ...sizes.quick, work: { apps: 10, countries: 20, days: 15 } };
const stop = new AbortController().signal;
await using postgres = await openBenchPostgres();
await using service = await startService(stop);
await postgres.client.query("create database other");
const otherUrl = new URL(postgres.url);
otherUrl.pathname = "/other";
await using otherClient = await connectTo(otherUrl.href);
const sides: Readonly<Record<"other" | "this one", Bench>> = {
  other: {
    postgres: { ...postgres, url: otherUrl.href, client: otherClient },
    service,
    stop,
    say: remark,
    folder: path.join(path.resolve(values.with), "bench"),
  },
  "this one": { postgres, service, stop, say: remark },
};
const all = Object.entries(sides);
const texts = new Map<string, readonly Buffer[]>();
for (const [name, bench] of all) texts.set(name, await warmUp(bench, size));
const rounds = new Map<string, Round[]>(all.map(([name]) => [name, []]));
for (let round = 1; round <= Number(values.rounds); round += 1)
  for (const [name, bench] of round % 2 === 0 ? all : all.toReversed()) {
    remark(`round ${round}: ${name}`);
    rounds.get(name)?.push(await oneRound(bench, size, texts.get(name) ?? []));
  }

/** Of each side: times of `COPY`, and us an answer of Node and of Postgres. */
function cellsOf(part: "whole" | "alone", pass: (typeof passes)[number]): readonly string[] {
  return all.flatMap(([name]) => {
    const of = rounds.get(name) ?? [];
    const copy = (one: Round) => one.copies[part === "whole" ? 0 : 1] ?? Number.NaN;
    const times = spreadOf(of.map((one) => one[part][pass].ms / copy(one)));
    const us = (side: "node" | "postgres" | "server") =>
      ((spreadOf(of.map((one) => one[part][pass].cpu[side])).median * 1000) / answersOf(size.work)).toFixed(0);
    const cpu = `${us("node")} + ${us("postgres")} + ${us("server")}`;
    return [`${times.median.toFixed(2)} (${times.least.toFixed(2)} to ${times.greatest.toFixed(2)})`, cpu];
  });
}

print(
  plain({
    title: `${answersOf(size.work)} answers, ${values.rounds} rounds, as multiples of the time of COPY, and microseconds per answer: Node + Postgres + server`,
    head: ["", ...all.flatMap(([name]) => [name, "us"])],
    rows: (["whole", "alone"] as const).flatMap((part) =>
      passes.map((pass) => [`${part}, ${pass}`, ...cellsOf(part, pass)]),
    ),
  }),
);
