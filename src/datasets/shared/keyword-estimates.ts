import type { z } from "zod";
import type { keywordEstimation, keywordEstimationHistory } from "../../api/operations/keyword-estimation.ts";
import type { InvalidItem } from "../../api/read-answer.ts";
import type { Slice } from "../../core/slice.ts";
import { foldKeyword } from "../../core/text.ts";
import { holds } from "../../core/window.ts";
import { appRef, extraOf, type Row } from "../../load/table.ts";
import { checkItems } from "./check-items.ts";
import { amountOf, isOther } from "./values.ts";
import { part } from "./define-dataset.ts";
import { readInstant } from "./instants.ts";

type Now = z.output<typeof keywordEstimation.answer>;
type ByDay = z.output<typeof keywordEstimationHistory.answer>;
type Estimate = Partial<Now["results"][number] | ByDay["results"][number]>;
type Estimates = { readonly rows: readonly Row[]; readonly invalid: readonly InvalidItem[] };

const known = ["keyword", "date", "conversionRate", "maxReach", "installs"];

/** The estimates of an answer about many keywords, stamped with the day of observation. */
export function estimatesNow(slice: Slice, pages: readonly unknown[], left: readonly InvalidItem[]): Estimates {
  const answers = checkItems(pages as readonly Now[], (answer) => (isAbout(slice, answer) ? null : otherSubject));
  const reported = answers.fitting.flatMap(({ results }) => results);
  const echoed = new Set(reported.map(({ keyword }) => keyword));
  const requested = slice.items ?? [];
  const byFold = Map.groupBy(requested, foldKeyword);
  const rows = new Map<string, Row>();
  const invalid = [...answers.invalid];
  for (const estimate of reported) {
    // an entry answers for the keyword that it names exactly, and for those in another spelling that no entry names exactly
    const alike = (byFold.get(foldKeyword(estimate.keyword)) ?? []).filter(
      (keyword) => keyword === estimate.keyword || !echoed.has(keyword),
    );
    if (alike.length === 0) invalid.push({ reason: "a keyword that was not requested", item: estimate });
    for (const keyword of alike) rows.set(keyword, rowOf(slice, keyword, slice.window.start, estimate));
  }
  // a keyword that the answer leaves out while it names others has no estimate; an invalid item may be about any of them
  const withoutEstimate =
    reported.length === 0 || left.length + invalid.length > 0 ? [] : requested.filter((keyword) => !rows.has(keyword));
  for (const keyword of withoutEstimate) rows.set(keyword, rowOf(slice, keyword, slice.window.start, {}));
  return { rows: [...rows.values()], invalid };
}

/** The estimates of an answer about one keyword, each with its own day. */
export function estimatesByDay(slice: Slice, pages: readonly unknown[]): Estimates {
  const answers = pages as readonly ByDay[];
  const [keyword = ""] = slice.items ?? [];
  const invalid: InvalidItem[] = [];
  const rows: Row[] = [];
  for (const answer of answers)
    for (const estimate of answer.results) {
      const { day } = readInstant(estimate.date);
      const echo = { keyword: estimate.keyword ?? answer.keyword };
      if (!isAbout(slice, answer)) invalid.push({ reason: otherSubject, item: estimate });
      else if (isOther({ ...slice.scope, keyword }, echo))
        invalid.push({ reason: "a keyword that was not requested", item: estimate });
      else if (!holds(slice.window, day)) invalid.push({ reason: "a day that was not requested", item: estimate });
      else rows.push(rowOf(slice, keyword, day, estimate));
    }
  return { rows, invalid };
}

const otherSubject = "an app or a country that was not requested";

/** True for an answer about the app and country of its slice, as far as it names them. */
function isAbout({ scope }: Slice, { trackId, country }: Pick<Now, "trackId" | "country">): boolean {
  return (trackId == null || String(trackId) === part(scope, "app")) && !isOther(scope, { countryCode: country });
}

function rowOf({ scope }: Slice, keyword: string, day: string, estimate: Estimate): Row {
  return {
    app_key: appRef(part(scope, "store"), part(scope, "app")),
    date_day: day,
    country_key: part(scope, "country"),
    keyword_key: keyword,
    kind: part(scope, "kind"),
    conversion_rate: amountOf(estimate.conversionRate),
    max_reach_count: amountOf(estimate.maxReach),
    install_count: amountOf(estimate.installs),
    extra: extraOf(estimate, known),
  };
}
