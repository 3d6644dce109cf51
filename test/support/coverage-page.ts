import { addDays, type Day } from "../../src/core/day.ts";
import { today } from "./ingest-stage.ts";

/** The grid of keyword ranks, two weeks of it. */
export const coverageGrid = "/coverage?dataset=keyword_rank&days=14";

/** The day of a column of that grid, from 0. */
export const dayAt = (column: number): Day => addDays(today, column - 13);

/** A thousand partitions of keyword ranks, which only the configuration names. */
export const thousandPartitions = partitionsOf(50);

/** Five hundred of them. */
export const hundredsOfPartitions = partitionsOf(25);

/** So many apps, each in twenty countries. */
function partitionsOf(apps: number) {
  return {
    settings: {
      portfolio: {
        source: "config" as const,
        apps: Array.from({ length: apps }, (_, index) => ({
          id: String(1_000_000_000 + index),
          countries: "US JP DE FR GB IT ES BR TR KR CA AU MX NL SE PL AT CH BE DK".split(" "),
          keywords: ["notes", "habit", "to do"],
        })),
      },
    },
  };
}
