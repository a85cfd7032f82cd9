// What rocmlint is doing, in the menu that VS Code shows beside the language of a file.

import * as vscode from "vscode";

import { selectors } from "./documents";

/** The status item of the extension. */
export class Status implements vscode.Disposable {
  private readonly item: vscode.LanguageStatusItem;

  constructor() {
    this.item = vscode.languages.createLanguageStatusItem("rocmlint", selectors());
    this.item.name = "rocmlint";
    this.off();
  }

  /** Say that the server is being started. */
  starting(): void {
    this.set("rocmlint", "starting", vscode.LanguageStatusSeverity.Information);
    this.item.busy = true;
  }

  /** Say which version runs, and where it comes from. */
  running(version: string, from: string): void {
    this.set(`rocmlint ${version}`, `from ${from}`, vscode.LanguageStatusSeverity.Information);
  }

  /** Say that rocmlint is switched off. */
  off(): void {
    this.set("rocmlint", "off", vscode.LanguageStatusSeverity.Information);
  }

  /** Say why there is no server. */
  failed(message: string): void {
    this.set("rocmlint", message, vscode.LanguageStatusSeverity.Error);
  }

  dispose(): void {
    this.item.dispose();
  }

  private set(text: string, detail: string, severity: vscode.LanguageStatusSeverity): void {
    this.item.busy = false;
    this.item.text = text;
    this.item.detail = detail;
    this.item.severity = severity;
    this.item.command = { command: "rocmlint.showOutput", title: "Show Output" };
  }
}
