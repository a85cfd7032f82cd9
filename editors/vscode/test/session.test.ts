// A session with the real server: started as the extension starts it, spoken to as VS Code does.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import {
  CodeActionKind,
  CodeActionRequest,
  DidOpenTextDocumentNotification,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  createProtocolConnection,
} from "vscode-languageserver-protocol/node";
import type {
  CodeAction,
  ProtocolConnection,
  PublishDiagnosticsParams,
} from "vscode-languageserver-protocol/node";

import { variables } from "../src/command";
import { ARGUMENTS, BAD, PROGRAM, missing } from "./server";

const LIMIT = { timeout: 60_000 };

test(
  "findings of a file that is opened, and their fixes",
  { ...LIMIT, skip: missing() },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "rocmlint-"));
    const file = join(folder, "images.py");
    writeFileSync(file, BAD);
    writeFileSync(join(folder, "rocmlint.toml"), 'select = ["ROC602"]\n');
    const server = spawn(PROGRAM, ARGUMENTS, { cwd: folder, env: variables() });
    const ended = new Promise<number | null>((resolve) => server.once("exit", resolve));
    const connection = createProtocolConnection(
      new StreamMessageReader(server.stdout),
      new StreamMessageWriter(server.stdin),
    );
    try {
      const uri = pathToFileURL(file).href;
      const { diagnostics } = await opened(connection, folder, uri);
      assert.deepEqual(
        diagnostics.map((each) => [each.source, each.code, each.range.start.line]),
        [["rocmlint", "ROC602", 4]],
      );
      const [first] = diagnostics;
      assert.ok(first !== undefined);
      assert.match(first.codeDescription?.href ?? "", /exif-transpose-no-effect/);
      const found = await connection.sendRequest(CodeActionRequest.type, {
        textDocument: { uri },
        range: first.range,
        context: { diagnostics, only: [CodeActionKind.QuickFix] },
      });
      const kinds = (found ?? []).map((each) => (each as CodeAction).kind);
      assert.ok(kinds.length > 0 && kinds.every((kind) => kind?.startsWith("quickfix")));
      await connection.sendRequest(ShutdownRequest.type);
      await connection.sendNotification(ExitNotification.type);
      assert.equal(await ended, 0);
    } finally {
      connection.dispose();
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

/** Begin a session, open a file, and return what the server then says of it. */
async function opened(
  connection: ProtocolConnection,
  folder: string,
  uri: string,
): Promise<PublishDiagnosticsParams> {
  const published = new Promise<PublishDiagnosticsParams>((resolve) => {
    connection.onNotification(PublishDiagnosticsNotification.type, resolve);
  });
  connection.listen();
  await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: null, // eslint-disable-line @typescript-eslint/no-deprecated -- must be there
    workspaceFolders: [{ name: "test", uri: pathToFileURL(folder).href }],
    capabilities: {
      textDocument: {
        codeAction: {
          codeActionLiteralSupport: { codeActionKind: { valueSet: [CodeActionKind.QuickFix] } },
        },
        publishDiagnostics: { codeDescriptionSupport: true, dataSupport: true },
      },
    },
  });
  await connection.sendNotification(InitializedNotification.type, {});
  await connection.sendNotification(DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "python", version: 1, text: BAD },
  });
  return published;
}
