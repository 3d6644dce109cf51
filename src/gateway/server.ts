import { randomUUID } from "node:crypto";
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { withDefaultDays } from "../api/default-days.ts";
import { remainingCredits } from "../api/operations/account.ts";
import { operations } from "../api/operations/all.ts";
import { sharedAnswerHeader } from "../api/credit-headers.ts";
import { errorBody, statusIn } from "../api/serve/error-body.ts";
import { fittingCall } from "../api/serve/fitting-call.ts";
import { readQuery, splitTarget } from "../api/serve/query.ts";
import { readParams } from "../api/serve/read-params.ts";
import { Refusal } from "../api/serve/refusal.ts";
import { pathValues, type Route, routesOf } from "../api/serve/routes.ts";
import { latestEnd, windowOfCall } from "../api/range.ts";
import { addDays, dayOf, type Day } from "../core/day.ts";
import { type Allowance, allowanceOf, creditHeadersOf } from "./allowance.ts";
import type { CallAnswerer } from "./answer-calls.ts";
import type { Call, Caller, GatewayParts } from "./gateway-parts.ts";
import { holderOf } from "./keys.ts";
import { refusalOf } from "./refusal-of.ts";

/** The result of a request. */
type Outcome = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
};

/** The longest list that the contract allows takes a few hundred kilobytes, and so may a path. */
const bodyLimit = 4 * 1024 * 1024;
const maxParamLength = 8_192;

const json = "application/json";

/** An HTTP server with the paths of the contract. Not listening yet. */
export function createGatewayServer(parts: GatewayParts, answerer: CallAnswerer): FastifyInstance {
  const server = fastify({
    logger: false,
    bodyLimit,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    routerOptions: { maxParamLength },
    frameworkErrors: (error, request, reply) => void refuse(parts, request, reply, new Refusal(400, error.code)),
  });
  // the operation that accepts a body reads it
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
  server.setNotFoundHandler((request, reply) => refuse(parts, request, reply, new Refusal(404, "no such path")));
  server.setErrorHandler((error, request, reply) => refuse(parts, request, reply, error));
  for (const route of routesOf(operations, parts.app.config.settings.api.store_words))
    server.route<{ Params: Record<string, string> }>({
      method: route.method,
      url: route.url,
      handler: async (request, reply) => {
        const caller = await callerOf(parts, request);
        try {
          send(reply, await outcomeOf({ parts, answerer }, { route, request, caller }));
        } catch (error) {
          await refuse(parts, request, reply, error, caller);
        }
        return reply;
      },
    });
  return server;
}

/** The caller whose key is in the query, where the contract has the token. */
async function callerOf({ ingest, app }: GatewayParts, request: FastifyRequest): Promise<Caller> {
  const [key] = readQuery(splitTarget(request.raw.url ?? "/").query).values.get("token") ?? [];
  const name = key === undefined ? null : await holderOf(ingest.db, key);
  const settings = name === null ? undefined : app.config.settings.gateway.callers[name];
  if (name === null || settings === undefined) throw new Refusal(401, "the key is missing or unknown");
  return { name, ...settings };
}

type CallerRequest = {
  readonly route: Route;
  readonly request: FastifyRequest<{ Params: Record<string, string> }>;
  readonly caller: Caller;
};

