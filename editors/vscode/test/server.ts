// The real server for tests: that of ROCMLINT_INTERPRETER, else of the rocmlint on PATH.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

import { commands, serverArguments, variables } from "../src/command";
import { surroundings } from "../src/settings";
import type { Settings } from "../src/settings";

export const INTERPRETER = process.env.ROCMLINT_INTERPRETER ?? "";

/** A file with one finding, ROC602, in its fifth line. */
export const BAD = `from PIL import ImageOps


def upright(image):
    ImageOps.exif_transpose(image)
    return image
`;

const SETTINGS: Settings = {
  enable: true,
  path: "",
  interpreter: INTERPRETER,
  args: [],
  localRules: false,
};
const [command] = commands({
  settings: SETTINGS,
  around: surroundings(undefined),
  trusted: true,
});
assert.ok(command !== undefined);

export const PROGRAM = command.program;
export const ARGUMENTS = serverArguments(command, SETTINGS, true);

/** Return why there is no server; false if there is one. */
export function missing(): string | false {
  const options = { encoding: "utf8", env: variables(), input: "", timeout: 60_000 } as const;
  const ended = spawnSync(PROGRAM, ARGUMENTS, options);
  if (ended.error !== undefined) {
    return `${PROGRAM} cannot be started: ${ended.error.message}`;
  }
  return ended.status === 2 && `${PROGRAM} has no language server: ${ended.stderr}`;
}
