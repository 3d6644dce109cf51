import type { ServerResponse } from "node:http";
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { StoreWords } from "../api/address.ts";
import type { Operation } from "../api/define-operation.ts";
import type { AnswerTable } from "./answer-context.ts";
import { addControl } from "./control.ts";
import { openApiOf } from "./openapi.ts";
import { errorBody, statusIn } from "../api/serve/error-body.ts";
import { type Outcome, refusedOutcome } from "./outcome.ts";
import { readQuery, splitTarget } from "../api/serve/query.ts";
import { Refusal } from "../api/serve/refusal.ts";
import { respond } from "./respond.ts";
import { type Route, routesOf } from "../api/serve/routes.ts";
import type { SandboxState } from "./state.ts";

// a body or a keyword may be long: the default limits of the framework must not apply
const bodyLimit = 16 * 1024 * 1024;
const maxParamLength = 8_192;

/** An HTTP server with one route for every operation, and the control paths. Not listening yet. */
export function createSandboxServer(
  state: SandboxState,
  options: { operations: readonly Operation[]; answers: AnswerTable; words: StoreWords },
): FastifyInstance {
  const server = fastify({
    bodyLimit,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    routerOptions: { maxParamLength },
    frameworkErrors: (error, request, reply) => unrouted(state, request, reply, new Refusal(400, error.code)),
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
  server.setNotFoundHandler((request, reply) => unrouted(state, request, reply, new Refusal(404, "no route")));
  server.setErrorHandler((error, request, reply) => controlError(state, request, reply, error));
  for (const route of routesOf(options.operations, options.words)) addRoute(server, state, route, options.answers);
  server.get("/openapi.json", () => openApiOf(options.operations, options.words));
  addControl(server, state);
  return server;
}

function addRoute(server: FastifyInstance, state: SandboxState, route: Route, answers: AnswerTable): void {
  server.route<{ Params: Record<string, string> }>({
    method: route.method,
    url: route.url,
    handler: async (request, reply) => {
      const target = request.raw.url ?? "/";
      const { path } = splitTarget(target);
      if (hasDotSegment(path)) return unrouted(state, request, reply, new Refusal(404, "no route"));
      const receipt = state.receive(path);
      if (state.latencyMs > 0) await state.clock.sleep(state.latencyMs);
      const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
      reply.hijack();
      deliver(reply.raw, respond(state, answers, { receipt, route, byPosition: request.params, target, body }));
    },
  });
}

/** True for a plain `.` or `..`: every server and proxy reads it as a folder; only its encoded form is a value. */
function hasDotSegment(path: string): boolean {
  return path.split("/").some((segment) => segment === "." || segment === "..");
}

/** Refuses a request that fits no route, as the gateway of the service does, and logs it. */
function unrouted(state: SandboxState, request: FastifyRequest, reply: FastifyReply, refusal: Refusal): void {
  const { path, query } = splitTarget(request.raw.url ?? "/");
  const receipt = state.receive(path);
  const caller = state.callerOf(readQuery(query));
  const outcome = refusedOutcome(receipt, refusal, { withoutMessage: true });
  state.record({ ...caller, receipt, method: request.method, outcome, operation: null, path, params: {} });
  reply.hijack();
  deliver(reply.raw, outcome);
}

/** Errors of the control paths, and the few that the framework raises while it reads a body. */
function controlError(state: SandboxState, request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const status = error instanceof Refusal ? error.status : statusIn(error);
  const receipt = state.receive(splitTarget(request.raw.url ?? "/").path);
  const message = error instanceof Error ? error.message : "unknown error";
  return reply
    .code(status)
    .header("Content-Type", "application/json")
    .send(errorBody(receipt, status, message));
}

/** Sends the part of an outcome that it names, bypassing the framework: broken answers are written byte by byte. */
function deliver(response: ServerResponse, outcome: Outcome): void {
  if (outcome.sent === "nothing") {
    response.destroy();
    return;
  }
  const body = Buffer.from(outcome.body);
  const bodiless = outcome.status === 204 || outcome.status === 304;
  response.writeHead(outcome.status, { ...outcome.headers, ...(bodiless ? {} : { "Content-Length": body.length }) });
  if (outcome.sent === "all") {
    response.end(bodiless ? undefined : body);
    return;
  }
  const half = body.subarray(0, Math.floor(body.length / 2));
  response.write(half, () => {
    if (outcome.sent === "half") response.destroy();
  });
}
