// Variables in settings, and the settings that start another server.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { expanded, restarting } from "../src/settings";

const AROUND = {
  folder: "/srv/model",
  home: "/home/ada",
  variables: { VENV: "/envs/$1", EMPTY: "" },
};

for (const [text, result] of [
  ["~/bin/rocmlint", "/home/ada/bin/rocmlint"],
  ["a~b", "a~b"],
  ["${workspaceFolder}/.venv/bin/python", "/srv/model/.venv/bin/python"],
  ["${userHome}/x", "/home/ada/x"],
  ["${env:VENV}/bin/python", "/envs/$1/bin/python"],
  ["${env:UNKNOWN}rocmlint", "rocmlint"],
  [".venv/bin/python", "/srv/model/.venv/bin/python"],
  ["rocmlint", "rocmlint"],
] as const) {
  test(`${text} becomes ${result}`, { skip: process.platform === "win32" && "POSIX paths" }, () => {
    assert.equal(expanded(text, AROUND), result);
  });
}

interface Manifest {
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
  contributes: {
    commands: { command: string }[];
    configuration: { properties: Record<string, { default: unknown }> };
  };
}

const MANIFEST = JSON.parse(
  readFileSync(join(__dirname, "..", "..", "package.json"), "utf8"),
) as Manifest;

test("every setting but the trace starts another server when it changes", () => {
  const known = Object.keys(MANIFEST.contributes.configuration.properties);
  assert.deepEqual([...restarting(), "rocmlint.trace.server"].sort(), known.sort());
});

test("an untrusted workspace sets nothing that decides what is run", () => {
  const restricted = MANIFEST.capabilities.untrustedWorkspaces.restrictedConfigurations;
  assert.deepEqual([...restricted, "rocmlint.enable"].sort(), [...restarting()].sort());
});

test("every command of the manifest is registered", () => {
  const code = readFileSync(join(__dirname, "..", "..", "src", "extension.ts"), "utf8");
  for (const { command } of MANIFEST.contributes.commands) {
    assert.ok(code.includes(`registerCommand("${command}"`), command);
  }
});
