import { z } from "zod";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { accountOf } from "../config/config-of-account.ts";
import { fail, loggedText, StorehouseError } from "../core/errors.ts";
import { errorCodes, type ErrorCode, type Recovery } from "../core/error-codes.ts";
import { isLostConnection, databaseOutage } from "../postgres/database-errors.ts";
import type { ConsoleParts } from "./console-parts.ts";
import { html, type Html } from "./html.ts";
import { OwnAddress } from "./parse-input.ts";
import { isSlow } from "./slow.ts";
import { navigationEntries } from "./pages/all.ts";
import { codeText } from "./parts/code-text.ts";
import type { Visitor } from "./visitor.ts";
import { capital } from "../core/words.ts";
import { sendPage } from "./layout.ts";

/** The status and the title of an error page. */
type Kind = { readonly status: number; readonly title: string };

const kinds = {
  input: { status: 400, title: "Invalid input" },
  signIn: { status: 401, title: "Sign in" },
  notAllowed: { status: 403, title: "Not allowed" },
  notFound: { status: 404, title: "Not found" },
  notNow: { status: 409, title: "Not possible now" },
  tooOften: { status: 429, title: "Too many requests" },
  partly: { status: 502, title: "Only partly done" },
  apiRefuses: { status: 502, title: "The API does not do this" },
  tokenRefused: { status: 502, title: "The API refuses the token" },
  apiForbids: { status: 502, title: "The API does not allow this to the account" },
  apiMoved: { status: 502, title: "The API has another address" },
  answerUnusable: { status: 502, title: "The API's answer cannot be used" },
  apiFails: { status: 503, title: "The API does not respond as it should" },
  apiTooOften: { status: 503, title: "The API accepts no more requests for now" },
  database: { status: 503, title: "The database cannot be used now" },
  databaseSlow: { status: 503, title: "The database does not respond in time" },
  stopping: { status: 503, title: "The console is stopping" },
  interrupted: { status: 503, title: "Interrupted" },
  unexpected: { status: 500, title: "Something went wrong" },
} as const satisfies Record<string, Kind>;

/** The kind of each class of errors. A usage error is about the state of things, unless its code is in the table below. */
const kindOfRecovery: Readonly<Record<Recovery, Kind>> = {
  usage: kinds.notNow,
  defer: kinds.notNow,
  retry: kinds.apiFails,
  skip: kinds.apiRefuses,
  abort: kinds.apiRefuses,
  fenced: kinds.interrupted,
};

const kindOfCode: Readonly<Partial<Record<ErrorCode, Kind>>> = {
  // the visitor can correct these
  console_bad_input: kinds.input,
  bad_day: kinds.input,
  bad_argument: kinds.input,
  unknown_dataset: kinds.input,
  unknown_table: kinds.input,
  not_in_portfolio: kinds.input,
  console_unknown: kinds.notFound,
  unknown_plan: kinds.notFound,
  plan_of_another: kinds.notFound,
  console_sign_in: kinds.signIn,
  console_signed_out: kinds.signIn,
  console_not_allowed: kinds.notAllowed,
  console_forged: kinds.notAllowed,
  console_host: kinds.notAllowed,
  console_keywords_left: kinds.partly,
  console_too_often: kinds.tooOften,
  console_slow: kinds.databaseSlow,
  database_unreachable: kinds.databaseSlow,
  rights_missing: kinds.database,
  migrations_pending: kinds.database,
  unauthorised: kinds.tokenRefused,
  forbidden: kinds.apiForbids,
  redirected: kinds.apiMoved,
  too_many_requests: kinds.apiTooOften,
  api_unavailable: kinds.apiFails,
  answer_too_large: kinds.answerUnusable,
  answer_too_deep: kinds.answerUnusable,
  unknown_shape: kinds.answerUnusable,
  unexpected_status: kinds.answerUnusable,
  stopped: kinds.stopping,
  unexpected: kinds.unexpected,
};

/** The kind of the page about an error. */
export function kindOf(code: ErrorCode): Kind {
  return (
    kindOfCode[code] ?? (code.startsWith("database_") ? kinds.database : kindOfRecovery[errorCodes[code].recovery])
  );
}

/** Shows an error as a page that says what to do next. An unexpected error goes into the log, and none of its text into the page. */
export function addProblems(server: FastifyInstance, parts: ConsoleParts): void {
  server.setNotFoundHandler((request, reply) =>
    sendProblem(parts, { request, reply, problem: fail("console_unknown", { what: "page at this address" }) }),
  );
  server.setErrorHandler((error, request, reply) => {
    const problem = problemOf(parts.app, error);
    if (problem === null) parts.app.log.error({ problem: loggedText(error, parts.app.hide) }, "console.failed");
    return sendProblem(parts, { request, reply, problem });
  });
}

/** Who a request is from; null for an unknown visitor, wherever the request comes from. */
export function visitorOrNull(access: ConsoleParts["access"], request: FastifyRequest): Visitor | null {
  try {
    return access.visitorOf(request);
  } catch {
    return null;
  }
}

/** An error as one of ours; null for an unexpected one. */
export function problemOf(app: ConsoleParts["app"], error: unknown): StorehouseError | null {
  // its next step is about a command
  if (error instanceof StorehouseError && error.code === "bad_argument")
    return fail("console_bad_input", { problem: error.problem }, error);
  if (error instanceof StorehouseError) return error;
  if (isSlow(error)) return fail("console_slow", { seconds: app.config.settings.console.timeout_seconds }, error);
  if (isLostConnection(error)) return databaseOutage(error);
  if (!(error instanceof Error) || !("statusCode" in error)) return null;
  if ("code" in error && String(error.code).startsWith("FST_CSRF")) return fail("console_forged", {}, error);
  if (error.statusCode === 429) return fail("console_too_often", {}, error);
  return Number(error.statusCode) < 500 ? fail("console_bad_input", { problem: error.message }, error) : null;
}

type Shown = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly problem: StorehouseError | null;
};

function sendProblem({ access, app }: ConsoleParts, { request, reply, problem }: Shown): FastifyReply {
  // an unknown visitor gets the page without navigation
  const visitor = visitorOrNull(access, request);
  const account = accountOf(app.config.settings);
  const { status, title } = problem === null ? kinds.unexpected : kindOf(problem.code);
  const text = problem === null ? "an unexpected error" : app.hide(problem.problem);
  const next = problem === null ? "see the log of the console" : app.hide(problem.next);
  const body = html`<article class="card narrow">
    <p class="eyebrow">${status}</p>
    <h1>${title}</h1>
    <p>${codeText(sentence(text))}</p>
    <p><strong>Next:</strong> ${codeText(sentence(next))}</p>
    ${problem?.code === "console_signed_out" && access.hasPassword ? signInLink(request) : null}
    ${problem === null ? null : html`<p class="muted"><code>${problem.code}</code></p>`}
  </article>`;
  const frame = { title, body, visitor, account, navigation: navigationEntries(), address: request.url };
  return sendPage(reply.code(status), frame);
}

/** Sign-in leads back to the page of the form. */
function signInLink({ body }: FastifyRequest): Html {
  const { back } = z
    .object({ back: OwnAddress })
    .catch({ back: "/" })
    .parse(body ?? {});
  return html`<p><a class="button primary" href="/sign-in?to=${encodeURIComponent(back)}">Sign in</a></p>`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? capital(text) : `${capital(text)}.`;
}
