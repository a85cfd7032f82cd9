// What the user is told when rocmlint does not run.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Command } from "../src/command";
import { versionOf, whyNotFound, whyNotStarted } from "../src/problem";

const ON_PATH: Command = { program: "rocmlint", args: [], from: "PATH" };
const MODULE: Command = {
  program: "/venv/bin/python",
  args: ["-m", "rocmlint"],
  from: "the setting rocmlint.interpreter",
  interpreter: "/venv/bin/python",
};
const PIP = '/venv/bin/python -m pip install "rocmlint[lsp]"';

function ended(stderr: string, code: number | null = 1, error?: string): never {
  return { stdout: "", stderr, code, error } as never;
}

test("a program that does not exist", () => {
  assert.deepEqual(whyNotFound(ON_PATH, ended("", null, "ENOENT")), {
    message: "rocmlint is not installed: neither in the selected interpreter nor on PATH.",
    remedy: 'pipx install --force "rocmlint[lsp]"',
  });
  const set = { ...ON_PATH, program: "/no/rocmlint", from: "the setting rocmlint.path" };
  assert.equal(
    whyNotFound(set, ended("", null, "ENOENT")).message,
    "/no/rocmlint (the setting rocmlint.path) does not exist.",
  );
});

test("an interpreter without rocmlint", () => {
  assert.deepEqual(whyNotFound(MODULE, ended("/venv/bin/python: No module named rocmlint\n")), {
    message: "rocmlint is not installed in /venv/bin/python (the setting rocmlint.interpreter).",
    remedy: PIP,
  });
});

test("a program that fails tells its last line", () => {
  assert.equal(
    whyNotFound(ON_PATH, ended("Traceback\nImportError: libcst\n")).message,
    "rocmlint (PATH) does not work: ImportError: libcst",
  );
});

test("rocmlint without its language server", () => {
  for (const stderr of [
    "error: rocmlint server requires pygls: pip install 'rocmlint[lsp]'\n",
    "ModuleNotFoundError: No module named 'pygls'\n",
  ]) {
    assert.equal(whyNotStarted(MODULE, stderr).remedy, PIP, stderr);
  }
});

test("a rocmlint that is too old for a language server", () => {
  const { message, remedy } = whyNotStarted(MODULE, "server: no such file or directory\n");
  assert.match(message, /has no language server/);
  assert.equal(remedy, '/venv/bin/python -m pip install --upgrade "rocmlint[lsp]"');
});

test("a server that ends for another reason tells its last line, and proposes nothing", () => {
  assert.deepEqual(whyNotStarted(ON_PATH, "usage\nerror: unknown argument --nope\n"), {
    message: "rocmlint server did not start: error: unknown argument --nope",
  });
});

test("the version is what --version prints", () => {
  assert.equal(versionOf({ stdout: "rocmlint 0.1.0\n", stderr: "", code: 0 }), "0.1.0");
  assert.equal(versionOf({ stdout: "rocmlint 0.1.0\n", stderr: "", code: 1 }), undefined);
  assert.equal(versionOf({ stdout: "hello\n", stderr: "", code: 0 }), undefined);
});
