// The files that are sent to the server are at least those that rocmlint lints.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { minimatch } from "minimatch";

import { PATTERNS } from "../src/patterns";

// rocmlint's own tests hold that this list has a file of each format.
const SAMPLES = JSON.parse(
  readFileSync(join(__dirname, "..", "..", "test", "samples.json"), "utf8"),
) as string[];

function isSent(path: string): boolean {
  return PATTERNS.some((pattern) => minimatch(path, pattern, { dot: true }));
}

test("a file of each format is sent", () => {
  const left = SAMPLES.filter((path) => !isSent(path));
  assert.deepEqual(left, []);
});

test("a file of no format is not", () => {
  for (const path of ["main.c", "notes.txt", "package.json", "data/train.csv"]) {
    assert.ok(!isSent(path), path);
  }
});
