import type { Table } from "../../src/load/table.ts";
import type { Stage } from "./ingest-stage.ts";

/** Columns that the sandbox never fills, by table: what most accounts do not have, or only other options of a dataset request. */
export const unfilledBySandbox: Readonly<Record<string, readonly string[]>> = {
  "core.tracked_keyword": ["brand_track_id", "rank_change", "created_at"],
  "core.search_ads_goal_event": ["custom_revenue", "custom_usd_revenue"],
  "core.ad_creative": ["resource_media_url"],
  "core.app_history": ["video_url", "video_frame_url"],
  "core.fact_featuring": ["position", "listed_count", "track_ids"],
  "core.fact_keyword_metadata": ["brand_track_id"],
  "core.review": ["is_replied"],
  "core.fact_search_ads_report": [
    "ad_name",
    "product_page_name",
    "lat_on_install_count",
    "lat_off_install_count",
    "cpm",
    "cpa_goal",
    "default_bid",
    "ad_group_status",
    "serving_status_reasons",
  ],
};

/** Columns of a table that are null in every row, apart from `extra`; none if there is no row. */
export async function unfilledColumns(stage: Pick<Stage, "query">, table: Table): Promise<readonly string[]> {
  const names = Object.keys(table.columns).filter((name) => name !== "extra");
  const counts = names.map((name) => `count(${name})::int as ${name}`).join(", ");
  const [row] = await stage.query<Record<string, number>>(
    `select ${counts} from ${table.name} where slice_id is not null having count(*) > 0`,
  );
  return row === undefined ? [] : names.filter((name) => row[name] === 0);
}
