// Pages of rules, as rocmlint prints them: shown as Markdown, without a network.

import * as vscode from "vscode";

import { ruleArguments } from "./command";
import { codesOf, linesOf } from "./rules";
import { run } from "./run";
import { place, settings } from "./server";
import type { Server } from "./server";

const SCHEME = "rocmlint-rule";
const MILLISECONDS = 20_000;

/** Gives the text of `rocmlint-rule:CODE.md`. */
export class Pages implements vscode.TextDocumentContentProvider {
  constructor(private readonly server: Server) {}

  /** Make the pages known to VS Code. */
  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    return this.ask(uri.path.replace(/\.md$/, ""));
  }

  /** Show the page of the rule at the cursor, or of one that the user chooses. */
  async show(): Promise<void> {
    const code = (await chosen(atCursor())) ?? (await this.chosenFromAll());
    if (code !== undefined) {
      const uri = vscode.Uri.from({ scheme: SCHEME, path: `${code}.md` });
      await vscode.commands.executeCommand("markdown.showPreview", uri);
    }
  }

  private async chosenFromAll(): Promise<string | undefined> {
    if (atCursor().length > 0) {
      return undefined; // the user has closed that list
    }
    const lines = linesOf(await this.ask("--all", "json"));
    const options = { matchOnDescription: true, matchOnDetail: true, placeHolder: "Rule" };
    return (await vscode.window.showQuickPick(lines, options))?.label;
  }

  private async ask(rule: string, format = "markdown"): Promise<string> {
    const command = this.server.found?.command;
    if (command === undefined) {
      return "rocmlint is not running. See the output of rocmlint.\n";
    }
    const { cwd, trusted } = place();
    const args = ruleArguments(command, rule, format, settings(), trusted);
    const ended = await run(command.program, args, { cwd, milliseconds: MILLISECONDS });
    return ended.code === 0 ? ended.stdout : `${ended.stderr.trim() || "No answer."}\n`;
  }
}

function atCursor(): string[] {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return [];
  }
  const found = vscode.languages.getDiagnostics(editor.document.uri);
  return codesOf(found.filter((each) => each.range.intersection(editor.selection) !== undefined));
}

async function chosen(codes: string[]): Promise<string | undefined> {
  return codes.length > 1 ? vscode.window.showQuickPick(codes) : codes[0];
}
