/** Every kind of incident: its title in a message, what it means, and what to do next. */
export const incidentKinds = {
  requests_stopped: {
    title: "API requests have stopped",
    says: "the API refused the token or the account, so the workers send no more requests",
    next: "check API_TOKEN and the rights of the account; `storehouse doctor` tests the token",
  },
  slices_failed: {
    title: "Slices failed",
    says: "slices of a dataset failed with the same error code and used up their attempts",
    next: "`storehouse status` shows the error; `storehouse retry` requests them again",
  },
  dataset_stale: {
    title: "A dataset is late",
    says: "a dataset has no newer day than its freshness limit allows",
    next: "`storehouse gaps` shows what is missing; check that a worker runs and that credits are left",
  },
  credits_short: {
    title: "Credits run out before the reset",
    says: "the planned slices, or the spending of the last day, need more credits until the reset than are left above the floor of the class daily",
    next: "raise the allowance, switch datasets off or shorten their history, or wait for the reset",
  },
  contract_drift: {
    title: "Answers contain unknown fields",
    says: "an operation answers with fields that its contract does not name; one incident per operation and day of first appearance, closed when three days of answers came without them; the fields are kept in raw.answer",
    next: "see ops.drift; no data is lost, and a newer Storehouse may have a column for them",
  },
  cost_changed: {
    title: "A call costs other than documented",
    says: "the API last charged another price for an operation than documented; plans use the charged price",
    next: "`storehouse credits` compares the prices",
  },
} as const satisfies Record<string, { title: string; says: string; next: string }>;

/** The kind of an incident. */
export type IncidentKind = keyof typeof incidentKinds;

/** The title of a kind; of a newer version's kind, its name. */
export function titleOf(kind: string): string {
  return kind in incidentKinds ? incidentKinds[kind as IncidentKind].title : kind;
}
