// Which rocmlint is started, and with what.

import assert from "node:assert/strict";
import { test } from "node:test";

import { commands, ruleArguments, serverArguments, shown, variables } from "../src/command";
import type { Command } from "../src/command";
import type { Settings } from "../src/settings";

const SETTINGS: Settings = { enable: true, path: "", interpreter: "", args: [], localRules: true };
const AROUND = { folder: "/srv/model", home: "/home/ada", variables: {} };
const ON_PATH: Command = { program: "rocmlint", args: [], from: "PATH" };

function tried(settings: Partial<Settings>, selected?: string, trusted = true): string[] {
  const choice = { settings: { ...SETTINGS, ...settings }, around: AROUND, selected, trusted };
  return commands(choice).map((each) => [each.program, ...each.args].join(" "));
}

test("the path that the user has set is the only one", () => {
  assert.deepEqual(tried({ path: "~/bin/rocmlint", interpreter: "/py" }, "/selected"), [
    "/home/ada/bin/rocmlint",
  ]);
});

test("the interpreter that the user has set runs rocmlint as a module", () => {
  assert.deepEqual(tried({ interpreter: "${workspaceFolder}/.venv/bin/python" }, "/selected"), [
    "/srv/model/.venv/bin/python -m rocmlint",
  ]);
});

test("without settings the selected interpreter is tried, then PATH", () => {
  assert.deepEqual(tried({}, "/selected"), ["/selected -m rocmlint", "rocmlint"]);
  assert.deepEqual(tried({}), ["rocmlint"]);
});

test("an untrusted workspace does not choose the interpreter", () => {
  assert.deepEqual(tried({}, "/srv/model/.venv/bin/python", false), ["rocmlint"]);
});

test("local rules are loaded only where the user wants them and trusts the workspace", () => {
  for (const [wanted, trusted, flag] of [
    [true, true, "--local-rules"],
    [true, false, "--no-local-rules"],
    [false, true, "--no-local-rules"],
  ] as const) {
    const settings = { ...SETTINGS, localRules: wanted };
    assert.deepEqual(serverArguments(ON_PATH, settings, trusted), ["server", flag]);
    assert.ok(ruleArguments(ON_PATH, "--all", "json", settings, trusted).includes(flag));
  }
});

test("the user's own arguments come last, so that they win", () => {
  const settings = { ...SETTINGS, args: ["--preview"] };
  assert.deepEqual(serverArguments(ON_PATH, settings, true), [
    "server",
    "--local-rules",
    "--preview",
  ]);
});

test("the page of a rule is asked of the same rocmlint", () => {
  const command = { program: "/py", args: ["-m", "rocmlint"], from: "", interpreter: "/py" };
  assert.deepEqual(ruleArguments(command, "ROC101", "markdown", SETTINGS, true), [
    ...["-m", "rocmlint", "rule", "ROC101", "--output-format", "markdown", "--local-rules"],
  ]);
});

test("the modules of the current folder do not come before Python's own", () => {
  assert.deepEqual(variables({ PATH: "/bin" }), { PATH: "/bin", PYTHONSAFEPATH: "1" });
});

test("a command is shown as a shell takes it", () => {
  assert.equal(
    shown(["C:\\Program Files\\python.exe", "-m", "pip", "install", "rocmlint[lsp]"]),
    '"C:\\Program Files\\python.exe" -m pip install "rocmlint[lsp]"',
  );
});
