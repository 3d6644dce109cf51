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
        "must be a folder, or a bucket as s3://bucket/prefix, without user, query or fragment",
      )
      .optional()
      .describe(
        "A folder, or a bucket as s3://bucket/prefix. `storehouse export` uses it unless --out is given; without it the crontab task `export` does nothing.",
      ),
    tables: z
      .array(z.string().min(1))
      .min(1)
      .default(["core", "mart"])
      .describe("Tables, views or whole schemas, in the form that --table accepts."),
    format: z.enum(["parquet", "csv"]).default("parquet").describe("File format."),
    s3: z
      .strictObject({
        endpoint: z
          .url({ protocol: /^https?$/, error: "is not an http or https address" })
          .refine((text) => !/[?#@]/.test(text), "must not contain a user, query or fragment")
          .optional()
          .describe("Address of an S3-compatible server, such as http://minio:9000 (default: AWS)."),
        region: z
          .string()
          .min(1)
          .optional()
          .describe(
            "Region of the bucket; takes precedence over AWS_REGION and the profile (default: us-east-1 if an endpoint is set).",
          ),
        path_style: z
          .boolean()
          .optional()
          .describe(
            "Whether the bucket name is in the path of an address instead of the host (default: true if an endpoint is set).",
          ),
      })
      .prefault({})
      .describe("How buckets are reached; keys come from AWS_ACCESS_KEY_ID and the like, never from this file."),
  })
  .prefault({})
  .describe("Tables as files, by the crontab or by `storehouse export`.");

/** Where and how tables are exported. */
export type ExportSettings = z.output<typeof ExportSettings>;
