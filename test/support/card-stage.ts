import path from "node:path";
import { projectRoot } from "../../src/config/config.ts";
import { readCollection } from "../../src/metabase/collection-file.ts";
import { withoutFilters } from "../../src/metabase/wanted-cards.ts";
import { openMartStage, type MartStage } from "./mart-stage.ts";

/** A warehouse that is filled by hand, and the cards of the dashboards over it. */
export type CardStage = MartStage & {
  /** What a card shows, with no filter set. */
  readonly shown: (dashboard: string, card: string) => Promise<readonly string[]>;
};

const { dashboards } = readCollection(path.join(projectRoot, "config", "metabase"));

/** Opens an empty one. */
export async function openCardStage(): Promise<CardStage> {
  const mart = await openMartStage();
  return {
    ...mart,
    shown: async (dashboard, card) => {
      const found = dashboards.find(({ name }) => name === dashboard)?.cards[card];
      if (found === undefined) throw new Error(`no card ${card}`);
      return mart.ask(withoutFilters(found.sql));
    },
  };
}
