import { day, type Day } from "../../core/day.ts";
import { hashOf, mix, pick, unit } from "./noise.ts";
import type { Topic } from "./words.ts";

/** A synthetic product: one app, or two if both stores sell it. `countries` is null if it is sold everywhere. */
export type Product = {
  readonly name: string;
  readonly developer: string;
  readonly topic: Topic;
  readonly ios: string | null;
  readonly android: string | null;
  readonly countries: readonly string[] | null;
  readonly released: Day;
};

const written: readonly Product[] = [
  {
    name: "Lumi: Habit Garden",
    developer: "Paperlantern Labs",
    topic: "productivity",
    ios: "6446318020",
    android: "app.lumi.habit",
    countries: null,
    released: day("2021-04-12"),
  },
  {
    name: "もふタスク - やることリスト",
    developer: "くもり空工房",
    topic: "productivity",
    ios: "1587204933",
    android: "jp.kumorizora.mofutask",
    countries: ["JP", "US"],
    released: day("2019-10-01"),
  },
  {
    name: "Çırak: Bütçe Defteri",
    developer: "Yelkovan Yazılım Atölyesi",
    topic: "finance",
    ios: "6471905512",
    android: "com.yelkovan.cirak",
    countries: ["TR", "DE"],
    released: day("2022-02-22"),
  },
  {
    name: "Тихий Лес: медитация",
    developer: "Северная Выдра",
    topic: "mindfulness",
    ios: "1276650841",
    android: "ru.vydra.tikhiles",
    countries: ["TR", "DE", "GB", "US"],
    released: day("2018-06-30"),
  },
  {
    name: "Snippetfox: Code & Notes",
    developer: "Foxglove & Daughters Softworks",
    topic: "developer",
    ios: "987340215",
    android: "dev.snippetfox.notes",
    countries: null,
    released: day("2016-01-15"),
  },
  {
    name: "Wanderkompass",
    developer: "Bergziege Digital",
    topic: "travel",
    ios: "6502217748",
    android: null,
    countries: ["DE", "GB", "US"],
    released: day("2023-05-09"),
  },
  {
    name: "Pão & Prato: Receitas",
    developer: "Estúdio Jabuticaba",
    topic: "food",
    ios: "1433890267",
    android: null,
    countries: ["BR", "US"],
    released: day("2020-08-18"),
  },
  {
    name: "달빛요가 · Moonlit Yoga",
    developer: "달토끼 스튜디오",
    topic: "mindfulness",
    ios: "6740093316",
    android: null,
    countries: null,
    released: day("2026-03-09"),
  },
  {
    name: "Mind.Map Marble",
    developer: "Marble Otter",
    topic: "productivity",
    ios: null,
    android: "de.marbleotter.mindmap",
    countries: null,
    released: day("2020-11-03"),
  },
];

const syllables = [
  "lu",
  "mo",
  "ka",
  "ri",
  "ze",
  "pon",
  "ta",
  "vi",
  "no",
  "shi",
  "bra",
  "del",
  "qu",
  "sol",
  "wen",
  "yu",
] as const;
const endings = ["ly", "do", "nest", "loop", "mark", "way", "kit", "bloom"] as const;
const houses = ["Workshop", "Atelier", "Softworks", "Foundry", "Collective"] as const;
const topics = [
  "productivity",
  "finance",
  "mindfulness",
  "developer",
  "travel",
  "food",
] as const satisfies readonly Topic[];

/** The product at `index`: nine are written by hand, all others come from the seed. */
export function productAt(seed: number, index: number): Product {
  return written[index] ?? inventedProduct(hashOf(seed, "product", index), index);
}

function inventedProduct(hash: number, index: number): Product {
  const stem = [4, 5, 6].map((salt) => pick(mix(hash, salt), syllables)).join("") + pick(mix(hash, 7), endings);
  const name = stem[0]?.toUpperCase() + stem.slice(1);
  const shop = pick(mix(hash, 8), houses);
  const where = index % 3;
  return {
    name,
    developer: `${name} ${shop}`,
    topic: pick(mix(hash, 9), topics),
    // the index is part of both ids, so that no two products share one
    ios: where === 1 ? null : String(6_800_000_000 + index * 1_009 + (hash % 1_009)),
    android: where === 2 ? null : `app.${stem}.n${index}`,
    countries: null,
    released: day(`${2017 + Math.floor(unit(mix(hash, 10)) * 8)}-0${1 + Math.floor(unit(mix(hash, 11)) * 9)}-15`),
  };
}
