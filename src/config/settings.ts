import { z } from "zod";
import { AccountSettings } from "./account-settings.ts";
import { AlertSettings, unknownGroups } from "./alert-settings.ts";
import { AnswerSettings } from "./answer-settings.ts";
import { ConsoleSettings } from "./console-settings.ts";
import { CreditSettings } from "./credit-settings.ts";
import { unknownInBudgets } from "./budget-names.ts";
import { ExportSettings } from "./export-settings.ts";
import { GatewaySettings } from "./gateway-settings.ts";
import { NotifySettings } from "./notify-settings.ts";
import { isDay, type Day } from "../core/day.ts";
import { Country, PortfolioSettings } from "./portfolio-settings.ts";

const word = /^\w[\w.-]*$/;
const words = "a word of a path consists of letters, digits, _, . and -, and does not begin with a dot";
const Days = z.int().min(0).max(3660);
const KeepMonths = z.int().min(1).max(1200);
const Device = z.enum(["IPHONE", "IPAD", "ALL"], { error: "must be one of IPHONE, IPAD, ALL (Android)" });
const DayText = z
  .string({ error: "must be a day: YYYY-MM-DD" })
  .refine((text): text is Day => isDay(text), "must be a day: YYYY-MM-DD")
  .meta({ format: "date" });

const DatasetSettings = z
  .strictObject({
    on: z.boolean().optional().describe("Whether a sync that names no dataset includes it."),
    countries: z.array(Country).min(1).optional().describe("Only these countries (default: all in the portfolio)."),
    devices: z
      .array(Device)
      .min(1)
      .optional()
      .describe("Only these devices: IPHONE, IPAD, ALL (Android) (default: all)."),
    start: DayText.optional().describe(
      "First day: a sync without --from goes back to this day instead of history_days, and never requests an earlier one.",
    ),
    history_days: Days.min(1).optional().describe("How many days a sync without --from goes back; at least pack_days."),
    settle_days: Days.optional().describe(
      "Number of newest days that are not requested, because they are not published yet. If it is raised, loaded days that were requested too early for the new number are requested again, since their figures may have been provisional.",
    ),
    lookback_days: Days.optional().describe(
      "Number of days before the settle days that are fetched again, because the source restates them.",
    ),
    lookback: z
      .enum(["fixed", "learned"], { error: "must be fixed or learned" })
      .optional()
      .describe(
        "fixed (the default) requests all lookback_days again; learned requests only as many of them as still change, see `storehouse lookback`.",
      ),
    refresh_days: Days.min(1)
      .optional()
      .describe("Days after which a snapshot, which only shows the present, is requested again."),
    pack_days: Days.min(1)
      .optional()
      .describe("Number of days requested together: the newest days wait until one call can fetch this many."),
    longest_window: Days.min(1).optional().describe("Maximum days in one call, if a call can request several."),
    fresh_hours: z
      .number()
      .positive()
      .max(100_000)
      .optional()
      .describe(
        "Hours after the end of its newest day at which the dataset counts as late and is reported (default: derived from how often it is requested).",
      ),
    keep_months: KeepMonths.optional().describe(
      "How many whole months of rows to keep before the current one, instead of retention.keep_months: older months are dropped and not requested.",
    ),
    partitions: z
      .enum(["month", "day"], { error: "is neither month nor day" })
      .optional()
      .describe(
        "Table partitions for new months: one per month (the default) or one per day; existing months stay as they are. `doctor` says from which size daily ones are better.",
      ),
    most_pages: z.int().min(1).max(1000).optional().describe("Maximum pages to request of one answer."),
    options: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Options of this dataset; the section below lists them."),
  })
  .describe("How one dataset is fetched; settings that are left out keep the default in the dataset table.");

/** The options of each dataset, by its name; null for one without options. */
export type DatasetOptions = Readonly<Record<string, z.ZodObject | null>>;

/** Names the settings of a dataset that would have no effect, given its other settings, and why; see `settingsFor`. */
type FindUnusable = (dataset: string, given: DatasetSettings) => Readonly<Record<string, string>>;

/**
 * Settings that accept only existing datasets, each with its own options only. A setting that a dataset cannot use is refused: its author
 * expects an effect.
 */
export function settingsFor(options: DatasetOptions, unusable: FindUnusable = () => ({})) {
  const shapes = Object.entries(options).map(([name, own]) => {
    const fitting = own === null ? z.strictObject({}, { error: "this dataset has no options" }) : own.strict();
    const all = DatasetSettings.extend({ options: fitting.optional().describe("Options of this dataset.") });
    const usable = all.superRefine((given, context) => {
      // a value of the wrong shape is reported as such; nothing else is checked
      if (!fitting.safeParse(given.options ?? {}).success) return;
      for (const [setting, reason] of Object.entries(unusable(name, given as DatasetSettings)))
        if (Object.hasOwn(given, setting))
          context.addIssue({ code: "custom", path: [setting], message: `cannot be used for this dataset: ${reason}` });
    });
    return [name, usable.optional()];
  });
  const datasets = z.strictObject(Object.fromEntries(shapes) as Record<string, z.ZodType>, {
    error: ({ code }) => (code === "unrecognized_keys" ? "no dataset has this name" : undefined),
  });
  return Settings.extend({ datasets: datasets.default({}).describe("Settings by dataset.") }).superRefine(
    (given, context) => {
      for (const { path, message } of [...unknownGroups(given), ...unknownInBudgets(given, Object.keys(options))])
        context.addIssue({ code: "custom", path, message });
      const { keep_months: keepMonths } = given.retention;
      if (keepMonths === undefined) return;
      for (const [name, own] of Object.entries(given.datasets as Record<string, DatasetSettings>)) {
        const reasons = own.keep_months === undefined ? unusable(name, { ...own, keep_months: keepMonths }) : {};
        for (const setting of keptLonger)
          if (own[setting] !== undefined && reasons[setting] !== undefined)
            context.addIssue({ code: "custom", path: ["datasets", name, setting], message: longer(reasons[setting]) });
      }
    },
  );
}

