import { InvalidArgumentError } from "commander";
import { AndroidTrackId, CountryCode, IosTrackId, LangCode } from "../api/values.ts";

/** Reads a track id: a number on iOS, a package name on Android. */
export function trackIdArgument(text: string): string {
  if (!IosTrackId.safeParse(text).success && !AndroidTrackId.safeParse(text).success)
    throw new InvalidArgumentError(
      "It is no track id: write a number (iOS) or a package name (Android); `storehouse find NAME` shows them.",
    );
  return text;
}

/** Reads a country, in capitals or not. */
export function countryArgument(text: string): string {
  const country = text.toUpperCase();
  if (!CountryCode.safeParse(country).success)
    throw new InvalidArgumentError("It is no country: write its two letters, for instance US.");
  return country;
}

/** Reads a language as requests spell it, in capitals or not. */
export function languageArgument(text: string): string {
  const code = text.toUpperCase().replace("-", "_");
  if (!LangCode.safeParse(code).success)
    throw new InvalidArgumentError(`It is no language of the service: write one of ${LangCode.options.join(", ")}.`);
  return code;
}
