// Running a program to its end, within a time limit.

import { spawn } from "node:child_process";

import { variables } from "./command";

/** How a program ended. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** The exit code; null if it did not start, took too long or was ended by a signal. */
  readonly code: number | null;
  /** Why it did not start, such as ENOENT, or `timeout`. */
  readonly error?: string | undefined;
}

const MAXIMUM_OUTPUT = 1_000_000;

/** Run a program without a shell. Never rejects. */
export function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly milliseconds: number },
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args], {
      cwd: options.cwd,
      env: variables(),
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    const printed = { stdout: "", stderr: "" };
    let error: string | undefined;
    const timer = setTimeout(() => {
      error = "timeout";
      child.kill("SIGKILL");
    }, options.milliseconds);
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8");
      child[name].on("data", (text: string) => {
        printed[name] = (printed[name] + text).slice(-MAXIMUM_OUTPUT);
      });
    }
    child.on("error", (problem: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve({ ...printed, code: null, error: problem.code ?? problem.message });
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ ...printed, code, error });
    });
  });
}
