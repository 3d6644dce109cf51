import path from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";
import { fleetMetrics, workerMetrics } from "../../src/health/metric-list.ts";
import { incidentKinds, summaryOf, type IncidentKind } from "../../src/incidents/kinds.ts";
import { readCollection } from "../../src/metabase/collection-file.ts";
import { leftWordsIn } from "../support/left-words.ts";

/** Names as words. */
const wordsOf = (name: string) => name.replaceAll("_", " ");

test.each(Object.entries({ ...fleetMetrics, ...workerMetrics }))(
  "the metric %s is in the field's words",
  (name, one) => {
    expect(leftWordsIn(`${wordsOf(name)}: ${wordsOf(one.labels.join(" "))} ${one.help}`)).toEqual([]);
  },
);

test.each(Object.entries(incidentKinds))(
  "the incident %s is in the field's words",
  (kind, { title, says, example }) => {
    const message = summaryOf({ kind: kind as IncidentKind, facts: example }, "2026-11-22 03:58 UTC");
    expect(leftWordsIn(`${wordsOf(kind)}: ${title}; ${says}; ${message}`)).toEqual([]);
  },
);

test("the starter collection of Metabase is in the field's words", () => {
  const { dashboards, metrics } = readCollection(path.join(projectRoot, "config", "metabase"));
  const texts = [
    ...Object.values(metrics),
    ...dashboards,
    ...dashboards.flatMap(({ cards }) => Object.values(cards)),
  ].flatMap((one) => [one.name, one.description, "text" in one ? one.text : ""]);
  expect(texts.filter((text) => leftWordsIn(text).length > 0)).toEqual([]);
});
