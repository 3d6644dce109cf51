import type { EngineFigures } from "./scale-engines.ts";
import { count, time } from "./scale-mart-report.ts";
import type { Table } from "./table.ts";

const mebi = 2 ** 20;

/** What each question took in both databases, and whether the answers are equal. */
export function engineTables({
  size,
  ranks,
  clickHouseVersion,
  publishedMs,
  publishedCpu,
  bytes,
  answers,
}: EngineFigures): readonly Table[] {
  return [
    {
      title: `Marts over ${count(ranks)} keyword ranks of ${size.account.apps} apps in both databases, with the medians of ${size.rounds} rounds; ClickHouse ${clickHouseVersion} in the process`,
      head: [
        "",
        "Postgres",
        "ClickHouse",
        "times as fast",
        "rows read: Postgres",
        "ClickHouse",
        "returned",
        "the same sums",
      ],
      rows: answers.map(({ name, postgres, clickHouse, returned, differs }) => [
        name,
        time(postgres.ms),
        time(clickHouse.ms),
        ratio(postgres.ms / clickHouse.ms),
        count(postgres.scanned),
        count(clickHouse.scanned),
        count(returned),
        differs === null ? "yes" : `no: ${differs}`,
      ]),
    },
    {
      title: `Ranks in both, published in ${time(publishedMs)} with everything else that the queries read (processor time of Postgres ${time(publishedCpu.postgres)}, of ClickHouse and Storehouse ${time(publishedCpu.own)})`,
      head: ["", "Postgres, with the index", "ClickHouse"],
      rows: [
        ["size", ...[bytes.postgres, bytes.clickHouse].map((all) => `${count(all / mebi)} MiB`)],
        ["bytes per rank", ...[bytes.postgres, bytes.clickHouse].map((all) => (all / ranks).toFixed(1))],
      ],
    },
  ];
}

function ratio(times: number): string {
  if (times < 0.1) return times.toFixed(2);
  return times.toFixed(times < 10 ? 1 : 0);
}
