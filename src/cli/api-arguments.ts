import { InvalidArgumentError } from "commander";
import { AndroidTrackId, IosTrackId, LangCode } from "../api/values.ts";
import { Country, noCountry } from "../config/portfolio-settings.ts";

/** Reads a track id: a number on iOS, a package name on Android. */
export function trackIdArgument(text: string): string {
  if (!IosTrackId.safeParse(text).success && !AndroidTrackId.safeParse(text).success)
    throw new InvalidArgumentError(
      "It is not a track id: write a number (iOS) or a package name (Android); `storehouse find NAME` shows them.",
    );
  return text;
}

/** Reads a country, in capitals or not. One that does not exist is refused before it costs a credit. */
export function countryArgument(text: string): string {
  const country = text.toUpperCase();
  if (!/^[A-Z]{2}$/.test(country))
    throw new InvalidArgumentError("It is not a country code: write two letters, for instance US.");
  if (!Country.safeParse(country).success) throw new InvalidArgumentError(`${noCountry(country)}.`);
  return country;
}

/** Reads a language as requests spell it, in capitals or not. */
export function languageArgument(text: string): string {
  const code = text.toUpperCase().replace("-", "_");
  if (!LangCode.safeParse(code).success)
    throw new InvalidArgumentError(`The service has no such language: write one of ${LangCode.options.join(", ")}.`);
  return code;
}
