import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Account } from "./accounts.ts";
import type { SandboxState } from "./state.ts";
import { SandboxSettings } from "./options.ts";
import { readJson } from "../api/serve/read-params.ts";
import { Refusal } from "../api/serve/refusal.ts";
import { schemaWords } from "../core/schema-words.ts";

const Spend = z.strictObject({ credits: z.int().min(0), token: z.string().exactOptional() });
const WhichAccount = z.strictObject({ token: z.string().exactOptional() });

/** Adds the paths with which tests in other processes read and control the sandbox. They cost nothing and are not logged. */
export function addControl(server: FastifyInstance, state: SandboxState): void {
  server.get("/_sandbox/log", () => state.log.entries());
  server.delete("/_sandbox/log", (_, reply) => {
    state.log.clear();
    return reply.code(204).send();
  });
  server.put("/_sandbox/settings", (request, reply) => {
    state.set(checked(SandboxSettings, jsonOf(request.body)));
    return reply.code(204).send();
  });
  server.get("/_sandbox/account", (request) =>
    reportedAllowance(accountOfToken(state, checked(WhichAccount, request.query).token)),
  );
  server.post("/_sandbox/spend", (request) => {
    const { credits, token } = checked(Spend, jsonOf(request.body));
    const account = accountOfToken(state, token);
    account.take(credits);
    return reportedAllowance(account);
  });
}

/** What a control path and `sandbox.account()` report of an account. */
export function reportedAllowance(account: Account): { total: number; remaining: number; resetSeconds: number } {
  const { total, remaining, resetSeconds } = account.allowance();
  return { total, remaining, resetSeconds };
}

/** The account of a token, the first one if no token is given; refuses with 404 if there is none. */
export function accountOfToken(state: SandboxState, token?: string): Account {
  const account = state.account(token);
  if (account === null) throw new Refusal(404, "no account has this token");
  return account;
}

function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { error: schemaWords });
  if (!result.success) throw new Refusal(400, z.prettifyError(result.error));
  return result.data;
}

function jsonOf(body: unknown): unknown {
  return readJson(body instanceof Uint8Array ? body : new Uint8Array());
}
