// Finding rocmlint with real processes.

import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";

import type { Command } from "../src/command";
import { find } from "../src/find";
import { run } from "../src/run";

function node(code: string, from: string): Command {
  return { program: process.execPath, args: ["-e", code, "--"], from };
}

const NONE: Command = { program: "rocmlint-that-is-nowhere", args: [], from: "PATH" };
const BROKEN = node("process.stderr.write('broken'); process.exitCode = 3", "a broken place");
const GOOD = node("console.log('rocmlint 1.2.3')", "a good place");

test("the first that tells its version is taken", async () => {
  assert.deepEqual(await find([NONE, BROKEN, GOOD], tmpdir()), { command: GOOD, version: "1.2.3" });
});

test("where none works, the problem of the first is told", async () => {
  const found = await find([BROKEN, NONE], tmpdir());
  assert.ok("message" in found);
  assert.match(found.message, /\(a broken place\) does not work: broken$/);
});

test("a program that hangs is ended", async () => {
  const args = ["-e", "setInterval(() => 0, 1000)"];
  const ended = await run(process.execPath, args, { cwd: tmpdir(), milliseconds: 300 });
  assert.deepEqual([ended.code, ended.error], [null, "timeout"]);
});
