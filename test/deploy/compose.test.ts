import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createProgram } from "../../src/cli/program.ts";
import { projectRoot } from "../../src/config/config.ts";
import { Settings } from "../../src/config/settings.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import {
  environmentOf,
  filledIn,
  readCompose,
  requiredVariables,
  type ComposeService,
} from "../support/compose-file.ts";
import { temporaryFolder } from "../support/folder.ts";

const { text, file } = readCompose();
const services = Object.entries(file.services);
const ours = services.filter(([, { build }]) => build !== undefined);

const { commands } = await createProgram(ours.map(([, { command = [] }]) => command[0] ?? ""));

describe("docker-compose.yml", () => {
  test("has the services that are promised, behind the profiles that are promised", () => {
    expect(services.map(([name, { profiles }]) => [name, ...profiles])).toEqual([
      ["postgres"],
      ["setup"],
      ["worker"],
      ["console", "console"],
      ["mcp", "mcp"],
      ["gateway", "gateway"],
      ["sandbox", "sandbox"],
      ["metabase", "bi"],
      ["metabase-setup", "bi"],
    ]);
  });

  test.each(ours)("%s runs a command that there is, with options that there are", (_, { command = [] }) => {
    const [name, ...typed] = command;
    const options = commands.find((one) => one.name() === name)?.options.map(({ long }) => long);
    expect(options).toEqual(expect.arrayContaining(typed.filter((one) => one.startsWith("--"))));
  });

  test("gives Metabase a warehouse under a name that it sees, and the reader's password", () => {
    const given = environmentOf(file.services["metabase-setup"] as ComposeService);
    expect(new URL(given["METABASE_URL"] ?? "").hostname).toBe("metabase");
    expect(new URL(given["DATABASE_URL"] ?? "").hostname).toBe("postgres");
    expect(given["STOREHOUSE_READER_PASSWORD"]).toBe(requiredVariables.STOREHOUSE_READER_PASSWORD);
  });

  test("may have several workers, of the number in .env: none has a name or a port of the machine", () => {
    const worker = file.services["worker"];
    expect([worker?.container_name, worker?.ports]).toEqual([undefined, []]);
    const replicas = worker?.deploy?.replicas ?? "";
    expect([filledIn(replicas, {}), filledIn(replicas, { WORKERS: "3" })]).toEqual(["1", "3"]);
  });

  test("names services and workers in .env, where every command of compose finds them, and not in an option of one", () => {
    for (const page of [text, ...["running", "console", "gateway", "metabase", "scale"].map(pageOf)])
      expect(page).not.toMatch(/docker compose .*(--profile|--scale)/);
  });

  test("waits for services that there are: healthy where they have a check, ended where they end", () => {
    for (const [name, { depends_on: waits, profiles: own }] of services)
      for (const [other, { condition, required = true }] of Object.entries(waits)) {
        const service = file.services[other];
        expect([name, other, service !== undefined]).toEqual([name, other, true]);
        if (condition === "service_healthy") expect([other, service?.healthcheck !== undefined]).toEqual([other, true]);
        if (condition === "service_completed_successfully") expect(service?.restart).not.toBe("unless-stopped");
        // who is behind a profile may be missing, but for those behind the same one
        const others = service?.profiles ?? [];
        expect([other, required]).toEqual([other, others.length === 0 || others.some((one) => own.includes(one))]);
      }
  });

  test("pins every image to a version", () => {
    for (const [, { image }] of services) expect(image).toMatch(/^[\w./-]+:v?\d+(\.\d+)+$/);
    const { version } = JSON.parse(readFileSync(path.join(projectRoot, "package.json"), "utf8")) as { version: string };
    for (const [, { image }] of ours) expect(image).toBe(`storehouse:${version}`);
  });

  test("shows ports on loopback only", () => {
    const all = services.flatMap(([, { ports }]) => ports);
    expect(all.length).toBeGreaterThan(2);
    for (const port of all) expect(port).toMatch(/^127\.0\.0\.1:\$\{\w+:-\d+\}:\d+$/);
  });

  test("declares the volumes that it uses, and mounts folders that there are", () => {
    const used = services.flatMap(([, { volumes }]) =>
      volumes.map((volume) =>
        typeof volume === "string"
          ? (filledIn(volume, requiredVariables).split(":")[0] ?? "")
          : filledIn(volume.source, requiredVariables),
      ),
    );
    expect([...new Set(used.filter((name) => !/^[./]/.test(name)))].sort()).toEqual(Object.keys(file.volumes).sort());
    for (const place of used.filter((name) => /^[./]/.test(name)))
      expect(existsSync(path.resolve(projectRoot, place))).toBe(true);
  });

  test("gives our services no more rights than they take", () => {
    for (const [, service] of ours)
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        init: true,
      });
  });

  test("checks the worker at its default address", () => {
    const { health } = Settings.parse({});
    expect(addressIn("worker")).toBe(`http://127.0.0.1:${String(health.port)}/readyz`);
  });

  test("checks the console at its default address, which it shows on loopback alone", () => {
    const { port } = Settings.parse({}).console;
    expect(addressIn("console")).toBe(`http://127.0.0.1:${port}/sign-in`);
    expect(file.services["console"]?.ports).toEqual([`127.0.0.1:\${CONSOLE_PORT:-${port}}:${port}`]);
    expect(file.services["console"]?.command).toContain(String(port));
  });

  test("checks the gateway at its default address, which it shows on loopback alone, by the refusal of a call without a key", async () => {
    const { port } = Settings.parse({}).gateway;
    expect(addressIn("gateway")).toBe(`http://127.0.0.1:${port}/api-key`);
    expect(file.services["gateway"]?.ports).toEqual([`127.0.0.1:\${GATEWAY_PORT:-${port}}:${port}`]);
    expect(file.services["gateway"]?.command).toContain(String(port));
    // the sandbox refuses such a call as well
    await using sandbox = await startSandbox();
    const [, , flag = "", code = ""] = file.services["gateway"]?.healthcheck?.test ?? [];
    const ends = (address: string) => nodeEnds([flag, code.replace(addressIn("gateway"), address)]);
    expect(await ends(`${sandbox.url}/api-key`)).toBe(0);
    expect(await ends("http://127.0.0.1:1/")).toBe(1);
  });

  test("leaves Postgres the time to write what it has in memory", () => {
    expect(Number.parseInt(file.services["postgres"]?.stop_grace_period ?? "", 10)).toBeGreaterThanOrEqual(60);
  });

  test("checks the sandbox at its address, and the head of the file names its token", async () => {
    const { command = [] } = file.services["sandbox"] ?? {};
    const address = new URL(addressIn("sandbox"));
    expect(command[command.indexOf("--port") + 1]).toBe(address.port);
    await using sandbox = await startSandbox();
    expect((await fetch(new URL(address.pathname, sandbox.url))).status).toBe(200);
    expect(text).toContain(`http://sandbox:${address.port} and ${sandbox.token}`);
  });
});

