import type { z } from "zod";
import { fail } from "../core/errors.ts";
import type { MetabaseRequest, MetabaseClient } from "./client.ts";

/** What was, or would be, done to one thing in Metabase. `leave`: the thing differs and stays as it is. */
export type Change = {
  readonly what:
    | "administrator"
    | "database"
    | "schema"
    | "table"
    | "column"
    | "collection"
    | "question"
    | "metric"
    | "dashboard";
  readonly name: string;
  readonly action: "create" | "update" | "leave";
  /** The properties that were set or that differ; empty for a thing that was made. */
  readonly properties: readonly string[];
};

/** A change and the request that makes it. */
export type Write = Change & { readonly method: "POST" | "PUT"; readonly path: string; readonly body: unknown };

/** A Metabase that is read, and that is changed only outside a dry run; it records every change. */
export type Remote = {
  readonly isDryRun: boolean;
  readonly changes: readonly Change[];
  /** Reads through a schema. */
  get<S extends z.ZodType>(path: string, schema: S, what: string): Promise<z.output<S>>;
  /** The same, but null if Metabase has no such path: older versions lack some. */
  find<S extends z.ZodType>(path: string, schema: S, what: string): Promise<z.output<S> | null>;
  /** Makes a change and returns the answer; null in a dry run. */
  write(write: Write): Promise<unknown>;
  /** Sends a request that belongs to a change that is already recorded. */
  send(request: MetabaseRequest): Promise<unknown>;
  /** Records a change that is made elsewhere, or a thing that is left. */
  note(change: Change): void;
};

/** Makes the remote of one run from a client. */
export function createRemote(client: MetabaseClient, isDryRun: boolean): Remote {
  const changes: Change[] = [];
  const get: Remote["get"] = async (path, schema, what) =>
    readAs(schema, await client.request({ method: "GET", path, what }), what);
  const note = ({ what, name, action, properties }: Change) => void changes.push({ what, name, action, properties });
  return {
    isDryRun,
    changes,
    note,
    send: (request) => client.request(request),
    get,
    find: async (path, schema, what) => {
      const { status, body } = await client.send({ method: "GET", path, what });
      if (status === 404) return null;
      return status === 200 ? readAs(schema, body, what) : get(path, schema, what);
    },
    write: async (write) => {
      note(write);
      if (isDryRun) return null;
      const what = `${write.action} ${write.what} ${write.name}`;
      return client.request({ method: write.method, path: write.path, body: write.body, what });
    },
  };
}

function readAs<S extends z.ZodType>(schema: S, body: unknown, what: string): z.output<S> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  const problem = `its answer has an unexpected shape at ${issue?.path.join(".") ?? "the top"}`;
  throw fail("metabase_refused", { what, problem });
}
