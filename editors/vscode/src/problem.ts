// Why rocmlint does not run, in words, and what to do about it.

import { shown } from "./command";
import type { Command } from "./command";
import type { Ended } from "./run";

/** A message for the user, and the command line that solves the problem, if there is one. */
export interface Problem {
  readonly message: string;
  readonly remedy?: string;
}

const NO_ROCMLINT = /No module named '?rocmlint\b/;
const NO_EXTRA = /rocmlint\[lsp\]|No module named '?(?:pygls|lsprotocol|cattrs)\b/;
/** What versions without a server say, which take the verb for a path. */
const NO_SERVER = /\bserver'?: no such (?:file|path)|no such [^\n]*'server'/i;

/** Return the version that `rocmlint --version` printed, or undefined. */
export function versionOf(ended: Ended): string | undefined {
  return ended.code === 0 ? /^rocmlint (\S+)/m.exec(ended.stdout)?.[1] : undefined;
}

/** Explain why a command is not a rocmlint that works. */
export function whyNotFound(command: Command, ended: Ended): Problem {
  const { from, program } = command;
  if (ended.error === "ENOENT" || (ended.code !== null && NO_ROCMLINT.test(ended.stderr))) {
    return { message: missing(command, ended), remedy: install(command) };
  }
  if (ended.error === "timeout") {
    return { message: `${program} (${from}) did not tell its version in time.` };
  }
  if (ended.code === 0) {
    return { message: `${program} (${from}) is not rocmlint.` };
  }
  const how = ended.error ?? `exit code ${String(ended.code)}`;
  const said = lastLine(ended.stderr) || how;
  return { message: `${program} (${from}) does not work: ${said}` };
}

function missing({ from, program, interpreter }: Command, ended: Ended): string {
  if (ended.error === "ENOENT") {
    return program === "rocmlint"
      ? "rocmlint is not installed: neither in the selected interpreter nor on PATH."
      : `${program} (${from}) does not exist.`;
  }
  return `rocmlint is not installed in ${interpreter ?? program} (${from}).`;
}

/** Explain why a server ended before it answered. */
export function whyNotStarted(command: Command, stderr: string): Problem {
  if (NO_EXTRA.test(stderr)) {
    const message = `rocmlint is installed without its language server (${command.from}).`;
    return { message, remedy: install(command) };
  }
  if (NO_SERVER.test(stderr)) {
    const message = `This version of rocmlint has no language server (${command.from}).`;
    return { message, remedy: install(command, "--upgrade") };
  }
  const said = lastLine(stderr);
  return { message: `rocmlint server did not start${said ? `: ${said}` : "."}` };
}

/** Return the command line that installs rocmlint and its language server for a command. */
export function install(command: Command, ...flags: string[]): string {
  if (command.interpreter !== undefined) {
    return shown([command.interpreter, "-m", "pip", "install", ...flags, "rocmlint[lsp]"]);
  }
  return shown(["pipx", "install", "--force", "rocmlint[lsp]"]); // the newest, upgraded or not
}

function lastLine(text: string): string {
  return text.trim().split(/\r?\n/).at(-1) ?? "";
}
