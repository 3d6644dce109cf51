import { count, countOf } from "../../core/words.ts";
import { sumBy } from "../../core/sum.ts";
import { html, type Html } from "../html.ts";
import { dataTable } from "../parts/table.ts";
import {
  type ChartRow,
  type MovementRow,
  mostMovers,
  type MoverRow,
  type RankRow,
  type ReleaseRow,
  type ReviewRow,
} from "./statements.ts";

/** The most days that a table on a page shows: the download has all. */
const mostRows = 60;

/** Ranks by day, the newest first, and the releases between them. */
export function rankTable(rows: readonly RankRow[], releases: readonly ReleaseRow[]): Html {
  return html`${releasePart(releases)}
    <details class="card">
      <summary>The newest ${Math.min(mostRows, rows.length)} of ${rows.length} ranks as a table</summary>
      ${dataTable(
        "Ranks by day",
        [
          { heading: "Day", cell: (row: RankRow) => row.date_day },
          { heading: "App", cell: (row: RankRow) => row.app_name },
          { heading: "Rank", isNumber: true, cell: (row: RankRow) => row.keyword_rank ?? "not ranked" },
        ],
        rows.slice(-mostRows).toReversed(),
      )}
    </details>`;
}

function releasePart(releases: readonly ReleaseRow[]): Html | null {
  if (releases.length === 0) return null;
  return html`<h2>Releases</h2>
    <ul class="releases">
      ${releases.toReversed().map(
        ({ release_day: day, version, release_notes: notes }) =>
          html`<li>
            <strong>${version || "a release"}</strong>
            <span class="muted">${day}</span>${notes === null || notes === "" ? null : html`<br />${shortText(notes)}`}
          </li>`,
      )}
    </ul>`;
}

const longestText = 400;

function shortText(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText).trimEnd()}…` : text;
}

/** The name of a movement, with an arrow, and the words for what keywords did. */
const movements: Readonly<Record<string, { readonly name: string; readonly did: (daysBack: string) => string }>> = {
  gained: { name: "▲ gained", did: () => "gained" },
  entered: { name: "▲ entered", did: () => "entered the ranking" },
  lost: { name: "▼ lost", did: () => "lost" },
  left: { name: "▼ left", did: () => "left the ranking" },
  same: { name: "same", did: () => "unchanged" },
  unranked: { name: "unranked", did: () => "not ranked on either day" },
  "not requested before": { name: "not requested before", did: (days) => `without an answer ${days} before` },
};

/** Keywords that moved, the largest moves first, below the number of keywords by movement. */
export function moverTable(rows: readonly MoverRow[], counts: readonly MovementRow[], daysBack: number): Html {
  const days = countOf(daysBack, "day");
  const known = sumBy(counts, (one) => one.keyword_count);
  const did = Object.entries(movements).flatMap(([movement, words]) =>
    counts.filter((one) => one.movement === movement).map((one) => `${count(one.keyword_count)} ${words.did(days)}`),
  );
  const table = dataTable(
    `${rows.length < mostMovers ? "Keywords whose rank changed" : `The ${mostMovers} keywords whose rank changed most`} in ${days}`,
    [
      { heading: "Keyword", cell: (row: MoverRow) => row.keyword },
      {
        heading: "Movement",
        cell: ({ movement }) =>
          html`<span class="movement ${movement}">${movements[movement]?.name ?? movement}</span>`,
      },
      { heading: "Before", isNumber: true, cell: (row) => row.previous_rank },
      { heading: "Now", isNumber: true, cell: (row) => row.keyword_rank },
      { heading: "Places gained", isNumber: true, cell: (row) => row.places_gained },
      { heading: "From", cell: (row) => row.previous_day },
      { heading: "To", cell: (row) => row.date_day },
    ],
    rows,
  );
  return html`<section class="card">
    <p>Of ${countOf(known, "keyword")}: ${did.join(", ")}.</p>
    ${rows.length > 0 ? table : null}
  </section>`;
}

/** The names of categories, with the code as well if two share a name, like Music and Sports of apps and of games. */
export function categoryNames(rows: readonly ChartRow[]): (row: ChartRow) => string {
  const byName = Map.groupBy(rows, ({ category }) => category);
  const shared = new Set(
    [...byName].filter(([, own]) => new Set(own.map((row) => row.category_code)).size > 1).map(([name]) => name),
  );
  return ({ category, category_code: code }) => (shared.has(category) ? `${category} ${code}` : category);
}

/** Places in charts by day, the newest first. */
export function chartTable(rows: readonly ChartRow[]): Html {
  const nameOf = categoryNames(rows);
  return html`<details class="card">
    <summary>The newest ${Math.min(mostRows, rows.length)} of ${rows.length} places as a table</summary>
    ${dataTable(
      "Places in charts by day",
      [
        { heading: "Day", cell: (row: ChartRow) => row.date_day },
        { heading: "Category", cell: nameOf },
        { heading: "Chart", cell: (row) => [row.chart, row.chart_version].filter((word) => word !== "").join(" ") },
        { heading: "Place", isNumber: true, cell: (row) => row.best_category_rank ?? "no place" },
      ],
      rows.slice(-mostRows).toReversed(),
    )}
  </details>`;
}

/** Reviews that a page shows: the download has more. */
const reviewsShown = 30;

/** The newest reviews as they were written. */
export function reviewList(reviews: readonly ReviewRow[]): Html {
  if (reviews.length === 0) return html``;
  return html`<h2>Newest reviews</h2>
    <ul class="reviews">
      ${reviews.slice(0, reviewsShown).map(
        (review) =>
          html`<li class="card">
            <p>
              <span class="stars" role="img" aria-label="${review.rating ?? "no"} stars"
                >${starText(review.rating)}</span
              >
              <strong>${review.title}</strong>
            </p>
            <p>${review.content === null ? null : shortText(review.content)}</p>
            <p class="muted">
              ${[review.reviewer_name, review.reviewed_at.slice(0, 10), review.version].filter((word) => word !== null && word !== "").join(" · ")}
            </p>
          </li>`,
      )}
    </ul>`;
}

function starText(rating: number | null): string {
  return rating === null ? "–" : "★".repeat(rating) + "☆".repeat(Math.max(0, 5 - rating));
}
