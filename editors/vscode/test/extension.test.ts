// The extension as it is packaged, in a stand-in for VS Code: what the user sees.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { BAD, INTERPRETER, missing } from "./server";

const EDITOR = join(__dirname, "..", "..", "test", "editor.cjs");
const FOLDER = mkdtempSync(join(tmpdir(), "rocmlint-"));
const FILE = join(FOLDER, "images.py");
writeFileSync(FILE, BAD);
writeFileSync(join(FOLDER, "rocmlint.toml"), 'select = ["ROC602"]\n');

after(() => {
  rmSync(FOLDER, { recursive: true });
});

/** Return what was shown of a kind, each as an array of words. */
function shown(kind: string, settings: object, ...flags: string[]): unknown[][] {
  const configuration = JSON.stringify({ trusted: true, settings });
  const args = [EDITOR, FOLDER, FILE, configuration, ...flags];
  const ended = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 90_000 });
  assert.equal(ended.status, 0, ended.stderr);
  const lines = ended.stdout.trim().split("\n");
  const events = lines.map((line) => JSON.parse(line) as unknown[]);
  return events.filter((each) => each[0] === kind).map((each) => each.slice(1));
}

test("a path that does not exist is told, with what to run", () => {
  const [message, ...actions] = shown("error", { path: "/no/such/rocmlint" })[0] ?? [];
  assert.equal(
    message,
    "/no/such/rocmlint (the setting rocmlint.path) does not exist. " +
      'Run: pipx install --force "rocmlint[lsp]"',
  );
  assert.deepEqual(actions, ["Copy Install Command", "Open Settings", "Show Output"]);
});

test("a program that is not rocmlint is told in the status too", () => {
  const told = shown("status", { path: process.execPath }).flat();
  assert.equal(told.at(-1), `${process.execPath} (the setting rocmlint.path) is not rocmlint.`);
});

test("nothing is started where rocmlint is switched off", () => {
  const settings = { enable: false, path: "/no/such/rocmlint" };
  assert.deepEqual(shown("error", settings), []);
  assert.equal(shown("status", settings).flat().at(-1), "off");
});

test("findings of a file that is open", { skip: missing() }, () => {
  const settings = { interpreter: INTERPRETER, path: INTERPRETER ? "" : "rocmlint" };
  assert.deepEqual(shown("findings", settings, "--wait")[0], ["ROC602"]);
  assert.match(
    String(shown("information", settings)[0]?.[0]),
    /^rocmlint \d+\.\d+\.\d+ from the setting rocmlint\.(path|interpreter) .*; extension 1\.2\.3$/,
  );
});

test(
  "a rocmlint without a server is told once, and how to get another",
  { skip: process.platform === "win32" && "a shell script" },
  () => {
    const path = join(FOLDER, "rocmlint");
    const old = `#!/bin/sh
[ "$1" = --version ] && echo "rocmlint 0.1.0" && exit
exec 0<&-  # nobody reads what the client sends, and the reason comes late
sleep 0.3
echo "$1: no such file or directory" >&2
exit 2
`;
    writeFileSync(path, old, { mode: 0o755 });
    const told = shown("error", { path }).flat();
    assert.equal(
      told[0],
      "This version of rocmlint has no language server (the setting rocmlint.path). " +
        'Run: pipx install --force "rocmlint[lsp]"',
    );
    assert.ok(!told.some((each) => String(each).includes("connection")), "told once, in our words");
  },
);
