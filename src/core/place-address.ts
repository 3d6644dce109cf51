/** A bucket and the prefix of its keys: `s3://bucket/a/b` has the prefix `a/b/`. */
export type BucketAddress = { readonly bucket: string; readonly prefix: string };

const isUrl = /^[a-z][a-z\d+.-]*:\/\//i;
const bucketAddress = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/([^?#]*))?$/i;

/** The bucket, or "folder", that an address for files names; null if it is neither. */
export function placeAt(address: string): BucketAddress | "folder" | null {
  if (!isUrl.test(address)) return "folder";
  const [, bucket, rest = ""] = bucketAddress.exec(address) ?? [];
  if (bucket === undefined) return null;
  const steps = rest.split("/").filter((step) => step !== "");
  return { bucket, prefix: steps.map((step) => `${step}/`).join("") };
}
