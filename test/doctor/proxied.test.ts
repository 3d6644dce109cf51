import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { compiledOnce } from "../support/ingest-child.ts";
import { openForwardProxy, openTlsFront } from "../support/forward-proxy.ts";
import { ownAuthority } from "../support/own-authority.ts";

const host = "api.invalid";
const password = "pr0xy+secret/&";

/** Runs a command in a folder, with these variables and no others. */
async function run(folder: string, typed: readonly string[], variables: Record<string, string>) {
  const child = spawn(process.execPath, [path.join(projectRoot, "src", "cli.ts"), ...typed], {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...compiledOnce, STOREHOUSE_HOME: path.join(folder, "home"), ...variables },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (output += String(part)));
  await once(child, "close");
  return output;
}

test("a program behind a proxy reaches the API by variables in lower case or by .env, and shows no password", async ({
  skip,
}) => {
  const folder = await mkdtemp(path.join(tmpdir(), "storehouse-proxied-"));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(folder, { recursive: true }));
  const authority = await ownAuthority(folder, "company");
  skip(authority === null, "openssl is missing");
  const { rootFile, sign } = authority ?? expect.fail("openssl is missing");
  const certificate = await sign(host);
  const sandbox = opened.use(await startSandbox({ market: { apps: 1 } }));
  const front = opened.use(await openTlsFront(certificate, Number(new URL(sandbox.url).port)));
  const routes = { [`${host}:443`]: front.port };
  const proxy = opened.use(await openForwardProxy({ routes, user: "me", password }));
  const api = { API_BASE_URL: `https://${host}`, API_TOKEN: sandbox.token };
  const way = { https_proxy: proxy.url, NODE_EXTRA_CA_CERTS: rootFile };
  const given = await run(folder, ["doctor"], { ...api, ...way });
  await writeFile(
    path.join(folder, ".env"),
    Object.entries({ ...api, HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: rootFile })
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  );
  const read = await run(folder, ["doctor"], { LOG_LEVEL: "trace" });
  for (const output of [given, read]) {
    expect(output).toMatch(/ok +token +the API accepts it/);
    for (const secret of [password, encodeURIComponent(password)]) expect(output).not.toContain(secret);
  }
  expect(proxy.passed).toEqual(Array(2).fill(`CONNECT ${host}:443`));
  expect(proxy.read()).not.toContain(sandbox.token);
});