const longer = (reason: string) => `conflicts with retention.keep_months: ${reason}`;
/** Settings of a dataset that reach back further than it may be kept. */
const keptLonger = ["history_days", "lookback_days", "refresh_days"] as const;

/** config/storehouse.yaml, every part of it optional. */
export const Settings = z.strictObject({
  portfolio: PortfolioSettings,
  accounts: AccountSettings,
  datasets: z.record(z.string(), DatasetSettings).default({}).describe("Settings by dataset."),
  retention: z
    .strictObject({
      keep_months: KeepMonths.optional().describe(
        "How many whole months of facts in monthly partitions to keep before the current one (default: all).",
      ),
      action: z
        .enum(["drop", "detach"])
        .default("drop")
        .describe("What happens to older months: they are dropped, or moved to the schema archive."),
      slice_months: KeepMonths.default(1).describe(
        "How many whole months before the current one keep each slice as it is. In older months, consecutive final slices of one partition and list are folded into one.",
      ),
      ops_months: KeepMonths.min(2)
        .default(13)
        .describe(
          "How many whole months before the current one keep every request and fired alert. For older requests only the sums by day, run, plan and slice are kept.",
        ),
    })
    .prefault({})
    .describe("How long facts are kept; a dataset can override it."),
  export: ExportSettings,
  credits: CreditSettings,
  api: z
    .strictObject({
      store_words: z
        .strictObject({
          ios: z.string().regex(word, words).default("iosstore").describe("The iOS store's word."),
          android: z.string().regex(word, words).default("androidstore").describe("The Android store's word."),
        })
        .prefault({})
        .describe("The words that this deployment uses for the two stores in its paths."),
      requests_per_second: z.number().positive().max(1000).default(3).describe("Request rate of all workers together."),
      concurrency: z.int().min(1).max(256).default(4).describe("Concurrent requests in one process."),
      timeout_seconds: z.number().positive().max(600).default(60).describe("Maximum time to wait for one answer."),
      retry_seconds: z
        .number()
        .positive()
        .max(600)
        .default(1)
        .describe("First wait after an error that may be temporary; doubled each time."),
      // V8 holds no text of 512 MiB
      largest_answer_mib: z.number().positive().max(500).default(64).describe("Larger answers are refused."),
    })
    .prefault({})
    .describe("How requests are sent to the API."),
  worker: z
    .strictObject({
      grace_seconds: z
        .number()
        .min(1)
        .max(3600)
        .default(50)
        .describe("How long a worker may take to stop; it waits for a page under way until shortly before."),
    })
    .prefault({})
    .describe("How a worker stops."),
  database: z
    .strictObject({
      timeout_seconds: z
        .number()
        .positive()
        .max(86_400)
        .default(600)
        .describe("Maximum time for one statement; a connection that takes longer is replaced."),
    })
    .prefault({})
    .describe("How Postgres is used."),
  health: z
    .strictObject({
      host: z
        .string()
        .min(1)
        .default("127.0.0.1")
        .describe("Address on which a worker serves health checks and metrics, without authentication."),
      port: z
        .union([z.int().min(0).max(65_535), z.literal("off")], {
          error: "must be a port (0 to 65535, 0 for any free one) or off",
        })
        .default(9464)
        .describe("Port to listen on; if it is taken, the next free one of ten; 0 for any free one; `off` for none."),
    })
    .prefault({})
    .describe("The health server of a worker: probes and metrics."),
  console: ConsoleSettings,
  gateway: GatewaySettings,
  notify: NotifySettings,
  alerts: AlertSettings,
  mcp: AnswerSettings,
});

type FileSettings = z.output<typeof Settings>;

/** The parsed configuration file, for one account: see `configOfAccount`. */
export type Settings = Omit<FileSettings, "portfolio"> & {
  /** `account`: the account that it belongs to, by its name under `accounts`; left out for the account of API_TOKEN. */
  readonly portfolio: FileSettings["portfolio"] & { readonly account?: string };
};

/** The settings of one dataset as the file gives them. */
export type DatasetSettings = z.output<typeof DatasetSettings>;

/** The names of the datasets that the file switches off. */
export const switchedOff = ({ datasets }: Pick<Settings, "datasets">): readonly string[] =>
  Object.keys(datasets).filter((name) => datasets[name]?.on === false);

/** Whether a dataset takes part if none is named: as the file says, else by default. */
export const isOn = (
  { name, on }: { readonly name: string; readonly on: boolean },
  { datasets }: Pick<Settings, "datasets">,
): boolean => datasets[name]?.on ?? on;

/** True if what the account tracks belongs to its portfolio: its lists are then requested and planned from. */
export const usesTrackedApps = ({ portfolio }: Pick<Settings, "portfolio">): boolean => portfolio.source !== "config";
