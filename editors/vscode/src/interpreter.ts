// The interpreter that the Python extension has selected, if that extension is installed.

import * as vscode from "vscode";

/** What is used of the interface of ms-python.python. */
interface PythonExtension {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(environment: { readonly path: string }): Promise<
      | {
          readonly executable: { readonly uri: vscode.Uri | undefined };
        }
      | undefined
    >;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

async function pythonExtension(): Promise<PythonExtension | undefined> {
  const extension = vscode.extensions.getExtension<Partial<PythonExtension>>("ms-python.python");
  if (extension === undefined) {
    return undefined;
  }
  const found = await extension.activate();
  return found.environments === undefined ? undefined : (found as PythonExtension);
}

/** Return the path of the interpreter that is selected for a folder. */
export async function selectedInterpreter(folder?: vscode.Uri): Promise<string | undefined> {
  try {
    const python = await pythonExtension();
    const active = python?.environments.getActiveEnvironmentPath(folder);
    const found = active && (await python?.environments.resolveEnvironment(active));
    return found?.executable.uri?.fsPath;
  } catch {
    return undefined; // it failed to start, which it tells the user itself
  }
}

/** Call back when another interpreter is selected. */
export async function onInterpreterChange(callback: () => void): Promise<vscode.Disposable> {
  try {
    const python = await pythonExtension();
    return python?.environments.onDidChangeActiveEnvironmentPath(callback) ?? nothing();
  } catch {
    return nothing();
  }
}

function nothing(): vscode.Disposable {
  return new vscode.Disposable(() => undefined);
}
