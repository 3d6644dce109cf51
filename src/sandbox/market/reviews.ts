import { dayMs, type Day } from "../../core/day.ts";
import type { MarketApp } from "./apps.ts";
import { hashOf, mix, pick, unit } from "./noise.ts";
import { dayNumber } from "./ranks.ts";
import { languageIn } from "./words.ts";

/** One review of an app. */
export type MarketReview = {
  /** Digits, above 32 bits. */
  readonly id: string;
  readonly reviewer: string;
  readonly country: string;
  /** Two letters, lower case. */
  readonly language: string;
  readonly at: number;
  readonly rating: 1 | 2 | 3 | 4 | 5;
  /** Null if the reviewer wrote none. */
  readonly title: string | null;
  readonly text: string;
  readonly replied: boolean;
};

// including texts that break careless clients: a NUL, half a character, quotes, a text without letters
const texts: Readonly<Record<string, readonly string[]>> = {
  en: [
    "Love the garden, it keeps me going 🌱",
    "Crashes since the update\u0000 - please fix",
    'The "sync" is slow',
    "👍👍",
  ],
  de: ["Übersichtlich und schön", "Seit dem Update stürzt sie ab", "Für Müßiggänger: großartig"],
  ja: ["とても使いやすいです", "同期が遅い \ud83e", "習慣が続くようになりました"],
  pt: ["Ótimo aplicativo, recomendo", "Não sincroniza mais", "Falta um modo escuro"],
  tr: ["Çok kullanışlı bir uygulama", "Güncellemeden sonra açılmıyor", "Işıl ışıl, ığdır gibi"],
};
const titles = ["Great", "", "Meh 😐", "Ağır", "最高", 'a "title"'] as const;
const people = ["Ayşe", "Jürgen_77", "さくら", "bot🤖", "O'Neil", "Ana-Lúcia"] as const;

/** The reviews that were written in a country on a day, in the order of time. */
export function reviewsOn(app: MarketApp, country: string, day: Day): readonly MarketReview[] {
  if (!app.countries.includes(country) || day < app.released) return [];
  const hash = hashOf("reviews", app.store, app.trackId, country, day);
  const count = Math.floor(unit(mix(hash, 1)) ** 2 * 5 * app.popularity);
  const language = languageIn(country);
  const id = (index: number) =>
    (hashOf(app.trackId) % 900) * 1e9 + dayNumber(day) * 10_000 + (hashOf(country) % 1000) * 10 + index;
  return Array.from({ length: count }, (_, index) => {
    const draw = mix(hash, 100 + index);
    const title = pick(mix(draw, 1), titles);
    return {
      id: String(5_000_000_000 + id(index)),
      reviewer: pick(mix(draw, 2), people),
      country,
      language,
      at: dayNumber(day) * dayMs + Math.floor(((index + unit(mix(draw, 3))) / count) * 86_400) * 1_000,
      rating: pick(mix(draw, 4), [5, 5, 5, 4, 4, 3, 2, 1, 1] as const),
      title: unit(mix(draw, 5)) < 0.2 ? null : title,
      text: pick(mix(draw, 6), texts[language] ?? []),
      replied: unit(mix(draw, 7)) < 0.3,
    };
  });
}
