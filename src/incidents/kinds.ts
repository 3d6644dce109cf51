/** Every kind of incident: its heading in a message, what it means, and what to do next. */
export const incidentKinds = {
  asking_stopped: {
    title: "Nothing is asked for any more",
    says: "the API refused the token or the account, so all asking has stopped",
    next: "check API_TOKEN and the rights of the account; `storehouse doctor` tries it",
  },
  slices_failed: {
    title: "Slices failed for good",
    says: "slices of a dataset failed as often as they may, each error code by itself",
    next: "`storehouse status` shows the error; `storehouse retry` asks again",
  },
  dataset_stale: {
    title: "A dataset is late",
    says: "nothing newer came for a dataset within its limit",
    next: "`storehouse gaps` shows what is missing; see that a worker runs and that credits are left",
  },
  credits_short: {
    title: "Credits will not last to the reset",
    says: "what is planned and the pace of the last day take more credits than are left above the floor for the newest day",
    next: "raise the allowance, switch datasets off or lower their history, or wait for the reset",
  },
  contract_drift: {
    title: "Answers hold fields that nobody knows",
    says: "an operation answers with fields that the contract does not name, told by the day on which they came, until answers of three days came without them; they are kept in raw.answer",
    next: "see ops.drift; nothing is lost, and an update of Storehouse may give them a column",
  },
  cost_changed: {
    title: "A call costs other than documented",
    says: "an operation was last charged other than its documented cost; plans go by what was charged",
    next: "`storehouse credits` compares them",
  },
} as const satisfies Record<string, { title: string; says: string; next: string }>;

/** What an incident is. */
export type IncidentKind = keyof typeof incidentKinds;

/** Something that is wrong now, as a look finds it. Of the same kind, subject and account there is one incident at a time. */
export type Finding = {
  readonly kind: IncidentKind;
  /** What it is about; empty where the kind says it all. */
  readonly subject: string;
  /** The account that it is about, by the hash of its key; empty where it is about the warehouse. */
  readonly accountId: string;
  /** In words, with figures and the next step. */
  readonly summary: string;
  readonly detail: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
};

/** Puts a finding together; the next step of its kind ends the summary. */
export function finding({ summary, ...rest }: Finding): Finding {
  return { ...rest, summary: `${summary}; ${incidentKinds[rest.kind].next}` };
}
