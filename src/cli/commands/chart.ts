import path from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import { drawFile, type Drawing } from "../../charts/draw.ts";
import { rankChart } from "../../charts/rank-chart.ts";
import { readRanks } from "../../charts/read-ranks.ts";
import type { Day } from "../../core/day.ts";
import { datasetNamed } from "../../datasets/shared/all.ts";
import { countryArgument, trackIdArgument } from "../api-arguments.ts";
import { boundsOf, dayArgument, pastDayArgument } from "../arguments.ts";
import { drawCoverage } from "../coverage-drawing.ts";
import { withApp } from "../with-app.ts";
import { remark } from "../output.ts";
import { putFile } from "../../core/files.ts";

/** `storehouse chart`: what the warehouse holds, as pictures. */
export function defineChart(chart: Command): void {
  for (const add of [addRank, addCoverage]) add(chart);
}

type Days = { readonly from?: Day; readonly to?: Day };
type RankOptions = Days & {
  readonly app: string;
  readonly country: string;
  readonly keyword: string;
  readonly device?: string;
  readonly out: string;
};

function addRank(chart: Command): void {
  chart
    .command("rank")
    .description("draw a keyword's rank over time")
    .requiredOption("--app <id>", "track id of the app", trackIdArgument)
    .requiredOption("--country <code>", "country", countryArgument)
    .requiredOption("--keyword <keyword>", "keyword, exactly as written")
    .option("--device <code>", "only this device: IPHONE, IPAD, or ALL on Android", (text) => text.toUpperCase())
    .option("--from <day>", "first day (default: one year before the newest)", dayArgument)
    .option("--to <day>", "last day, inclusive (default: the newest)", dayArgument)
    .requiredOption("--out <file>", "SVG file to write", fileArgument)
    .action(({ out, ...options }: RankOptions) =>
      withApp(async ({ warehouse: { db } }) => {
        await put(out, rankChart(await readRanks(db, { ...options, within: boundsOf(options) })));
      }),
    );
}

type CoverageOptions = Days & {
  readonly dataset: string;
  readonly app?: string;
  readonly country?: string;
  readonly asOf?: Day;
  readonly out: string;
};

function addCoverage(chart: Command): void {
  chart
    .command("coverage")
    .description("draw a calendar of days that are loaded, waiting, failed or never requested")
    .requiredOption("--dataset <name>", "dataset")
    .option("--app <id>", "only this app", trackIdArgument)
    .option("--country <code>", "only this country", countryArgument)
    .option("--from <day>", "first day (default: start of the dataset's history)", dayArgument)
    .option("--to <day>", "last day, inclusive (default: the newest published)", dayArgument)
    .option("--as-of <day>", "the day to treat as today (default: today in UTC)", pastDayArgument)
    .requiredOption("--out <file>", "SVG file to write", fileArgument)
    .action(({ out, dataset: named, app: id, country, ...options }: CoverageOptions) =>
      withApp(async (app) => {
        const dataset = datasetNamed(named).name;
        await put(out, await drawCoverage(app, { ...options, dataset, app: id, country }));
      }, options.asOf),
    );
}

async function put(out: string, drawing: Drawing): Promise<void> {
  const file = path.resolve(out);
  await putFile(file, await drawFile(drawing));
  remark(`${file} is written.`);
}

function fileArgument(text: string): string {
  if (!/[^/\\]\.svg$/i.test(text))
    throw new InvalidArgumentError("It is not an SVG file: write a name that ends in .svg.");
  return text;
}
