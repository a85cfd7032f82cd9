// The entry point: registers the commands, and starts the server whenever something calls for it.

import * as vscode from "vscode";

import { shown } from "./command";
import { onInterpreterChange } from "./interpreter";
import { Pages } from "./pages";
import { Server } from "./server";
import { restarting } from "./settings";
import { Status } from "./status";

let server: Server | undefined;

/** Start the server, and keep it as the settings, the interpreter and the user's trust are. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("rocmlint", { log: true });
  const status = new Status();
  const own = (server = new Server(output, status));
  const pages = new Pages(own);
  const restart = (): Promise<void> => own.restart();
  const extensionVersion = (context.extension.packageJSON as { version: string }).version;
  context.subscriptions.push(
    output,
    status,
    pages.register(),
    vscode.commands.registerCommand("rocmlint.restart", restart),
    vscode.commands.registerCommand("rocmlint.showOutput", () => {
      output.show(true);
    }),
    vscode.commands.registerCommand("rocmlint.fixAll", fixAll),
    vscode.commands.registerCommand("rocmlint.showRule", () => pages.show()),
    vscode.commands.registerCommand("rocmlint.showVersion", () => showVersion(extensionVersion)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (restarting().some((name) => event.affectsConfiguration(name))) {
        void restart();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
  );
  await restart();
  context.subscriptions.push(await onInterpreterChange(() => void restart()));
}

/** Stop the server. */
export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

/** Apply the server's safe fixes to the whole file; VS Code itself says if there are none. */
async function fixAll(): Promise<void> {
  const action = { kind: "source.fixAll.rocmlint", apply: "first" };
  await vscode.commands.executeCommand("editor.action.sourceAction", action);
}

async function showVersion(extension: string): Promise<void> {
  const found = server?.found;
  const running =
    found === undefined
      ? "rocmlint is not running"
      : `rocmlint ${found.version} from ${found.command.from} (${shown([found.command.program, ...found.command.args])})`;
  await vscode.window.showInformationMessage(`${running}; extension ${extension}`);
}
