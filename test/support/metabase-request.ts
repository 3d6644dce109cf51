import type { FastifyRequest } from "fastify";
import type { z } from "zod";

/** An answer that is no success. */
export class Refused extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(JSON.stringify(body));
    this.status = status;
    this.body = body;
  }
}

/** Reads a body as strictly as Metabase does. */
export function taken<S extends z.ZodType>(schema: S, request: FastifyRequest): z.output<S> {
  const read = schema.safeParse(request.body);
  if (read.success) return read.data;
  const errors = Object.fromEntries(read.error.issues.map((issue) => [issue.path.join(".") || "body", issue.message]));
  throw new Refused(400, { errors });
}

/** The thing of an id in the path. */
export function found<T>(things: Pick<ReadonlyMap<number, T>, "get">, request: FastifyRequest): T {
  const thing = things.get(Number((request.params as { id: string }).id));
  if (thing === undefined) throw new Refused(404, "Not found.");
  return thing;
}
