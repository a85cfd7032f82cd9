// Which rule a page is shown of.

import assert from "node:assert/strict";
import { test } from "node:test";

import { codesOf, linesOf } from "../src/rules";

test("the codes at the cursor are those of rocmlint, each once", () => {
  assert.deepEqual(
    codesOf([
      { source: "rocmlint", code: { value: "ROC101" } },
      { source: "rocmlint", code: "ROC102" },
      { source: "rocmlint", code: "ROC101" },
      { source: "Ruff", code: "E501" },
      { source: "rocmlint" },
    ]),
    ["ROC101", "ROC102"],
  );
});

test("the list of rules is read from JSON", () => {
  const rules = [{ code: "ROC101", name: "package-path-level", summary: "A path." }, { code: 1 }];
  assert.deepEqual(linesOf(JSON.stringify({ version: 1, rules })), [
    { label: "ROC101", description: "package-path-level", detail: "A path." },
  ]);
  assert.deepEqual(linesOf("rocmlint is not running"), []);
  assert.deepEqual(linesOf("null"), []);
});
