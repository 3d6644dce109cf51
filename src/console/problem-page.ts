import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { accountOf } from "../config/config-of-account.ts";
import { fail, loggedText, StorehouseError } from "../core/errors.ts";
import { type ErrorCode } from "../core/error-codes.ts";
import { isLostConnection, databaseOutage } from "../postgres/database-errors.ts";
import type { ConsoleParts } from "./console-parts.ts";
import { html } from "./html.ts";
import { isSlow } from "./slow.ts";
import { navigationEntries } from "./pages/all.ts";
import { codeText } from "./parts/code-text.ts";
import type { Visitor } from "./visitor.ts";
import { capital } from "../core/words.ts";
import { sendPage } from "./layout.ts";

/** The status of an error page by error code; 400 for other codes, since the visitor can correct a usage error. */
const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  console_unknown: 404,
  unknown_plan: 404,
  plan_of_another: 404,
  console_sign_in: 401,
  console_signed_out: 401,
  console_not_allowed: 403,
  console_forged: 403,
  console_host: 403,
  console_busy: 409,
  console_sent_already: 409,
  console_nothing_runs: 409,
  plan_changed: 409,
  console_keywords_left: 502,
  console_too_often: 429,
  console_slow: 503,
  database_unreachable: 503,
};

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
  const status = problem === null ? 500 : (statuses[problem.code] ?? 400);
  const title = titles[status] ?? "Something went wrong";
  const text = problem === null ? "an unexpected error" : app.hide(problem.problem);
  const next = problem === null ? "see the log of the console" : app.hide(problem.next);
  const body = html`<article class="card narrow">
    <p class="eyebrow">${status}</p>
    <h1>${title}</h1>
    <p>${codeText(sentence(text))}</p>
    <p><strong>Next:</strong> ${codeText(sentence(next))}</p>
    ${problem === null ? null : html`<p class="muted"><code>${problem.code}</code></p>`}
  </article>`;
  const frame = { title, body, visitor, account, navigation: navigationEntries(), address: request.url };
  return sendPage(reply.code(status), frame);
}

const titles: Readonly<Record<number, string>> = {
  400: "Invalid input",
  401: "Sign in",
  403: "Not allowed",
  404: "Not found",
  409: "Not possible now",
  429: "Too many requests",
  502: "Only partly done",
  503: "The database does not respond in time",
};

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? capital(text) : `${capital(text)}.`;
}
