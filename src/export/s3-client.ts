import { S3Client, S3ServiceException, type S3ClientConfig } from "@aws-sdk/client-s3";
import type { Readable } from "node:stream";
import { unsetEmpty } from "../config/env.ts";
import { fail, type StorehouseError } from "../core/errors.ts";
import { createHttpAgent, type HttpAgent, type Network } from "../core/http-agent.ts";

/**
 * How to reach buckets. What is left out comes from the sources that AWS tools use: variables AWS_*, the profile files, the role of the
 * machine or container.
 */
export type BucketAccess = {
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly pathStyle?: boolean | undefined;
  readonly profile?: string | undefined;
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  readonly sessionToken?: string | undefined;
};

/** Uploads of large parts take their time. */
const patience = { connectMs: 10_000, answerMs: 300_000 };
const mostAttempts = 4;

/** A client for S3 or a compatible server, with its connections. */
export function createS3Client(access: BucketAccess, network: Network): Disposable & { readonly client: S3Client } {
  const agent = createHttpAgent(network, patience);
  // an empty AWS_REGION would hide the region of the profile from the library
  unsetEmpty("AWS_");
  const client = new S3Client({ ...settingsOf(access), requestHandler: handlerOf(agent) });
  return {
    client,
    [Symbol.dispose]: () => {
      client.destroy();
      void agent.destroy();
    },
  };
}

function settingsOf(access: BucketAccess): S3ClientConfig {
  const { endpoint, profile, accessKeyId, secretAccessKey, sessionToken } = access;
  // servers other than AWS have one region, under any name
  const region = access.region ?? (endpoint === undefined ? undefined : "us-east-1");
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    ...(profile === undefined ? {} : { profile }),
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : {
          credentials: {
            accessKeyId,
            secretAccessKey,
            ...(sessionToken === undefined ? {} : { sessionToken }),
          },
        }),
    forcePathStyle: access.pathStyle ?? endpoint !== undefined,
    maxAttempts: mostAttempts,
    // the signature covers a SHA-256 of each body; servers other than AWS refuse additional checksums
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  };
}

type Sent = {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Record<string, string>;
  readonly body?: Buffer | string | undefined;
};

/** Sends the library's requests through the agent for all services: it knows the proxy and the company's certificate authority. */
function handlerOf(agent: HttpAgent) {
  return {
    metadata: { handlerProtocol: "http/1.1" },
    httpHandlerConfigs: () => ({}),
    updateHttpClientConfig: () => undefined,
    destroy: () => undefined,
    handle: async (sent: Sent, { abortSignal }: { readonly abortSignal?: unknown } = {}) => {
      // the agent sets host and length itself, and does not support `expect: 100-continue`
      const headers = Object.fromEntries(
        Object.entries(sent.headers).filter(([name]) => !/^(host|content-length|expect)$/i.test(name)),
      );
      try {
        const {
          statusCode,
          headers: got,
          body,
        } = await agent.request({
          origin: `${sent.protocol}//${sent.hostname}${sent.port === undefined ? "" : `:${sent.port}`}`,
          path: `${sent.path}${queryText(sent.query)}`,
          method: sent.method,
          headers,
          body: sent.body ?? null,
          ...(abortSignal instanceof AbortSignal ? { signal: abortSignal } : {}),
        });
        return { response: { statusCode, headers: flat(got), body: body as Readable } };
      } catch (error) {
        // the library retries an error with this name
        throw Object.assign(error instanceof Error ? error : new Error(String(error)), { name: "TimeoutError" });
      }
    },
  };
}

function queryText(query: Sent["query"] = {}): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${escaped(name)}=${escaped(one ?? "")}`),
  );
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** Encoded as in the signature. */
function escaped(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(", ")]],
    ),
  );
}

/** True if the error says that there is no such object. */
export function isAbsent(error: unknown): boolean {
  return error instanceof S3ServiceException && ["NoSuchKey", "NotFound"].includes(error.name);
}

/**
 * Our error for a problem of a bucket or its connection: `bucket_refused` if a setting must be fixed, `bucket_unavailable` if it may pass.
 * The library's text may contain keys and signed data, so only the name of the problem is passed on.
 */
export function bucketProblem(error: unknown, place: string): StorehouseError {
  if (error instanceof S3ServiceException) {
    const { httpStatusCode: status = 0 } = error.$metadata;
    const problem = [...new Set([error.name, ...(status === 0 ? [] : [String(status)])])].join(", ");
    return fail(status >= 500 ? "bucket_unavailable" : "bucket_refused", { place, problem });
  }
  const { name = "", code = "", message = "" } = error as { name?: string; code?: string; message?: string };
  if (name === "CredentialsProviderError")
    return fail("bucket_refused", { place, problem: "no credentials were found" });
  if (/region/i.test(message)) return fail("bucket_refused", { place, problem: "no region is set" });
  return fail("bucket_unavailable", { place, problem: code === "" ? name : code });
}
