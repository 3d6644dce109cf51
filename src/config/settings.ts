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
const words = "a word of a path is letters, digits, _, . and -, and no dot first";
const Days = z.int().min(0).max(3660);
const KeepMonths = z.int().min(1).max(1200);
const Device = z.enum(["IPHONE", "IPAD", "ALL"], { error: "is none of IPHONE, IPAD, ALL (Android)" });
const DayText = z
  .string({ error: "a day is YYYY-MM-DD" })
  .refine((text): text is Day => isDay(text), "a day is YYYY-MM-DD")
  .meta({ format: "date" });

const DatasetSettings = z
  .strictObject({
    on: z.boolean().optional().describe("Take part in a sync that names no dataset."),
    countries: z
      .array(Country)
      .min(1)
      .optional()
      .describe("Only these countries; all that the portfolio names when left out."),
    devices: z
      .array(Device)
      .min(1)
      .optional()
      .describe("Only these devices: IPHONE, IPAD, ALL (Android); all of them when left out."),
    start: DayText.optional().describe(
      "First day: a sync without --from reaches back to it instead of history_days, and nothing before it is requested.",
    ),
    history_days: Days.min(1).optional().describe("Days that a sync without --from reaches back, pack_days at least."),
    settle_days: Days.optional().describe("Newest days that are left alone because they are not published yet."),
    lookback_days: Days.optional().describe(
      "Days behind the settled ones that are fetched again because the source restates them.",
    ),
    lookback: z
      .enum(["fixed", "learned"], { error: "is neither fixed nor learned" })
      .optional()
      .describe(
        "fixed (the default) requests lookback_days again; learned only as many of them as days were seen to move, see `storehouse lookback`.",
      ),
    refresh_days: Days.min(1)
      .optional()
      .describe("Days after which what the service has only as of now is requested again."),
    pack_days: Days.min(1)
      .optional()
      .describe("Days that are requested together: the newest wait until one call can fetch so many."),
    longest_window: Days.min(1).optional().describe("The most days that one call requests, where it may request many."),
    fresh_hours: z
      .number()
      .positive()
      .max(100_000)
      .optional()
      .describe(
        "Hours from the end of its newest day after which the dataset counts as late and is reported; by its rhythm when left out.",
      ),
    keep_months: KeepMonths.optional().describe(
      "Whole months before the current one of which rows are kept, instead of retention.keep_months: older ones are dropped and not requested.",
    ),
    partitions: z
      .enum(["month", "day"], { error: "is neither month nor day" })
      .optional()
      .describe(
        "Into which partitions rows of new months go: one a month (the default) or one a day; months that are there stay as they are. `doctor` says from which size on days are better.",
      ),
    most_pages: z.int().min(1).max(1000).optional().describe("The most pages of one answer that are requested."),
    options: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("What is special to the dataset; the lines below that name one say what it takes."),
  })
  .describe("How one dataset is fetched; what is left out keeps the default in the dataset table.");

/** What is special to each dataset, by its name; null for one that has no options. */
export type DatasetOptions = Readonly<Record<string, z.ZodObject | null>>;

/** Names the settings of a dataset that would change nothing, given its others, and why; see `settingsFor`. */
type FindUnusable = (dataset: string, given: DatasetSettings) => Readonly<Record<string, string>>;

/**
 * Settings of which each dataset takes its own options and no other, and no other dataset has any. A setting that a dataset cannot use
 * is refused: its author expects something of it.
 */
export function settingsFor(options: DatasetOptions, unusable: FindUnusable = () => ({})) {
  const shapes = Object.entries(options).map(([name, own]) => {
    const fitting = own === null ? z.strictObject({}, { error: "this dataset has no options" }) : own.strict();
    const all = DatasetSettings.extend({ options: fitting.optional().describe("What is special to it.") });
    const usable = all.superRefine((given, context) => {
      // a value of the wrong shape is reported as that; nothing else is checked
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

const longer = (reason: string) => `does not fit retention.keep_months: ${reason}`;
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
        "Whole months before the current one of which rows of facts in monthly partitions are kept; all of them when left out.",
      ),
      action: z
        .enum(["drop", "detach"])
        .default("drop")
        .describe("What becomes of older months: dropped, or moved to the schema archive."),
      slice_months: KeepMonths.default(1).describe(
        "Whole months before the current one of which each slice stays as it is; of older ones that are final one stands for all of a list and month without a gap.",
      ),
      ops_months: KeepMonths.min(2)
        .default(13)
        .describe(
          "Whole months before the current one of which each request is kept, and what alerts fired; of older requests the sums by day, run, plan and slice stay.",
        ),
    })
    .prefault({})
    .describe("How long facts are kept; a dataset may say otherwise."),
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
      requests_per_second: z.number().positive().max(1000).default(3).describe("Pace of all workers together."),
      concurrency: z.int().min(1).max(256).default(4).describe("Requests under way at once in one process."),
      timeout_seconds: z.number().positive().max(600).default(60).describe("The longest time to wait for one answer."),
      retry_seconds: z
        .number()
        .positive()
        .max(600)
        .default(1)
        .describe("First wait after an error that may pass; doubled each time."),
      // V8 holds no text of 512 MiB
      largest_answer_mib: z.number().positive().max(500).default(64).describe("Answers above this are refused."),
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
        .describe("How long a worker may take to stop; a page under way is waited for until shortly before."),
    })
    .prefault({})
    .describe("How a worker ends."),
  database: z
    .strictObject({
      timeout_seconds: z
        .number()
        .positive()
        .max(86_400)
        .default(600)
        .describe("The longest time for one statement; a connection that takes longer is replaced."),
    })
    .prefault({})
    .describe("How Postgres is used."),
  health: z
    .strictObject({
      host: z
        .string()
        .min(1)
        .default("127.0.0.1")
        .describe("Address that a worker answers health checks and Prometheus on, without authentication."),
      port: z
        .union([z.int().min(0).max(65_535), z.literal("off")], {
          error: "is neither a port (0 to 65535, 0 for any free one) nor off",
        })
        .default(9464)
        .describe("Its port; the next free one of ten where it is taken, any free one for 0, none for `off`."),
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

/** The parsed configuration file, as it holds for one account: see `configOfAccount`. */
export type Settings = Omit<FileSettings, "portfolio"> & {
  /** `account`: whose it is, by the name under `accounts`; left out for the account of API_TOKEN. */
  readonly portfolio: FileSettings["portfolio"] & { readonly account?: string };
};

/** The settings of one dataset as the file gives them. */
export type DatasetSettings = z.output<typeof DatasetSettings>;

/** The names of the datasets that the file switches off. */
export const switchedOff = ({ datasets }: Pick<Settings, "datasets">): readonly string[] =>
  Object.keys(datasets).filter((name) => datasets[name]?.on === false);

/** Whether a dataset takes part where none is named: as the file says, else by default. */
export const isOn = (
  { name, on }: { readonly name: string; readonly on: boolean },
  { datasets }: Pick<Settings, "datasets">,
): boolean => datasets[name]?.on ?? on;
