import { z } from "zod";
import { placeAt } from "../core/place-address.ts";

/** Where tables are exported to by the crontab, or by a command that does not name the place. */
export const ExportSettings = z
  .strictObject({
    to: z
      .string()
      .min(1)
      .refine(
        (address) => placeAt(address) !== null,
        "is neither a folder nor a bucket as s3://bucket/prefix, without user, query or fragment",
      )
      .optional()
      .describe(
        "A folder, or a bucket as s3://bucket/prefix: the task `export` of the crontab does nothing without it, and `storehouse export` takes it where --out is left out.",
      ),
    tables: z
      .array(z.string().min(1))
      .min(1)
      .default(["core", "mart"])
      .describe("Tables, views or whole schemas, as --table takes them."),
    format: z.enum(["parquet", "csv"]).default("parquet").describe("How rows are written."),
    s3: z
      .strictObject({
        endpoint: z
          .url({ protocol: /^https?$/, error: "is no http or https address" })
          .refine((text) => !/[?#@]/.test(text), "must hold no user, query or fragment")
          .optional()
          .describe("Address of a server that speaks like S3, such as http://minio:9000; that of AWS when left out."),
        region: z
          .string()
          .min(1)
          .optional()
          .describe("Region of the bucket, before AWS_REGION and the profile; us-east-1 where an endpoint is set."),
        path_style: z
          .boolean()
          .optional()
          .describe(
            "Whether the bucket stands in the path of an address and not in the host; true where an endpoint is set.",
          ),
      })
      .prefault({})
      .describe("How buckets are reached; keys come from AWS_ACCESS_KEY_ID and the like, never from this file."),
  })
  .prefault({})
  .describe("Tables as files, by the crontab or by `storehouse export`.");

/** Where and how tables are exported. */
export type ExportSettings = z.output<typeof ExportSettings>;