test("the health checks' own lines of code end with 0 or 1", async () => {
  await using sandbox = await startSandbox();
  using made = temporaryFolder();
  const cmdline = path.join(made.path, "cmdline");
  // as the init of a container shows it
  const runs = (command: string) =>
    writeFileSync(cmdline, `/sbin/docker-init\0--\0node\0/app/bin/storehouse.js\0${command}\0`);
  runs("worker");
  for (const name of ["worker", "console", "sandbox"]) {
    const [, command, ...rest] = file.services[name]?.healthcheck?.test ?? [];
    expect(command).toBe("node");
    const [flag = "", code = ""] = rest;
    const ends = (address: string) =>
      nodeEnds([flag, code.replace(addressIn(name), address).replace("/proc/1/cmdline", cmdline)]);
    expect(await ends(`${sandbox.url}/openapi.json`)).toBe(0);
    expect(await ends(`${sandbox.url}/nothing-here`)).toBe(1);
    expect(await ends("http://127.0.0.1:1/")).toBe(1);
    // a container of `docker compose run worker sync` has the check of the worker and does not listen
    if (name !== "worker") continue;
    runs("sync");
    expect(await ends("http://127.0.0.1:1/")).toBe(0);
    runs("worker");
  }
});

const hasCompose = spawnSync("docker", ["compose", "version"]).status === 0;

test.skipIf(!hasCompose)("docker compose reads it", () => {
  const { status, stderr } = spawnSync("docker", ["compose", "--profile", "*", "config", "--quiet"], {
    cwd: projectRoot,
    encoding: "utf8",
    env: { ...process.env, ...requiredVariables },
  });
  expect([status, stderr]).toEqual([0, ""]);
});

function pageOf(name: string): string {
  return readFileSync(path.join(projectRoot, "docs", `${name}.md`), "utf8");
}

function addressIn(service: string): string {
  return /http:[^']+/.exec(file.services[service]?.healthcheck?.test.at(-1) ?? "")?.[0] ?? "";
}

/** How a Node of our own ends with these arguments, without blocking a server in this process. */
async function nodeEnds(args: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  const [code] = (await once(child, "close")) as [number | null];
  return code;
}
