import type { ServerResponse } from "node:http";
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { StoreWords } from "../api/address.ts";
import type { Operation } from "../api/define-operation.ts";
import type { AnswerTable } from "./answer-context.ts";
import { addControl } from "./control.ts";
import { openApiOf } from "./openapi.ts";
import { errorBody, type Outcome, refusedOutcome } from "./outcome.ts";
import { readQuery, splitTarget } from "./query.ts";
import { Refusal } from "./refusal.ts";
import { respond } from "./respond.ts";
import { type Route, routesOf } from "./routes.ts";
import type { House } from "./state.ts";

// a body or a keyword may be long, the sandbox is no place to find a framework's default limits
const bodyLimit = 16 * 1024 * 1024;
const maxParamLength = 8_192;

/** An HTTP server with one route for every operation, whatever they are, and the control paths. Not listening yet. */
export function createServer(
  house: House,
  options: { operations: readonly Operation[]; answers: AnswerTable; words: StoreWords },
): FastifyInstance {
  const server = fastify({
    bodyLimit,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    routerOptions: { maxParamLength },
    frameworkErrors: (error, request, reply) => unrouted(house, request, reply, new Refusal(400, error.code)),
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
  server.setNotFoundHandler((request, reply) => unrouted(house, request, reply, new Refusal(404, "no route")));
  server.setErrorHandler((error, request, reply) => controlError(house, request, reply, error));
  for (const route of routesOf(options.operations, options.words)) addRoute(server, house, route, options.answers);
  server.get("/openapi.json", () => openApiOf(options.operations, options.words));
  addControl(server, house);
  return server;
}

function addRoute(server: FastifyInstance, house: House, route: Route, answers: AnswerTable): void {
  server.route<{ Params: Record<string, string> }>({
    method: route.method,
    url: route.url,
    handler: async (request, reply) => {
      const target = request.raw.url ?? "/";
      const { path } = splitTarget(target);
      if (hasDotSegment(path)) return unrouted(house, request, reply, new Refusal(404, "no route"));
      const receipt = house.receive(path);
      if (house.latencyMs > 0) await house.clock.sleep(house.latencyMs);
      const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
      reply.hijack();
      deliver(reply.raw, respond(house, answers, { receipt, route, byPosition: request.params, target, body }));
    },
  });
}

/** A plain `.` or `..` is a way through the tree to every server and proxy; only its encoded form is a value. */
function hasDotSegment(path: string): boolean {
  return path.split("/").some((segment) => segment === "." || segment === "..");
}

/** Refuses what fits no route, in the words of the gateway, and logs it. */
function unrouted(house: House, request: FastifyRequest, reply: FastifyReply, refusal: Refusal): void {
  const { path, query } = splitTarget(request.raw.url ?? "/");
  const receipt = house.receive(path);
  const caller = house.callerOf(readQuery(query));
  const outcome = refusedOutcome(receipt, refusal, { silent: true });
  house.record({ ...caller, receipt, method: request.method, outcome, operation: null, path, params: {} });
  reply.hijack();
  deliver(reply.raw, outcome);
}

/** Errors of the control paths, and the few that the framework raises while it reads a body. */
function controlError(house: House, request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const status = error instanceof Refusal ? error.status : statusIn(error);
  const receipt = house.receive(splitTarget(request.raw.url ?? "/").path);
  const message = error instanceof Error ? error.message : "unknown error";
  return reply
    .code(status)
    .header("Content-Type", "application/json")
    .send(errorBody(receipt, status, message));
}

function statusIn(error: unknown): number {
  return error instanceof Error && "statusCode" in error && typeof error.statusCode === "number"
    ? error.statusCode
    : 500;
}

/** Sends as much of an outcome as it says, past the framework: broken answers are written byte by byte. */
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
