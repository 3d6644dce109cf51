import { errorCodes } from "../../core/error-codes.ts";
import { defineKind } from "./define-kind.ts";
import { listed, minuteOf } from "../../core/words.ts";

/**
 * What an error code means, for a message; empty for a code of another version. Placeholders for facts, and a colon before them, are left
 * out.
 */
function meaningOf(code: string): string {
  if (!(code in errorCodes)) return "";
  return errorCodes[code as keyof typeof errorCodes].says.replaceAll(/\s?\{\w+\}/g, "").replace(/:$/, "");
}

/** A code with its meaning. */
export function codeWords(code: string): string {
  const meaning = meaningOf(code);
  return meaning === "" ? code : `${code}: ${meaning}`;
}

/** " of" the dataset; empty if none is known. */
const named = (name: string) => (name === "" ? "" : ` of ${name}`);

/** " for" the app or organisation of a refused request; empty if it was about neither. */
const about = (subject: string) => (subject === "" ? "" : ` for the app or organisation ${subject}`);

/** What a person does about a refusal of all requests, by its code. */
const stopRemedies: Readonly<Record<string, string>> = {
  unauthorised: "replace the token in the settings by a valid one and restart the workers",
  redirected: "set API_BASE_URL to the address that the redirect names and restart the workers",
};

function wholeStop(code: string) {
  const remedy = stopRemedies[code] ?? "contact the operator of the API";
  return {
    means: `nothing is loaded until it accepts them again, which the workers check automatically: ${remedy}`,
    command: "storehouse doctor",
    does: "tests the token and the address",
  };
}

function partialStop(code: string) {
  const remedy =
    code === "redirected"
      ? stopRemedies["redirected"]
      : "request this right from the operator of the API, or switch the dataset off";
  return {
    means: `this is not loaded until it is accepted again, which the workers try automatically, and everything else is loaded only in the minutes between these tries: ${remedy}`,
    command: "storehouse gaps",
    does: "shows what is missing",
  };
}

/** Nothing is loaded: the API, the account, the workers. */
export const serviceKinds = {
  api_unavailable: defineKind<{
    error_code: string;
    /** Datasets whose rows of today are not loaded yet and are available only today. */
    at_risk: readonly string[];
    lost_at: string;
  }>({
    title: "The API is unavailable",
    says: "the API has not responded for `notify.outage_minutes`; closed ten checks after it responds",
    weight: "trouble",
    wording: ({ error_code: code, at_risk: atRisk, lost_at: lostAt }, since) => ({
      happened: `the API has not responded since ${since} (${codeWords(code)})`,
      means:
        atRisk.length === 0
          ? `no day is lost if it responds before ${minuteOf(lostAt)}, and the workers then catch up automatically`
          : `today's rows of ${listed(atRisk)} are lost unless it responds before ${minuteOf(lostAt)}, and the workers catch up on the rest automatically`,
      command: "storehouse doctor",
      does: "tests the connection",
    }),
    example: {
      error_code: "no_connection",
      at_risk: ["category_rank", "keyword_app", "top_chart", "featuring"],
      lost_at: "2026-11-23T00:00:00.000Z",
    },
  }),
  requests_stopped: defineKind<{ error_code: string; operation: string; dataset: string; subject: string }>({
    title: "The API refuses requests",
    says: "the API refused the token, or an operation to the account, so no request is sent; closed ten checks after a balance check is accepted",
    weight: "trouble",
    wording: (facts, since) => {
      const { error_code: code, operation, dataset, subject } = facts;
      const refused =
        operation === "" ? "all requests of the account" : `${operation}${named(dataset)}${about(subject)}`;
      return {
        happened: `the API has refused ${refused} since ${since} (${codeWords(code)})`,
        ...(operation === "" ? wholeStop(code) : partialStop(code)),
      };
    },
    example: { error_code: "unauthorised", operation: "", dataset: "", subject: "" },
  }),
  worker_restarting: defineKind<{ error_code: string; host: string }>({
    title: "A worker cannot work",
    says: "an unexpected error interrupted a worker, which starts again after a wait that grows to ten minutes; closed when this has not happened for 15 minutes",
    weight: "trouble",
    under: ["requests_stopped"],
    isRaised: true,
    wording: ({ error_code: code, host }, since) => ({
      happened: `the worker on ${host} has kept failing and restarting since ${since} (${codeWords(code)})`,
      means: "its slices wait in the meantime, unless another worker takes them over",
      command: "storehouse doctor",
      does: "checks what a worker needs",
    }),
    example: { error_code: "unexpected", host: "loader-1" },
  }),
  task_failed: defineKind<{ task: string; error_code: string }>({
    title: "A crontab task failed",
    says: "the crontab task `export`, `publish` or `retention` failed at each try, or did not succeed within 36 hours of finding another process at the same work; closed when it succeeds again (also as a command), or has not run for eight days",
    weight: "note",
    isRaised: true,
    wording: ({ task, error_code: code }, since) => ({
      happened: `the crontab task ${task} has failed since ${since} (${code === "process_died" ? "the process ended while it ran, at each try: it may need more memory" : codeWords(code)})`,
      means: "nothing is missing in the database, but what the task updates stays as it was",
      command: `storehouse ${task}`,
      does: "runs it now and says what is wrong",
    }),
    example: { task: "publish", error_code: "clickhouse_unavailable" },
  }),
  no_worker: defineKind<{ until: string | null; ended_as: string | null }>({
    title: "No worker ran",
    says: "the last worker died, is frozen or ended with an error, which every command then reports on stderr; a worker that starts after 15 minutes without any worker opens an incident for one hour",
    weight: "note",
    wording: ({ until, ended_as: endedAs }, since) => ({
      happened:
        until === null
          ? `no worker has run since ${since} (the last one ${endedAs === null ? "has no recent heartbeat" : `ended as ${endedAs}`})`
          : `no worker ran from ${since} to ${minuteOf(until)}`,
      means:
        until === null
          ? "nothing is loaded on schedule, and data that is only available on its own day is lost when that day ends"
          : "workers catch up on what was due in the meantime, except for data that was only available on its own day",
      command: until === null ? "storehouse worker" : "storehouse gaps",
      does: until === null ? "starts one" : "shows what is missing",
    }),
    example: { until: "2026-11-22T09:40:00.000Z", ended_as: "died" },
  }),
};
