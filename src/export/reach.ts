import type { Config } from "../config/config.ts";
import { networkOf } from "../config/network.ts";
import type { PlaceOptions } from "./place.ts";

/** How this process reaches a place of an export. */
export function reachOf({ environment, settings }: Config): PlaceOptions {
  const { endpoint, region = environment.AWS_REGION, path_style: pathStyle } = settings.export.s3;
  return {
    network: networkOf(environment),
    bucket: {
      endpoint,
      region,
      pathStyle,
      profile: environment.AWS_PROFILE,
      accessKeyId: environment.AWS_ACCESS_KEY_ID,
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
      sessionToken: environment.AWS_SESSION_TOKEN,
    },
  };
}
