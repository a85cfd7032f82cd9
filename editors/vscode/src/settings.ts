// The settings of a window, and the variables in them.

import * as os from "node:os";
import * as path from "node:path";

/** What the user has set; paths are as they were written. */
export interface Settings {
  readonly enable: boolean;
  readonly path: string;
  readonly interpreter: string;
  readonly args: readonly string[];
  readonly localRules: boolean;
}

/** Settings that change which server runs, or how. */
const RESTARTS = ["enable", "path", "interpreter", "args", "localRules"] as const;

/** Return the names of the settings whose change needs another server. */
export function restarting(): readonly string[] {
  return RESTARTS.map((name) => `rocmlint.${name}`);
}

/** Where the variables of a setting come from. */
export interface Surroundings {
  /** The first folder of the workspace. */
  readonly folder?: string | undefined;
  readonly home: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** Return the surroundings of this process. */
export function surroundings(folder: string | undefined): Surroundings {
  return { folder, home: os.homedir(), variables: process.env };
}

/**
 * Replace `~`, `${workspaceFolder}`, `${userHome}` and `${env:NAME}` in a setting.
 *
 * A variable that is not set becomes empty, as everywhere in VS Code; a name without a folder stays
 * one, to be looked for on PATH.
 */
export function expanded(text: string, around: Surroundings): string {
  const replaced = text
    .replace(/^~(?=$|[/\\])/, () => around.home)
    .replace(/\$\{workspaceFolder\}/g, () => around.folder ?? "")
    .replace(/\$\{userHome\}/g, () => around.home)
    .replace(/\$\{env:([^}]*)\}/g, (_, name: string) => around.variables[name] ?? "");
  const isRelative = /[/\\]/.test(replaced) && !path.isAbsolute(replaced);
  return isRelative && around.folder !== undefined ? path.join(around.folder, replaced) : replaced;
}
