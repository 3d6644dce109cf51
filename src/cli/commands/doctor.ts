import type { Command } from "commander";
import { configOfAccount } from "../../config/config-of-account.ts";
import type { Config } from "../../config/config.ts";
import { processEnvironment, readLeniently, type Environment } from "../../config/env.ts";
import { secretsOf } from "../../config/secrets.ts";
import { Settings } from "../../config/settings.ts";
import { systemClock } from "../../core/clock.ts";
import { hiderOf } from "../../core/secret.ts";
import { scheduleFileOf } from "../../worker/schedule-file.ts";
import { failedWith, pass, type Diagnosis } from "../../doctor/diagnosis.ts";
import { diagnose } from "../../doctor/doctor.ts";
import { environmentFile, homeOf, settingsFile } from "../environment.ts";
import { settingsIn } from "../../planner/settings-in.ts";
import { factList, type Fact } from "../fact-list.ts";
import { print, printWhole } from "../output.ts";
import { toned, type TextTone } from "../screen.ts";

/** `storehouse doctor`: check everything that a worker needs, and say what to do. */
export function defineDoctor(command: Command): void {
  command
    .option("--notify", "send a test message to NOTIFY_URL")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nExit codes: 0 no check failed (warnings do not count), 1 a check failed, 2 wrong arguments.",
    )
    .action((options: { notify?: true; json?: true }) => examine(options));
}

async function examine({ notify, json }: { notify?: true; json?: true }): Promise<void> {
  const read = readEnvironmentPart();
  const { settings: inFile, diagnosis } = readSettingsPart(read.environment);
  const home = homeOf(read.environment);
  const { environment, settings, ofAccount } = accountPart({ environment: read.environment, settings: inFile, home });
  const found = await diagnose({
    environment,
    settings,
    home,
    clock: systemClock(),
    crontab: scheduleFileOf({ environment, settings, home }),
    hasNoDatabase: read.hasNoDatabase,
    testsWebhook: notify === true,
  });
  const checks = [...read.diagnoses, diagnosis, ...ofAccount, ...found];
  const ok = checks.every(({ state }) => state !== "fail");
  const hide = hiderOf(secretsOf(environment));
  if (json) printWhole(hide(JSON.stringify({ ok, checks }, null, 2)));
  else print(textOf(checks, hide));
  process.exitCode = ok ? 0 : 1;
}

function readEnvironmentPart() {
  const file = environmentFile();
  const { environment, problems } = readLeniently(processEnvironment(), file);
  const hasNoDatabase = problems.some(({ context }) => String(context["variable"]).includes("DATABASE_URL"));
  if (problems.length > 0)
    return { environment, hasNoDatabase, diagnoses: problems.map((problem) => failedWith("environment", problem)) };
  const where = file === undefined ? "no .env" : file;
  const names = [
    "API_BASE_URL",
    "API_TOKEN",
    "DATABASE_URL",
    "PGPASSWORD",
    "NOTIFY_URL",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NODE_EXTRA_CA_CERTS",
  ] as const;
  const set = names.filter((name) => environment[name] !== undefined);
  const found = `${set.length === 0 ? "nothing" : set.join(", ")} set (${where})`;
  return { environment, hasNoDatabase, diagnoses: [pass("environment", found)] };
}

function readSettingsPart(environment: Environment): { settings: Settings; diagnosis: Diagnosis } {
  try {
    const file = settingsFile(environment);
    return { settings: settingsIn(file), diagnosis: pass("settings", `${file} is valid`) };
  } catch (error) {
    return { settings: Settings.parse({}), diagnosis: failedWith("settings", error) };
  }
}

/** The account that STOREHOUSE_ACCOUNT names, if it names one. */
function accountPart(config: Config): Pick<Config, "environment" | "settings"> & { ofAccount: readonly Diagnosis[] } {
  const { STOREHOUSE_ACCOUNT: account } = config.environment;
  if (account === undefined) return { ...config, ofAccount: [] };
  try {
    return {
      ...configOfAccount(config),
      ofAccount: [pass("account", `${account}, under accounts in the configuration`)],
    };
  } catch (error) {
    return { ...config, ofAccount: [failedWith("account", error)] };
  }
}

const tones = { ok: "good", warn: "warn", fail: "bad" } as const satisfies Record<Diagnosis["state"], TextTone>;

/** Secrets are hidden before lines are broken: one that is split over two lines would not be found. */
function textOf(checks: readonly Diagnosis[], hide: (text: string) => string): string {
  const facts = checks.map(({ check, state, found, next }): Fact => {
    const text = next === null ? found : `${found}\n-> ${next}`;
    return [`${toned(tones[state], state.padEnd(4))}  ${check}`, hide(text)];
  });
  const count = (state: Diagnosis["state"]) => checks.filter((one) => one.state === state).length;
  return `${factList(facts)}\n\n${count("ok")} ok, ${count("warn")} ${count("warn") === 1 ? "warning" : "warnings"}, ${count("fail")} failed.`;
}
