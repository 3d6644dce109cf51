import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { answerParent } from "./child.ts";
import { ownCpuSince } from "./cpu.ts";
import { ranksFor } from "./ranks.ts";
import { now } from "./stopwatch.ts";
import { benchToken } from "./work.ts";

/*
 * The service of the bench, in a separate process so that its work does not count as ours: Keyword Ranking and Remaining Credits exactly as
 * in the contract, and nothing else. It records when it got each request, and what was left then.
 */

/** How the service behaves. */
export type Manner = {
  readonly latencyMs: number;
  /** True: one rank in ten is different. */
  readonly changed: boolean;
  readonly total: number;
  /** Requests are held until this many wait; 0 holds none. */
  readonly gate: number;
};

/** One request as the service saw it; `at` in ms of its own clock. */
export type SeenRequest = { readonly at: number; readonly what: string; readonly remaining: number };

/** What happened since the manner was set; `openedAt` is when the gate released its requests. */
export type Witness = { readonly seen: readonly SeenRequest[]; readonly openedAt: number };

type Message =
  | { readonly kind: "listen" }
  | { readonly kind: "behave"; readonly manner: Manner }
  | { readonly kind: "witness" }
  | { readonly kind: "cpu" };

const cost = 3;
const periodHours = 24;
const route = /^\/androidstore-keyword-ranking\/([^/]+)\/([A-Z]{2})\/keywordrankings$/;

let manner: Manner = { latencyMs: 0, changed: false, total: 0, gate: 0 };
let remaining = 0;
let seen: SeenRequest[] = [];
let held = 0;
let openedAt = 0;
let gate = Promise.withResolvers<void>();

function behave(next: Manner): void {
  manner = next;
  remaining = next.total;
  seen = [];
  held = 0;
  openedAt = now();
  gate = Promise.withResolvers();
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://bench");
  const [, trackId, country] = route.exec(url.pathname) ?? [];
  if (url.searchParams.get("token") !== benchToken) return send(response, 401, "");
  if (url.pathname === "/api-key") return send(response, 200, JSON.stringify(balance()));
  const date = url.searchParams.get("date");
  if (trackId === undefined || country === undefined || date === null) return send(response, 404, "");
  if (remaining < cost) return send(response, 429, "");
  remaining -= cost;
  const left = remaining;
  const keywords = (url.searchParams.get("keywords") ?? "").split(",");
  seen.push({ at: now(), what: `${trackId} ${country} ${date} ${keywords.length} ${keywords[0]}`, remaining: left });
  const body = JSON.stringify(ranksFor({ trackId, country, date, keywords }, manner.changed));
  await pass();
  if (manner.latencyMs > 0) await wait(manner.latencyMs);
  send(response, 200, body, left);
}

/** Holds a request until enough of them wait. */
async function pass(): Promise<void> {
  if (held >= manner.gate) return;
  held += 1;
  if (held >= manner.gate) {
    openedAt = now();
    gate.resolve();
  }
  await gate.promise;
}

function balance() {
  const data = {
    creditTotal: manner.total,
    creditRemaining: remaining,
    creditResetPeriod: periodHours,
    creditResetTime: periodHours * 3600,
  };
  return { success: true, data };
}

function send(response: ServerResponse, status: number, body: string, left = remaining): void {
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    "X-Credit-Cost": cost,
    "X-Credit-Remaining": left,
    "X-Credit-Reset": periodHours * 3600,
  });
  response.end(body);
}

const server = createServer((request, response) => void answer(request, response));

answerParent(async (received) => {
  const message = received as Message;
  if (message.kind === "behave") return behave(message.manner);
  if (message.kind === "cpu") return ownCpuSince({ user: 0, system: 0 });
  if (message.kind === "witness") return { seen, openedAt } satisfies Witness;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
