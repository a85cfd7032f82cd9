// The life of the server: found, started, restarted, stopped; one for all folders of a window.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";

import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient } from "vscode-languageclient/node";
import type { LanguageClientOptions } from "vscode-languageclient/node";

import { commands, serverArguments, shown, variables } from "./command";
import type { Command } from "./command";
import { selectors } from "./documents";
import { find } from "./find";
import type { Found } from "./find";
import { selectedInterpreter } from "./interpreter";
import { whyNotStarted } from "./problem";
import type { Problem } from "./problem";
import { surroundings } from "./settings";
import type { Settings } from "./settings";
import type { Status } from "./status";

const KEPT = 10_000;
/** Milliseconds that a server has to end when it is told to. */
const GRACE = 2_000;

/** A client that leaves it to the extension to tell why a server does not start. */
class Client extends LanguageClient {
  hasAnswered = false;

  override error(message: string, data?: unknown, show: boolean | "force" = true): void {
    super.error(message, data, this.hasAnswered ? show : false);
  }
}

/** The server of this window. Each step waits for the one before it. */
export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private child: ChildProcess | undefined;
  private closed: Promise<void> = Promise.resolve();
  private running: Found | undefined;
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly output: vscode.LogOutputChannel,
    private readonly status: Status,
  ) {}

  /** The rocmlint that runs, if one does. */
  get found(): Found | undefined {
    return this.running;
  }

  /** Start the server anew, as the settings are now. */
  restart(): Promise<void> {
    return this.next(async () => {
      await this.end();
      if (settings().enable) {
        await this.begin();
      } else {
        this.status.off();
      }
    });
  }

  /** Stop the server. */
  stop(): Promise<void> {
    return this.next(() => this.end());
  }

  dispose(): void {
    void this.stop();
  }

  private next(step: () => Promise<void>): Promise<void> {
    this.last = this.last.then(step).catch((error: unknown) => {
      this.output.error(String(error));
    });
    return this.last;
  }

  private async begin(): Promise<void> {
    this.status.starting();
    const found = await findServer();
    if ("message" in found) {
      this.fail(found);
      return;
    }
    let said = "";
    const error = await this.connect(found.command, (text) => {
      said = (said + text).slice(-KEPT);
    });
    if (error === undefined) {
      this.running = found;
      this.status.running(found.version, found.command.from);
    } else {
      // Its last words may come after the news that it has ended.
      await Promise.race([this.closed, delay(GRACE)]);
      await this.end();
      this.fail(whyNotStarted(found.command, said || error));
    }
  }

  /** Start a client; return why the server has not answered it, if so. */
  private async connect(
    command: Command,
    hear: (text: string) => void,
  ): Promise<string | undefined> {
    const start = (): Promise<ChildProcess> => {
      this.child = this.spawned(command, hear);
      return Promise.resolve(this.child);
    };
    const client: Client = new Client("rocmlint", "rocmlint", start, {
      ...clientOptions(this.output),
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue }),
        closed: () =>
          client.hasAnswered ? usual.closed() : { action: CloseAction.DoNotRestart, handled: true },
      },
      initializationFailedHandler: () => false,
    });
    const usual = client.createDefaultErrorHandler();
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    client.hasAnswered = client.isRunning(); // to start does not fail where the server ends at once
    return client.hasAnswered ? undefined : "it ended at once";
  }

  private spawned(command: Command, hear: (text: string) => void): ChildProcess {
    const { cwd, trusted } = place();
    const args = serverArguments(command, settings(), trusted);
    this.output.info(`$ ${shown([command.program, ...args])}`);
    const child = spawn(command.program, args, { cwd, env: variables(), windowsHide: true });
    child.stderr.setEncoding("utf8").on("data", hear);
    child.on("error", (error) => {
      hear(`${error.message}\n`);
    });
    this.closed = new Promise((resolve) => {
      child.once("close", () => {
        resolve();
      });
    });
    return child;
  }

  private async end(): Promise<void> {
    const { client, child } = this;
    this.client = this.child = this.running = undefined;
    try {
      await client?.dispose(GRACE);
    } catch {
      // It had not started, or has ended by itself.
    }
    child?.kill();
  }

  /** Tell why there is no server, without keeping the next start waiting for the user. */
  private fail(problem: Problem): void {
    this.status.failed(problem.message);
    this.output.error(problem.message + (problem.remedy ? `\nTry: ${problem.remedy}` : ""));
    void tell(problem);
  }
}

/** Return the settings of this window. */
export function settings(): Settings {
  const found = vscode.workspace.getConfiguration("rocmlint", place().folder ?? null);
  return {
    enable: found.get("enable", true),
    path: found.get("path", ""),
    interpreter: found.get("interpreter", ""),
    args: found.get<string[]>("args", []),
    localRules: found.get("localRules", true),
  };
}

/** Where this window is. */
interface Place {
  /** The first folder of the workspace. */
  readonly folder: vscode.Uri | undefined;
  readonly trusted: boolean;
  /** Where programs are started: not in a folder that is not trusted, since Windows, and Python
   * before 3.11, look there first for what to run. */
  readonly cwd: string;
}

/** Return where this window is. */
export function place(): Place {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const trusted = vscode.workspace.isTrusted;
  return { folder, trusted, cwd: trusted && folder !== undefined ? folder.fsPath : __dirname };
}

/** Find the rocmlint that the settings ask for. */
async function findServer(): Promise<Found | Problem> {
  const { folder, trusted, cwd } = place();
  const selected = await selectedInterpreter(folder);
  const around = surroundings(folder?.fsPath);
  return find(commands({ settings: settings(), around, selected, trusted }), cwd);
}

function clientOptions(output: vscode.LogOutputChannel): LanguageClientOptions {
  return {
    documentSelector: selectors() as NonNullable<LanguageClientOptions["documentSelector"]>,
    diagnosticCollectionName: "rocmlint",
    outputChannel: output,
    progressOnInitialization: false,
  };
}

async function tell({ message, remedy }: Problem): Promise<void> {
  const copy = "Copy Install Command";
  const actions = [...(remedy === undefined ? [] : [copy]), "Open Settings", "Show Output"];
  const text = remedy === undefined ? message : `${message} Run: ${remedy}`;
  const chosen = await vscode.window.showErrorMessage(text, ...actions);
  if (chosen === copy && remedy !== undefined) {
    await vscode.env.clipboard.writeText(remedy);
  } else if (chosen === "Open Settings") {
    await vscode.commands.executeCommand("workbench.action.openSettings", "rocmlint.");
  } else if (chosen === "Show Output") {
    await vscode.commands.executeCommand("rocmlint.showOutput");
  }
}
