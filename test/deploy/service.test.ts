import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";
import { Settings } from "../../src/config/settings.ts";
import { temporaryFolder } from "../support/folder.ts";

const unit = readFileSync(path.join(projectRoot, "deploy", "storehouse.service"), "utf8");
const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1];

/** systemd's own verifier; null where there is none. */
const verifier = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"].find((file) => existsSync(file)) ?? null;
const leftOut = verifier === null ? " (left out: there is no systemd-analyze; `apt-get install systemd`)" : "";

/** Runs the verifier over a unit with the project where it is here, and returns what it says. */
function verified(text: string): { readonly code: number | null; readonly says: string } {
  using made = temporaryFolder();
  const { path: folder } = made;
  const file = path.join(folder, "storehouse.service");
  // the project's folder may have a space in its name, which a unit takes for two
  const project = path.join(folder, "storehouse");
  symlinkSync(projectRoot, project);
  writeFileSync(file, text.replaceAll("/opt/storehouse", project));
  const { status, stdout, stderr } = spawnSync(verifier ?? "", ["verify", "--man=no", file], { encoding: "utf8" });
  return { code: status, says: stdout + stderr };
}

describe("deploy/storehouse.service", () => {
  test("starts the worker of the project, gives it the time that it may take to stop, and restarts it unless a person is needed", () => {
    const [program = "", ...command] = (settingOf("ExecStart") ?? "").split(" ");
    expect(command).toEqual(["worker"]);
    accessSync(program.replace("/opt/storehouse", projectRoot), constants.X_OK);
    // the same .env as commands of a person: in a file of its own they would meet another database
    expect([settingOf("WorkingDirectory"), settingOf("EnvironmentFile")]).toEqual(["/opt/storehouse", undefined]);
    expect(settingOf("Environment")).not.toContain("STOREHOUSE_HOME");
    expect(Number(settingOf("TimeoutStopSec"))).toBeGreaterThan(Settings.parse({}).worker.grace_seconds);
    expect([settingOf("Restart"), settingOf("RestartPreventExitStatus")]).toEqual(["on-failure", "2"]);
  });

  test("runs the Node that npm installed, also where its machine has another one or none", () => {
    const [first = ""] = /^Environment=PATH=(.*)$/m.exec(unit)?.[1]?.split(":") ?? [];
    expect(first).toBe("/opt/storehouse/node_modules/node/bin");
    accessSync(path.join(first.replace("/opt/storehouse", projectRoot), "node"), constants.X_OK);
  });

  test.skipIf(verifier === null)(`is accepted by systemd's verifier, which refuses a mistake${leftOut}`, () => {
    expect(verified(unit)).toEqual({ code: 0, says: "" });
    expect(verified(unit.replace("TimeoutStopSec=60", "TimeoutStopSec=soon")).says).toContain("soon");
    expect(verified(unit.replaceAll("bin/storehouse.js", "bin/none.js")).code).not.toBe(0);
  });
});
