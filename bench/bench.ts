import type { BenchPostgres } from "./postgres.ts";
import type { PlannerScale } from "./planner.ts";
import type { Service } from "./service.ts";
import type { Work } from "./work.ts";

/** What every part of the bench gets. */
export type Bench = {
  readonly postgres: BenchPostgres;
  readonly service: Service;
  /** Aborted at Ctrl-C. */
  readonly stop: AbortSignal;
  /** Reports to the person what is being measured. */
  readonly say: (what: string) => void;
  /** The folder of the bench whose program is measured; this one if left out. */
  readonly folder?: string;
};

/** How much is measured. */
export type Size = {
  readonly name: "full" | "quick";
  /** The work of the load and of the whole path. */
  readonly work: Work;
  readonly rounds: number;
  /** The work at 300 ms and three requests a second. */
  readonly paced: Work;
  /** The work that 1, 2 and 4 workers share. */
  readonly shared: Work;
  /** The account that is planned. */
  readonly planned: PlannerScale;
};

/** The two sizes: a million ranks, and a small one that shows that all of it runs. */
export const sizes = {
  full: {
    name: "full",
    work: { apps: 20, countries: 20, days: 25 },
    rounds: 3,
    paced: { apps: 1, countries: 10, days: 30 },
    shared: { apps: 2, countries: 10, days: 20 },
    planned: { apps: 200, countries: 20, keywords: 500, days: 365 },
  },
  quick: {
    name: "quick",
    work: { apps: 5, countries: 10, days: 10 },
    rounds: 2,
    paced: { apps: 1, countries: 1, days: 15 },
    shared: { apps: 1, countries: 8, days: 10 },
    planned: { apps: 10, countries: 4, keywords: 500, days: 365 },
  },
} as const satisfies Record<string, Size>;
