import { fail } from "../core/errors.ts";
import type { Network } from "../core/http-agent.ts";
import type { Environment } from "./env.ts";
import { readText } from "./read-text.ts";

/** How this process reaches other machines. Throws a UsageError when NODE_EXTRA_CA_CERTS names no file with certificates. */
export function networkOf(environment: Environment): Network {
  const { HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy, NODE_EXTRA_CA_CERTS: file } = environment;
  return { httpProxy, httpsProxy, noProxy, authorities: file === undefined ? undefined : authoritiesIn(file) };
}

function authoritiesIn(file: string): string {
  const text = readText(file);
  const problem =
    text === null
      ? "names a file that does not exist"
      : text.includes("-----BEGIN CERTIFICATE")
        ? null
        : "contains no certificate";
  if (text === null || problem !== null)
    throw fail("bad_setting", { variable: "NODE_EXTRA_CA_CERTS", problem: `${problem}: ${file}` });
  return text;
}
