import type { NightFigures, OneNight } from "./scale-night.ts";
import { spreadOf } from "./statistics.ts";
import type { Table } from "./table.ts";

/** The figures as a table: a column for each way in which the night was planned. */
export function nightTable({ account, rows, first, byOne, byTwo }: NightFigures): Table {
  const ways = [byOne, byTwo, [first]];
  const line = (name: string, of: (night: OneNight) => number, digits = 1) => [
    name,
    ...ways.map((nights) => {
      const { median, least, greatest } = spreadOf(nights.map(of));
      const [middle, ...ends] = [median, least, greatest].map((value) => value.toFixed(digits));
      return nights.length === 1 ? (middle ?? "") : `${middle} (${ends.join(" to ")})`;
    }),
  ];
  const count = (number: number) => number.toLocaleString("en-US");
  const sum = (night: OneNight, of: "node" | "shards") => night.workers.reduce((all, one) => all + one[of], 0);
  return {
    title: `Planning a night of ${count(first.slices)} requests and queueing them: ${count(account.apps)} apps x ${account.countries} countries x ${account.keywords} keywords, ${account.days} days of history in ${count(rows)} slices, past months folded; ${byOne.length} alternating rounds, each worker in its own process`,
    head: ["", "one worker", "two workers together", "one worker, no sums of past days"],
    rows: [
      line("wall time, s", ({ wall }) => wall),
      line("processor time of Node, all workers, s", (night) => sum(night, "node")),
      line("processor time of Postgres, s", ({ postgres }) => postgres),
      line(
        "memory of a worker before the run, MiB",
        ({ workers }) => Math.max(...workers.map(({ beforeMiB }) => beforeMiB)),
        0,
      ),
      line("peak memory, MiB", ({ workers }) => Math.max(...workers.map(({ peakMiB }) => peakMiB)), 0),
      line("shards planned in total", (night) => sum(night, "shards"), 0),
      line("fewest by one worker", ({ workers }) => Math.min(...workers.map(({ shards }) => shards)), 0),
    ],
  };
}
