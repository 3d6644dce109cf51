import * as review from "../../api/operations/review.ts";
import type { Operation } from "../../api/define-operation.ts";
import type { Store } from "../../core/store.ts";
import { dayOf, type Day } from "../../core/day.ts";
import { sumBy } from "../../core/sum.ts";
import { reviewsOn, type MarketReview } from "../market/reviews.ts";
import { versionOn } from "../market/versions.ts";
import { answerTable, answerTo, localTime, publishedDays, type AnswerContext } from "../answer-context.ts";

type Requested = {
  readonly trackId: string;
  readonly startDate: Day;
  readonly endDate: Day;
  readonly rating?: readonly number[] | undefined;
  readonly countries?: readonly string[] | undefined;
  readonly languages?: readonly string[] | undefined;
  readonly textQuery?: string | undefined;
  readonly repliedReview?: boolean | undefined;
};

/** The reviews that match a request, the newest first; none for an app that is not crawled. */
function reviews(context: AnswerContext, operation: Operation, store: Store, requested: Requested): MarketReview[] {
  const app = context.market.app(store, requested.trackId);
  if (app === null) return [];
  const days = publishedDays(context, operation, { start: requested.startDate, end: requested.endDate });
  const languages = requested.languages?.map((language) => language.slice(0, 2).toLowerCase());
  return days
    .flatMap((day) => app.countries.flatMap((country) => reviewsOn(app, country, day)))
    .filter(({ country }) => requested.countries?.includes(country) ?? true)
    .filter(({ language }) => languages?.includes(language) ?? true)
    .filter(({ rating }) => requested.rating?.includes(rating) ?? true)
    .filter(({ text, title }) =>
      `${title ?? ""} ${text}`.toLowerCase().includes((requested.textQuery ?? "").toLowerCase()),
    )
    .filter(({ replied }) => replied === (requested.repliedReview ?? replied))
    .sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1));
}

/** What both lists report about a review; on Android the country is the language. */
function reported(store: Store, of: MarketReview) {
  return {
    reviewer: of.reviewer,
    date: localTime(of.at),
    countryCode: store === "ios" ? of.country : of.language,
    content: of.text,
    ...(of.title === null ? {} : { title: of.title }),
  };
}

function plain(
  context: AnswerContext,
  operation: Operation,
  store: Store,
  requested: Requested & { page?: number | undefined },
) {
  const size = operation.paging?.size ?? 100;
  const from = (requested.page ?? 0) * size;
  return reviews(context, operation, store, requested)
    .slice(from, from + size)
    .map((of) => ({
      id: Number(of.id),
      ...reported(store, of),
      // a number or its digit
      rating: Number(of.id) % 2 === 0 ? of.rating : String(of.rating),
    }));
}

type Paged = Requested & { readonly page?: number | undefined; readonly size?: number | undefined };

function paged(context: AnswerContext, operation: Operation, store: Store, requested: Paged) {
  const all = reviews(context, operation, store, requested);
  const [number, size] = [requested.page ?? 0, requested.size ?? 20];
  const app = context.market.app(store, requested.trackId);
  return {
    content: all.slice(number * size, (number + 1) * size).map((of) => ({
      reviewId: store === "ios" ? Number(of.id) : `gp:${of.id}`,
      ...reported(store, of),
      rating: of.rating,
      ...(store === "android" && app !== null && of.replied ? { version: versionOn(app, dayOf(of.at)).text } : {}),
    })),
    totalElements: all.length,
    totalPages: Math.ceil(all.length / size),
    pageNumber: number,
    pageSize: size,
  };
}

/** The words of the reviews, the most frequent first. Ratings and days of a word add up to the reviews that contain it. */
function words(all: readonly MarketReview[]) {
  const found = new Map<string, MarketReview[]>();
  for (const of of all)
    for (const word of of.text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
      found.set(word, [...(found.get(word) ?? []), of]);
  return [...found]
    .map(([word, holding]) => ({ word, frequency: holding.length, held: [...new Set(holding)] }))
    .sort((a, b) => b.frequency - a.frequency || (a.word < b.word ? -1 : 1))
    .map(({ word, frequency, held }) => ({
      word,
      averageRating: Math.round((sumBy(held, ({ rating }) => rating) / held.length) * 100) / 100,
      frequency,
      numReviews: held.length,
      sentiment: counted(held.map(({ rating }) => String(rating))),
      trend: counted(held.map(({ at }) => dayOf(at))),
    }));
}

function counted(keys: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(keys, (key) => key)].map(([key, same]) => [key, same.length]));
}

/** Answers about reviews: plain, in pages, by words. */
export const reviewAnswers = answerTable([
  answerTo(review.iosReviews, (requested, context) => plain(context, review.iosReviews, "ios", requested)),
  answerTo(review.androidReviews, (requested, context) => plain(context, review.androidReviews, "android", requested)),
  answerTo(review.iosReviewsV2, (requested, context) => paged(context, review.iosReviewsV2, "ios", requested)),
  answerTo(review.androidReviewsV2, ({ countries, ...requested }, context) =>
    paged(context, review.androidReviewsV2, "android", { ...requested, languages: countries }),
  ),
  answerTo(review.iosReviewAnalysis, (requested, context) =>
    words(reviews(context, review.iosReviewAnalysis, "ios", requested)),
  ),
  answerTo(review.androidReviewAnalysis, (requested, context) =>
    words(reviews(context, review.androidReviewAnalysis, "android", requested)),
  ),
]);
