import type { Operation } from "../api/define-operation.ts";
import type { Account, AccountAllowance } from "./accounts.ts";
import { checkParams } from "./check-params.ts";
import { chargesFor, type FaultKind } from "./faults.ts";
import type { SandboxState } from "./state.ts";
import { goodOutcome, refusedOutcome, spoiledOutcome, wrapped, type Outcome } from "./outcome.ts";
import type { Receipt } from "../api/serve/error-body.ts";
import { fittingCall } from "../api/serve/fitting-call.ts";
import { readQuery, splitTarget, type Query } from "../api/serve/query.ts";
import { readParams } from "../api/serve/read-params.ts";
import { Refusal } from "../api/serve/refusal.ts";
import { pathValues, readablePath, type Route } from "../api/serve/routes.ts";
import type { AnswerTable } from "./answer-context.ts";

/** A request that has a route. */
export type Incoming = {
  readonly receipt: Receipt;
  readonly route: Route;
  /** The path's values, decoded once by the router. */
  readonly byPosition: Readonly<Record<string, string>>;
  /** The raw path and query. */
  readonly target: string;
  readonly body: Uint8Array;
};

type Call = { readonly operation: Operation; readonly params: Readonly<Record<string, unknown>> };
type Place = {
  readonly state: SandboxState;
  readonly answers: AnswerTable;
  readonly incoming: Incoming;
  readonly query: Query;
};

/**
 * Decides the outcome of a request and logs it, in the order of the service: token, pace, parameters, credits, answer. Only an answer is
 * charged. It runs synchronously, so that no two calls see the same credits.
 */
export function respond(state: SandboxState, answers: AnswerTable, incoming: Incoming): Outcome {
  const query = readQuery(splitTarget(incoming.target).query);
  const { account, token } = state.callerOf(query);
  const { call, outcome } = decide({ state, answers, incoming, query }, account);
  const { receipt, route, byPosition } = incoming;
  state.record({
    ...call,
    receipt,
    method: route.method,
    outcome,
    path: readablePath(route, byPosition),
    account,
    token,
  });
  return outcome;
}

function decide(place: Place, account: Account | null): { call: Call; outcome: Outcome } {
  let call = plainCall(place);
  let pace: Readonly<Record<string, string>> = {};
  const reported = (outcome: Outcome): Outcome => ({ ...outcome, headers: { ...outcome.headers, ...pace } });
  try {
    if (account === null)
      throw new Refusal(401, "the token is missing or unknown", { "X-Credit-Cost": String(call.operation.cost) });
    const turn = place.state.rateLimiter.pass(account.token);
    pace = turn.headers;
    if (!turn.allowed) throw new Refusal(429, "too many requests", creditHeaders(account.allowance()));
    call = checkedCall(place);
    return { call, outcome: reported(answered(place, call, account)) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { call, outcome: reported(refusedOutcome(place.incoming.receipt, error)) };
  }
}

/** The unchecked values of a request, for the log of a refusal. */
function plainCall({ incoming, query }: Place): Call {
  const [operation] = incoming.route.operations;
  const given = [...query.values]
    .filter(([name]) => name !== "token")
    .map(([name, values]) => [name, values.length > 1 ? values : values[0]]);
  return {
    operation,
    params: { ...pathValues(operation, incoming.byPosition, incoming.route.words), ...Object.fromEntries(given) },
  };
}

/** The first operation of the route that the request fits, with its checked values. */
function checkedCall({ state, incoming, query }: Place): Call {
  const { route, byPosition, body } = incoming;
  return fittingCall(route, (operation) => {
    const { words } = route;
    const read = readParams(operation, { path: pathValues(operation, byPosition, words), query, body, words });
    return { operation, params: checkParams(operation, read, state.limits) };
  });
}

function answered({ state, answers, incoming }: Place, call: Call, account: Account): Outcome {
  const { operation, params } = call;
  const cost = account.costOf(operation);
  const before = account.allowance();
  if (before.remaining < cost) throw new Refusal(429, "not enough credits are left", creditHeaders(before));
  const answer = answers[operation.id];
  if (answer === undefined) throw new Refusal(501, `the sandbox has no answers for ${operation.id}`);
  const data = answer.generate(params, state.context(before));
  if (state.refusesEmpty && Array.isArray(data) && data.length === 0)
    throw new Refusal(404, "no data for these parameters");
  const good = goodOutcome(wrapped(operation, data, state.envelopes), {
    asText: operation.mayBeText === true && state.bareText,
  });

  const path = readablePath(incoming.route, incoming.byPosition);
  const fault = state.faults.take({ operation: operation.id, path, params });
  const charged = fault === null || chargesFor(fault) ? cost : 0;
  account.take(charged);
  const outcome = fault === null ? good : spoiledOutcome(good, fault, incoming.receipt);
  return {
    ...outcome,
    charged,
    headers: { ...outcome.headers, ...creditsReported(outcome, account.allowance(), cost) },
  };
}

function creditsReported(
  { status, fault }: { status: number; fault?: FaultKind },
  allowance: AccountAllowance,
  cost: number,
): Record<string, string> {
  if (fault === "no-credit-headers") return {};
  if (fault === "empty-401") return { "X-Credit-Cost": String(cost) };
  return status >= 200 && status < 300 ? { "X-Credit-Cost": String(cost), ...creditHeaders(allowance) } : {};
}

function creditHeaders(allowance: AccountAllowance): Record<string, string> {
  return { "X-Credit-Remaining": String(allowance.remaining), "X-Credit-Reset": String(allowance.resetSeconds) };
}
