import { answerErrors } from "./answer-errors.ts";
import { consoleErrors } from "./console-errors.ts";
import { metabaseErrors } from "./metabase-errors.ts";
import { notifyErrors } from "./notify-errors.ts";
import { postgresErrors } from "./postgres-errors.ts";
import { usageErrors } from "./usage-errors.ts";

/**
 * Every error that Storehouse can raise: its class, what it means and the next step.
 * `recovery` is the class (see errors.ts); `attempts` is how often a slice is requested before it counts as failed; `says` and `next` may
 * name facts of the context in braces; those that neither names are listed after `says`.
 * `leaves` is the final state of a slice whose answer is unavailable; `later` is true if a slice that failed with the error is requested
 * again automatically, at growing intervals (see retry-times.ts).
 * `unreadable` is true if a stored answer may be the cause: `storehouse retry` requests it again instead of reading it again. `sent` and
 * `charged` are set if a call can end with the error and without a reply: `sent` says whether a request was attempted, so that it has a row
 * in ops.request; `charged` says whether the service may have charged for it.
 */
export const errorCodes = {
  ...usageErrors,
  ...postgresErrors,
  ...consoleErrors,

  // requests to the API
  no_connection: {
    recovery: "retry",
    later: true,
    sent: true,
    charged: false,
    attempts: 5,
    says: "the API could not be reached",
    next: "check the network and API_BASE_URL{hint}",
  },
  cut_connection: {
    recovery: "retry",
    later: true,
    sent: true,
    charged: true,
    attempts: 4,
    says: "the connection broke before the answer was complete",
    next: "`storehouse failures` shows its next try, if it has one",
  },
  day_over: {
    recovery: "defer",
    sent: false,
    charged: false,
    says: "the day of the snapshot ended before its call was sent",
    next: "it is requested for the new day automatically",
  },
  timeout: {
    recovery: "retry",
    later: true,
    sent: true,
    charged: true,
    attempts: 4,
    says: "the API did not respond in time",
    next: "raise api.timeout_seconds if this continues",
  },
  answer_too_large: {
    recovery: "skip",
    sent: true,
    charged: true,
    leaves: "failed",
    says: "the answer is larger than the limit",
    next: "make the slice smaller or raise api.largest_answer_mib",
  },
  redirected: {
    recovery: "abort",
    sent: true,
    charged: true,
    says: "the API sent a redirect away from API_BASE_URL",
    next: "set API_BASE_URL to the address that the redirect names",
  },

  // statuses of replies
  server_error: {
    recovery: "retry",
    later: true,
    attempts: 4,
    says: "the API failed",
    next: "`storehouse failures` shows its next try, if it has one; `storehouse retry` requests it now",
  },
  too_many_requests: {
    recovery: "retry",
    later: true,
    attempts: 8,
    says: "the API refused the rate of requests",
    next: "the rate is halved automatically; lower api.requests_per_second if this continues",
  },
  credits_exhausted: {
    recovery: "defer",
    says: "too few credits are left{kept}",
    next: "it continues automatically after the reset; raise the allowance or lower credits.floors; `storehouse credits` shows what the credits that are left are kept for",
  },
  allowance_too_small: {
    recovery: "defer",
    says: "one call takes {cost} credits, but this class of work may use only {most} of the whole allowance of {total}",
    next: "waiting does not help: raise the allowance or lower credits.floors, or switch the dataset off",
  },
  budget_exhausted: {
    recovery: "defer",
    says: "this takes {cost} credits, and the budget {budget} has already used {taken} of {credits} a {period}",
    next: "it continues automatically at {until}; raise credits.budgets.{budget} to continue earlier",
  },
  budget_kept: {
    recovery: "defer",
    says: "this takes {cost} credits, the budget {budget} has already used {taken} of {credits} a {period}, and history leaves {kept} of it to the nights of this {period}",
    next: "it is tried again at {until}; raise credits.budgets.{budget} or make nights cheaper to continue earlier",
  },
  budget_too_small: {
    recovery: "defer",
    says: "one call takes {cost} credits, more than the whole budget {budget} of {credits} a {period}",
    next: "waiting does not help: raise credits.budgets.{budget} or switch the dataset off",
  },
  allowance_spent: {
    recovery: "defer",
    says: "no credits are left for this: {problem}",
    next: "run the command again {when}",
  },
  unauthorised: {
    recovery: "abort",
    says: "the API refused the token",
    next: "check API_TOKEN, which is missing or wrong, unless `storehouse doctor` finds that the API accepts it: then the account has no right to this operation, so switch the dataset off in config/storehouse.yaml",
  },
  forbidden: {
    recovery: "abort",
    says: "the API does not allow this request to the account",
    next: "request the right to this operation from the operator of the API, or switch the dataset off (`on: false` under its name in config/storehouse.yaml)",
  },
  bad_request: {
    recovery: "skip",
    later: true,
    sent: false,
    charged: false,
    leaves: "skipped",
    says: "the API or the operation does not accept the parameters",
    next: "`storehouse operations` lists the parameters, ops.request has the request; if earlier days were answered, `storehouse failures` shows its next try, if it has one",
  },
  not_found: {
    recovery: "skip",
    later: true,
    leaves: "skipped",
    says: "the API does not know the app, keyword or other item",
    next: "nothing to do unless the app or keyword should exist; if earlier days were answered, `storehouse failures` shows its next try, if it has one",
  },
  no_content: {
    recovery: "skip",
    leaves: "empty",
    says: "the API has no data for this",
    next: "nothing to do",
  },
  not_tracked: {
    recovery: "skip",
    leaves: "skipped",
    says: "the answer leaves out these items",
    next: "nothing to do: keywords missing from the account's list are requested by name, and the list is requested again within a week; apps that the service does not know are requested again when they are due",
  },
  unexpected_status: {
    recovery: "skip",
    later: true,
    leaves: "failed",
    says: "the API replied with an unexpected status",
    next: "see ops.request; `storehouse failures` shows its next try, if it has one; report it if this continues",
  },

  ...answerErrors,
  ...metabaseErrors,

  // Storehouse itself
  not_kept: {
    recovery: "skip",
    leaves: "skipped",
    says: "days before {end} are no longer kept",
    next: "if you need these days, raise keep_months in config/storehouse.yaml and run `storehouse backfill --reprocess failed`",
  },
  answer_held: {
    recovery: "skip",
    leaves: "skipped",
    says: "the answer leaves out {closing} of {current} members of the portfolio, so it is held and changes nothing",
    next: "it is requested again the next day, and applied if that answer is the same; `storehouse held --apply` applies it now",
  },
  run_limit_spent: {
    recovery: "defer",
    says: "the credits allowed for this run are spent",
    next: "run it again with a higher --max-credits; for a backfill, `storehouse backfill` with `--plan` and its number shows the command that prices the rest again",
  },
  plan_spent: {
    recovery: "defer",
    says: "the price of plan {plan} is spent: {left} credits are left of it, and the call costs {cost}",
    next: "the rest is cancelled and is a gap again; `storehouse backfill --plan {plan}` shows the command that prices it again",
  },
  not_encodable: {
    recovery: "skip",
    sent: false,
    charged: false,
    leaves: "skipped",
    says: "a value cannot be sent in a URL",
    next: "stop tracking the keyword: it is . or .., or contains a broken character",
  },
  unexpected: {
    recovery: "skip",
    unreadable: true,
    leaves: "failed",
    says: "an unexpected error",
    next: "the answer is kept in raw.answer; report this message",
  },
  process_died: {
    recovery: "skip",
    sent: true,
    charged: true,
    leaves: "failed",
    says: "the process died or froze {attempts} times while it ran only this slice",
    next: "give the worker more memory, or make the slice smaller (longest_window, most_pages); `storehouse retry --code process_died` runs it again",
  },
  lease_expired: {
    recovery: "fenced",
    says: "the lease of this process expired while it was frozen, and other processes have taken over its slices",
    next: "a worker registers again automatically; a command must be run again",
  },
  ...notifyErrors,
  fenced: { recovery: "fenced", says: "another worker has taken over this slice", next: "nothing to do" },
  stopped: {
    recovery: "fenced",
    sent: true,
    charged: true,
    says: "the process is stopping",
    next: "nothing to do; the slice is released",
  },
} as const satisfies Record<string, ErrorEntry>;

/** An error in the table. */
export type ErrorEntry = {
  readonly recovery: Recovery;
  readonly says: string;
  readonly next: string;
  readonly attempts?: number;
  readonly leaves?: "empty" | "skipped" | "failed";
  readonly later?: boolean;
  readonly unreadable?: boolean;
  readonly sent?: boolean;
  readonly charged?: boolean;
};

/** What to do about an error. */
export type Recovery = "usage" | "retry" | "defer" | "skip" | "abort" | "fenced";

/** The stable name of an error. */
export type ErrorCode = keyof typeof errorCodes;
