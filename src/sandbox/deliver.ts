import type { ServerResponse } from "node:http";
import type { Outcome } from "./outcome.ts";

/** Sends as much of an outcome as it says, past the framework: broken answers are written byte by byte. */
export function deliver(response: ServerResponse, outcome: Outcome): void {
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
