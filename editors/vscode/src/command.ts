// Which commands may start rocmlint, in the order in which they are tried.

import { expanded } from "./settings";
import type { Settings, Surroundings } from "./settings";

/** A way to start rocmlint, without the verb. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Where it comes from, as it stands in a sentence: "rocmlint from ...". */
  readonly from: string;
  /** The interpreter, where it is one that runs rocmlint as a module. */
  readonly interpreter?: string;
}

/** What decides which commands there are. */
export interface Choice {
  readonly settings: Settings;
  readonly around: Surroundings;
  /** The interpreter that the Python extension has selected. */
  readonly selected?: string | undefined;
  /** Whether the workspace may choose what is run. */
  readonly trusted: boolean;
}

/**
 * Return the commands to try, the first that works wins.
 *
 * What the user has set is the only one: another rocmlint than the one that was asked for would be
 * a surprise. In an untrusted workspace the selected interpreter is left out, since it may be a
 * program of that workspace; VS Code itself ignores what such a workspace sets.
 */
export function commands({ settings, around, selected, trusted }: Choice): readonly Command[] {
  if (settings.path !== "") {
    const program = expanded(settings.path, around);
    return [{ program, args: [], from: "the setting rocmlint.path" }];
  }
  if (settings.interpreter !== "") {
    const interpreter = expanded(settings.interpreter, around);
    return [asModule(interpreter, "the setting rocmlint.interpreter")];
  }
  const onPath: Command = { program: "rocmlint", args: [], from: "PATH" };
  return selected !== undefined && trusted
    ? [asModule(selected, "the interpreter of the Python extension"), onPath]
    : [onPath];
}

function asModule(interpreter: string, from: string): Command {
  return { program: interpreter, args: ["-m", "rocmlint"], from, interpreter };
}

/** Return the arguments that start the server. */
export function serverArguments(command: Command, settings: Settings, trusted: boolean): string[] {
  return [...command.args, "server", localRules(settings, trusted), ...settings.args];
}

/**
 * Return the arguments that print the page of a rule, or those of `--all`.
 *
 * Local rules are known to it only where they may be loaded.
 */
export function ruleArguments(
  command: Command,
  rule: string,
  format: string,
  settings: Settings,
  trusted: boolean,
): string[] {
  const local = localRules(settings, trusted);
  return [...command.args, "rule", rule, "--output-format", format, local];
}

function localRules(settings: Settings, trusted: boolean): string {
  return settings.localRules && trusted ? "--local-rules" : "--no-local-rules";
}

/**
 * Return the variables with which rocmlint is started.
 *
 * Python would import the modules of the current folder before its own, and a project may well have
 * a `json.py` (from Python 3.11 on).
 */
export function variables(own: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return { ...own, PYTHONSAFEPATH: "1" };
}

/** Write a command as a line that can be pasted into a shell. */
export function shown(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./\\~-]+$/.test(word) ? word : `"${word}"`)).join(" ");
}
