import type { Settings } from "./settings.ts";

/** The names of the datasets that the file switches off. */
export const switchedOff = ({ datasets }: Pick<Settings, "datasets">): readonly string[] =>
  Object.keys(datasets).filter((name) => datasets[name]?.on === false);

/** Whether a dataset takes part where none is named: as the file says, else by default. */
export const isOn = (
  { name, on }: { readonly name: string; readonly on: boolean },
  { datasets }: Pick<Settings, "datasets">,
): boolean => datasets[name]?.on ?? on;
