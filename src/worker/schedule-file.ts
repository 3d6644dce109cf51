import { crontabFile, type Config } from "../config/config.ts";
import type { ScheduleFile } from "../doctor/schedule-checks.ts";
import { readNotAgreed } from "./agreed-lines.ts";
import { readCrontab, scheduleDigest } from "./crontab.ts";

/** The crontab of a configuration, for the doctor. */
export function scheduleFileOf(config: Config): ScheduleFile {
  const file = crontabFile(config);
  return {
    file,
    read: readCrontab,
    digest: () => scheduleDigest(readCrontab(file), config.settings),
    readNotAgreed: (db) => readNotAgreed(db, config),
  };
}
