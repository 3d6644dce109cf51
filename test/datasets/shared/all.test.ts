import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../../src/config/config.ts";
import { datasets, inPlanningOrder } from "../../../src/datasets/shared/all.ts";
import { planningSourcesOf, stages } from "../../../src/datasets/shared/define-dataset.ts";

const folder = path.join(projectRoot, "src", "datasets");
const files = readdirSync(folder).filter((name) => name.endsWith(".ts"));

test("each file of the folder is one dataset of that name", () => {
  const names = datasets.map(({ name }) => `${name.replaceAll("_", "-")}.ts`);
  expect(names.toSorted()).toEqual(files.toSorted());
});

test("no dataset imports the list that waits for it", () => {
  const all = [...files, ...readdirSync(path.join(folder, "shared")).map((name) => path.join("shared", name))];
  const waits = (file: string) =>
    /["'](\.|\.\/shared)\/all\.ts["']/.test(readFileSync(path.join(folder, file), "utf8"));
  expect(all.filter(waits)).toEqual([]);
});

test("a dataset comes after those that provide what it is planned from, and stages come one after the other", () => {
  const order = datasets.map(({ stage }) => stages.indexOf(stage));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  for (const [index, { name, plannedFrom = [] }] of datasets.entries())
    for (const source of plannedFrom) {
      const provider = datasets.findIndex((one) => planningSourcesOf(one).some((provided) => provided.name === source));
      expect(`${name} ${provider >= 0 && provider <= index}`).toBe(`${name} true`);
    }
});

test("the order does not depend on that of the files", () => {
  expect(inPlanningOrder(datasets.toReversed())).toEqual(datasets);
});
