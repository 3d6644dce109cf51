import type { z } from "zod";
import type { iosReviews, iosReviewsV2 } from "../../api/operations/review.ts";
import type { Scope, Slice } from "../../core/slice.ts";
import { appRef, extraOf, type Row } from "../../load/table.ts";
import { part } from "./define-dataset.ts";
import { readInstant } from "./instants.ts";
import { languageCodeOf } from "./values.ts";

type Plain = z.output<typeof iosReviews.answer>[number];
type Page = z.output<typeof iosReviewsV2.answer>;
type Paged = Page["content"][number];

const known = "id reviewId reviewer date rating content title".split(" ");

/**
 * The rows of an answer, one per review. A review is identified by its id, not by a day: one from a day that was not requested is as valid
 * as any. Of two versions (pages that shift while they are read, an edit) the later written one counts.
 */
export function reviewRows(slice: Slice, pages: readonly unknown[]): readonly Row[] {
  const rows = new Map<string, ReturnType<typeof rowOf>>();
  for (const review of reviewsOf(slice.scope, pages)) {
    const row = rowOf(slice, review);
    const held = rows.get(row.review_id);
    if (held === undefined || held.reviewed_at < row.reviewed_at) rows.set(row.review_id, row);
  }
  return [...rows.values()];
}

function reviewsOf(scope: Scope, pages: readonly unknown[]): readonly (Plain | Paged)[] {
  return part(scope, "source") === "v2"
    ? (pages as readonly Page[]).flatMap(({ content }) => content)
    : (pages as readonly (readonly Plain[])[]).flat();
}

function rowOf({ scope, items }: Slice, review: Plain | Paged) {
  const [store, source, { replied }] = [part(scope, "store"), part(scope, "source"), scope];
  const { version } = review;
  const region = regionOf(store, items ?? [], review.countryCode ?? "");
  const named = [
    ...known,
    ...(region.isReported ? ["countryCode"] : []),
    ...(typeof version === "string" ? ["version"] : []),
  ];
  return {
    app_key: appRef(store, part(scope, "app")),
    review_id: String(source === "v2" ? review["reviewId"] : review["id"]),
    source,
    reviewed_at: readInstant(review.date).at,
    country_key: region.country,
    language_code: region.language,
    rating: Number(review.rating),
    // by the contract it is empty or absent if there is none
    title: review.title || null,
    content: review.content ?? null,
    reviewer: review.reviewer ?? null,
    version: typeof version === "string" ? version : null,
    is_replied: replied === undefined ? null : replied === "yes",
    extra: extraOf(review, named),
  };
}

/**
 * Country or language: as reported (`isReported`) or, if the answer has none, the only one that was requested. Android answers have a
 * language.
 */
function regionOf(store: string, requested: readonly string[], reported: string) {
  const only = requested.length === 1 ? requested[0] : undefined;
  if (store === "android") {
    const language = reported === "" ? (only ?? "") : languageCodeOf(reported);
    return { country: "ALL", language, isReported: true };
  }
  const isReported = /^[A-Za-z]{2}$/.test(reported);
  return {
    country: isReported ? reported.toUpperCase() : (only ?? "ALL"),
    language: "",
    isReported: isReported || reported === "",
  };
}
