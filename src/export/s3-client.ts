import { S3Client, S3ServiceException, type S3ClientConfig } from "@aws-sdk/client-s3";
import type { Readable } from "node:stream";
import { unsetEmpty } from "../config/env.ts";
import { fail, type StorehouseError } from "../core/errors.ts";
import { createHttpAgent, type HttpAgent, type Network } from "../core/http-agent.ts";

/**
 * How buckets are reached. What is left out comes from where the tools of AWS have it: variables AWS_*, the profile files, the role
 * of the machine or container.
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

/** A client of S3 or of what speaks like it, and its connections. */
export function createS3Client(access: BucketAccess, network: Network): Disposable & { readonly client: S3Client } {
  const agent = createHttpAgent(network, patience);
  // an empty AWS_REGION would keep the library from that of the profile
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
  // servers other than that of AWS know one region, under any name
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
    // the signature covers a SHA-256 of each body; checksums beside it are refused by other servers than that of AWS
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

/** Requests of the library by the agent of all services: it knows the proxy and the company's authority. */
function handlerOf(agent: HttpAgent) {
  return {
    metadata: { handlerProtocol: "http/1.1" },
    httpHandlerConfigs: () => ({}),
    updateHttpClientConfig: () => undefined,
    destroy: () => undefined,
    handle: async (sent: Sent, { abortSignal }: { readonly abortSignal?: unknown } = {}) => {
      // the agent knows host and length itself, and no pause before a body
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
        // under this name the library tries again
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

/** As the signature has it. */
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

/** True for the answer that there is no such object. */
export function isAbsent(error: unknown): boolean {
  return error instanceof S3ServiceException && ["NoSuchKey", "NotFound"].includes(error.name);
}

/**
 * What a bucket or the way to it refuses, in our words: `bucket_refused` where a setting is to be mended, `bucket_unavailable` where it may
 * pass. The library's own text may hold keys and what was signed, so only the name of the problem is passed on.
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
