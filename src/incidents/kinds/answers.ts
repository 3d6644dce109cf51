import { counted, cut, defineKind } from "./define-kind.ts";

/** What answers contain. */
export const answerKinds = {
  contract_drift: defineKind<{ operation: string; since: string; fields: readonly string[]; field_count: number }>({
    title: "Answers contain unknown fields",
    says: "an operation answers with fields that its contract does not name: one incident an operation and day on which they came; closed when the answers of three days came without them",
    weight: "note",
    wording: ({ operation, since, fields, field_count: count }) => ({
      happened: `answers of ${operation} have contained ${counted(count, "unknown field")} since ${since} UTC: ${cut(fields.join(", "))}`,
      means: "no data is missing, and stored answers keep the fields until a newer Storehouse has columns for them",
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