async function outcomeOf(
  { parts, answerer }: { readonly parts: GatewayParts; readonly answerer: CallAnswerer },
  { route, request, caller }: CallerRequest,
): Promise<Outcome> {
  const call = readCall(route, request, dayOf(parts.ingest.clock.now()));
  if (call.operation === remainingCredits) return balanceOf(parts, caller);
  if (call.operation.changes === true && !caller.may_change)
    throw new Refusal(403, "the caller may not change what the account tracks (gateway.callers: may_change)");
  const { body, fetchedAt, cost, from } = await answerer.answer(call, caller);
  const now = parts.ingest.clock.now();
  parts.ingest.log.info({ caller: caller.name, operation: call.operation.id, from, cost }, "gateway.answered");
  const isJson = call.operation.mayBeText !== true || /^\s*["{[]/.test(body.toString("utf8", 0, 16));
  return {
    status: 200,
    headers: {
      "Content-Type": isJson ? json : "text/plain;charset=UTF-8",
      ...creditHeadersOf(await leftFor(parts, caller), { cost, now }),
      [sharedAnswerHeader]: from,
      Age: String(Math.max(0, Math.floor((now - fetchedAt) / 1000))),
    },
    body,
  };
}

/** The call of a request; days that it leaves out are named, so that it is about the same days whenever it is sent. */
function readCall(route: Route, { params, raw, body }: CallerRequest["request"], today: Day): Call {
  const query = readQuery(splitTarget(raw.url ?? "/").query);
  const sent = body instanceof Uint8Array ? body : new Uint8Array();
  return fittingCall(route, (operation) => {
    const path = pathValues(operation, params, route.words);
    const values = readParams(operation, { path, query, body: sent, words: route.words }, { anyCase: true });
    const problem = operation.together?.(values) ?? rangeProblem({ operation, params: values });
    if (problem !== null) throw new Refusal(400, problem);
    return { operation, params: withDefaultDays(operation, values, today) };
  });
}

/** The service cuts some ranges that are too long without an error: the gateway refuses them, so that nobody pays for one. */
function rangeProblem({ operation, params }: Call): string | null {
  const { range } = operation;
  if (range === null || params[range.start] === undefined || params[range.end] === undefined) return null;
  const window = windowOfCall(operation, params);
  if (window === null) return `${range.start} is after ${range.end}`;
  const latest = latestEnd(range, window.start);
  // if the contract does not say whether an end is inclusive, it is treated as exclusive here
  const end = range.endInclusive === null ? addDays(window.end, -1) : window.end;
  return latest === null || end <= latest
    ? null
    : `a range from ${window.start} on ends before ${latest} at the latest`;
}

async function balanceOf(parts: GatewayParts, caller: Caller): Promise<Outcome> {
  const allowance = await allowanceOf(parts, caller, { waits: true });
  const now = parts.ingest.clock.now();
  const data = {
    creditTotal: allowance.total,
    creditRemaining: allowance.remaining,
    creditResetPeriod: allowance.periodHours,
    creditResetTime: Math.max(1, Math.ceil((allowance.resetsAt - now) / 1000)),
  };
  return {
    status: 200,
    headers: { "Content-Type": json, ...creditHeadersOf(allowance, { cost: 0, now }) },
    body: JSON.stringify({ success: true, data }),
  };
}

/**
 * What a caller may spend, for the headers of a reply; null if it cannot be read. An available answer does not wait for a service that may not
 * respond, and is sent, as a refusal is, even if something else fails.
 */
function leftFor(parts: GatewayParts, caller: Caller): Promise<Allowance | null> {
  return allowanceOf(parts, caller, { waits: false }).catch(() => null);
}

/** Refuses as the service does: an envelope with the status, and, for a known caller, what is left. */
async function refuse(
  parts: GatewayParts,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  caller: Caller | null = null,
): Promise<void> {
  const now = parts.ingest.clock.now();
  const refusal = refusalOf(error, now);
  if (refusal === null)
    parts.ingest.log.error({ problem: error instanceof Error ? error.name : "unknown" }, "gateway.failed");
  const { status, message, headers } = refusal ?? new Refusal(statusIn(error), "the gateway could not answer");
  const left = creditHeadersOf(caller === null ? null : await leftFor(parts, caller), { cost: null, now });
  const receipt = { at: now, path: splitTarget(request.raw.url ?? "/").path, requestId: randomUUID() };
  const body = status === 204 ? "" : errorBody(receipt, status, message);
  send(reply, { status, headers: { ...(status === 204 ? {} : { "Content-Type": json }), ...left, ...headers }, body });
}

function send(reply: FastifyReply, { status, headers, body }: Outcome): void {
  void reply.code(status).headers(headers).send(body);
}
