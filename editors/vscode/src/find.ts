// Finding a rocmlint that works, by asking each candidate for its version.

import type { Command } from "./command";
import { versionOf, whyNotFound } from "./problem";
import type { Problem } from "./problem";
import { run } from "./run";

const MILLISECONDS = 20_000;

/** A rocmlint that works. */
export interface Found {
  readonly command: Command;
  readonly version: string;
}

/** Return the first command that tells its version, or why none does. */
export async function find(commands: readonly Command[], cwd: string): Promise<Found | Problem> {
  const problems: Problem[] = [];
  for (const command of commands) {
    const args = [...command.args, "--version"];
    const ended = await run(command.program, args, { cwd, milliseconds: MILLISECONDS });
    const version = versionOf(ended);
    if (version !== undefined) {
      return { command, version };
    }
    problems.push(whyNotFound(command, ended));
  }
  // What the user has chosen comes first, and its problem is the one to solve.
  return problems[0] ?? { message: "There is no rocmlint to start." };
}
