import { defineKind } from "./define-kind.ts";
import { countOf, cut } from "../../core/words.ts";

/** What answers contain. */
export const answerKinds = {
  answer_held: defineKind<{ about: string; day: string; current: number; closing: number }>({
    title: "An answer would remove most of the portfolio",
    says: "an answer about the portfolio leaves out more than half of its members; closed when the answer is applied (someone confirms it, or a later day's answer is the same), when a later answer differs, or when its app has left the account",
    weight: "trouble",
    mend: "held",
    wording: ({ about, day, current, closing }, since) => ({
      happened: `the answer of ${about} for ${day} leaves out ${closing} of ${current} members and has been held since ${since}`,
      means: "the portfolio stays as it was, and the list is requested again the next day",
      command: "storehouse held",
      does: "shows it, and applies it with --apply if it is right",
    }),
    example: { about: "tracked_app", day: "2026-11-22", current: 14, closing: 14 },
  }),
  contract_drift: defineKind<{ operation: string; since: string; fields: readonly string[]; field_count: number }>({
    title: "Answers contain unknown fields",
    says: "answers of an operation contain fields that its contract does not name: one incident per operation and day on which new fields appear; closed when the answers of three days come without them",
    weight: "note",
    wording: ({ operation, since, fields, field_count: count }) => ({
      happened: `answers of ${operation} have contained ${countOf(count, "unknown field")} since ${since} UTC: ${cut(fields.join(", "), 300)}`,
      means:
        "tables have no columns for them; if one is a known field under a new name, its column is empty until a newer Storehouse reads the stored answers again",
      command: "storehouse raw list",
      does: "lists the stored answers",
    }),
    example: {
      operation: "ios.app-detail",
      since: "2026-11-20",
      fields: ["$.data.ageRating (text)", "$.data.isArcade (boolean)"],
      field_count: 2,
    },
  }),
};
