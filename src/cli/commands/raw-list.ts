import type { Command } from "commander";
import type { Day } from "../../core/day.ts";
import { operations } from "../../api/operations/all.ts";
import { fail } from "../../core/errors.ts";
import { datasetNamed } from "../../datasets/shared/all.ts";
import { listAnswers, type AnswerLine } from "../../ledger/answers.ts";
import { boundsOf, countArgument, dayArgument, onlyDatasets, sliceArgument } from "../arguments.ts";
import { withApp } from "../with-app.ts";
import { print, printJson, remark } from "../output.ts";
import { count, countOf } from "../../core/words.ts";
import { optional, table } from "../table.ts";
import { timeCell, zoneNote } from "../times.ts";

type Options = {
  readonly dataset: readonly string[];
  readonly from?: Day;
  readonly to?: Day;
  readonly slice?: string;
  readonly operation?: string;
  readonly limit: number;
  readonly json?: true;
};

/** `storehouse raw list`: one line per answer. */
export function addRawList(raw: Command): void {
  raw
    .command("list")
    .description("list stored answers, the newest first")
    .addOption(onlyDatasets())
    .option("--from <day>", "only windows that reach this day or later", dayArgument)
    .option("--to <day>", "only windows that start on this day or earlier", dayArgument)
    .option("--slice <number>", "only this slice", sliceArgument)
    .option("--operation <id>", "only answers of this operation")
    .option("--limit <number>", "show at most this many answers", countArgument, 100)
    .option("--json", "as JSON")
    .action((options: Options) =>
      withApp(async ({ warehouse: { db } }) => {
        const { answers, total } = await listAnswers(db, {
          datasets: options.dataset.map((name) => datasetNamed(name).name),
          within: boundsOf(options),
          limit: options.limit,
          ...(options.slice === undefined ? {} : { sliceId: options.slice }),
          ...(options.operation === undefined ? {} : { operation: operationNamed(options.operation) }),
        });
        if (options.json) printJson(answers);
        else if (answers.length > 0) print(table(headings, answers.map(cellsOf)));
        else print(nothingFound);
        if (!options.json && answers.length > 0) remark(zoneNote());
        if (total > answers.length) remark(`${count(answers.length)} of ${count(total)} answers; --limit shows more.`);
      }),
    );
}

const nothingFound =
  "No stored answer matches. `storehouse status` says what is loaded; `storehouse prune` deletes answers.";

function operationNamed(id: string): string {
  if (operations.some((operation) => operation.id === id)) return id;
  throw fail("bad_argument", { problem: `there is no operation ${id}: \`storehouse operations\` lists them` });
}

const headings = [
  "slice",
  optional("attempt"),
  optional("page"),
  "operation",
  "about",
  "from",
  "to",
  "state",
  optional("status"),
  optional("bytes"),
  "fetched at",
];

function cellsOf(line: AnswerLine) {
  return [
    line.sliceId,
    line.attempt,
    line.page,
    line.operation,
    aboutOf(line),
    line.from,
    line.to,
    line.state,
    line.status,
    line.bytes,
    timeCell(line.fetchedAt),
  ];
}

function aboutOf({ scope, itemCount }: AnswerLine): string {
  const names = Object.entries(scope)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`);
  return [...names, ...(itemCount === null ? [] : [countOf(itemCount, "item")])].join(" ") || "the account";
}
