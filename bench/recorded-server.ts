import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { startSandbox } from "../src/sandbox/sandbox.ts";
import { answerParent } from "./child.ts";
import { ownCpuSince } from "./cpu.ts";
import { benchToken, today } from "./work.ts";

/*
 * Every operation of the contract, in a separate process: the sandbox answers the first request, and its answer is kept and sent again from
 * then on, so that generating answers is not measured.
 */

type Message = { readonly kind: "listen" } | { readonly kind: "cpu" };
type Recorded = { readonly status: number; readonly headers: Record<string, string>; readonly body: Buffer };

/** More credits than any run of the bench spends. */
const total = 100_000_000;
const market = { apps: 4, countries: ["US", "JP", "GB"], keywordsPerApp: 100, organicKeywords: 100 };

const recorded = new Map<string, Promise<Recorded>>();
let origin = "";

function answerTo(url: string): Promise<Recorded> {
  const found = recorded.get(url) ?? record(url);
  recorded.set(url, found);
  return found;
}

async function record(url: string): Promise<Recorded> {
  const response = await fetch(`${origin}${url}`);
  const body = Buffer.from(await response.arrayBuffer());
  const kept = [...response.headers].filter(([name]) => name === "content-type" || name.startsWith("x-"));
  return { status: response.status, headers: Object.fromEntries(kept), body };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, headers, body } = await answerTo(request.url ?? "/");
  response.writeHead(status, { ...headers, "content-length": body.length });
  response.end(body);
}

async function listen(): Promise<string> {
  const sandbox = await startSandbox({ today, market, accounts: [{ token: benchToken, total, periodHours: 24 }] });
  origin = sandbox.url;
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const cpuAtStart = process.cpuUsage();

answerParent((received) => {
  const { kind } = received as Message;
  return kind === "listen" ? listen() : Promise.resolve(ownCpuSince(cpuAtStart));
});
