import type { z } from "zod";
import type * as ads from "../../api/operations/ad-distribution.ts";
import type { InvalidItem } from "../../api/read-answer.ts";
import { Amount as AmountSchema } from "../../api/values.ts";
import { extraOf } from "../../load/table.ts";

/** The ways to break down advertising. */
export type DistributionKind = "country" | "dimension" | "type" | "language" | "network" | "publisher_dimension";

type Amount = number | string | null | undefined;

/** One part of a whole: `group` is '' if there is only one whole. */
type AdPart = {
  readonly group: string;
  readonly member: string;
  readonly name: string | null;
  readonly percent: Amount;
  readonly extra: string | null;
};

type Countries = z.output<typeof ads.countryDistribution.answer>;
type Named = z.output<typeof ads.languageDistribution.answer>;
type Networks = z.output<typeof ads.networkDistribution.answer>;
type Dimensions = z.output<typeof ads.creativeDimensionDistribution.answer>;
type Types = z.output<typeof ads.creativeTypeDistribution.answer>;
type Shown = z.output<typeof ads.publisherDimensionDistribution.answer>;

/** The parts in one answer of a kind; a part that names no member is invalid. */
export function partsOf(kind: DistributionKind, answer: unknown): readonly (AdPart | InvalidItem)[] {
  if (answer === null || answer === undefined) return [];
  return readers[kind](answer).map((one) => (one.member === "" ? { reason: "a part without a name", item: one } : one));
}

const readers: Readonly<Record<DistributionKind, (answer: unknown) => readonly AdPart[]>> = {
  country: (answer) =>
    (answer as NonNullable<Countries>).map((one) => ({
      group: "",
      member: firstText(one.code, one.code3, one.name).toUpperCase(),
      name: one.name ?? null,
      percent: one.percent,
      extra: extraOf(one, ["name", "code", "percent"]),
    })),
  language: (answer) => (answer as NonNullable<Named>).map((one) => namedPart("", one)),
  network: (answer) =>
    (answer as NonNullable<Networks>).map((one) => ({
      ...namedPart("", { ...one, name: one.title }),
      extra: extraOf(one, ["title", "percent"]),
    })),
  dimension: (answer) =>
    Object.entries(answer as Dimensions).flatMap(([name, parts]) =>
      Array.isArray(parts)
        ? (parts as NonNullable<Named>).map((one) => namedPart(name.replace(/Creative$/, ""), one))
        : [],
    ),
  type: (answer) =>
    Object.entries(answer as Types).flatMap(([name, percent]) =>
      name.endsWith("Percent") && isAmount(percent)
        ? [{ group: "", member: name.replace(/Percent$/, ""), name: null, percent, extra: null }]
        : [],
    ),
  publisher_dimension: (answer) =>
    Object.entries(answer as Shown).flatMap(([mediaType, parts]) =>
      parts.map((one) => ({
        group: mediaType,
        member: one.dimensions,
        name: null,
        percent: one.percentage,
        extra: extraOf({ ...one, mediaType: one.mediaType === mediaType ? null : one.mediaType }, [
          "dimensions",
          "percentage",
        ]),
      })),
    ),
};

/** The first text that is not empty; '' if there is none. */
function firstText(...texts: readonly (string | null | undefined)[]): string {
  return texts.map((text) => (text ?? "").trim()).find((text) => text !== "") ?? "";
}

function namedPart(group: string, one: NonNullable<Named>[number]): AdPart {
  return { group, member: one.name, name: null, percent: one.percent, extra: extraOf(one, ["name", "percent"]) };
}

function isAmount(value: unknown): value is number | string {
  return AmountSchema.safeParse(value).success;
}
