// A stand-in for VS Code: starts the built extension in a folder, opens a file, and prints what the
// user would see, one JSON array a line. What the extension does not depend on answers with itself.
//
//     node test/editor.cjs FOLDER FILE '{"trusted": true, "settings": {"interpreter": "python"}}'

const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { fileURLToPath, pathToFileURL } = require("node:url");

const root = path.join(__dirname, "..");
const [folder, file, configuration] = process.argv.slice(2);
const { trusted, settings } = JSON.parse(configuration);
const print = (...words) => process.stdout.write(`${JSON.stringify(words)}\n`);

/** Return what can be called, made, extended and asked for any attribute, besides its own ones. */
function anything(own = {}) {
  return new Proxy(function () {}, {
    get(target, name) {
      if (name in own) return own[name];
      if (name === "prototype") return target.prototype;
      return name === "then" || typeof name === "symbol" ? undefined : (own[name] = anything());
    },
    apply: () => anything(),
    construct: () => anything(),
  });
}

class Uri {
  constructor(text) {
    this.text = text;
    this.path = new URL(text).pathname;
    this.scheme = new URL(text).protocol.slice(0, -1);
  }
  static parse(text) {
    return new Uri(text);
  }
  static file(name) {
    return new Uri(pathToFileURL(name).href);
  }
  toString() {
    return this.text;
  }
  get fsPath() {
    return fileURLToPath(this.text);
  }
}

class Disposable {
  static from() {
    return new Disposable();
  }
  dispose() {}
}

class Range {
  constructor(...numbers) {
    this.numbers = numbers;
  }
}

class Diagnostic {
  constructor(range, message) {
    Object.assign(this, { range, message });
  }
}

class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() };
  cancel() {}
  dispose() {}
}

class EventEmitter {
  listeners = [];
  event = (listener) => {
    this.listeners.push(listener);
    return new Disposable();
  };
  fire(value) {
    this.listeners.forEach((each) => each(value));
  }
  dispose() {}
}

class TabInputText {
  constructor(uri) {
    this.uri = uri;
  }
}

const uri = Uri.file(file);
const text = fs.readFileSync(file, "utf8");
const document = { uri, languageId: "python", version: 1, getText: () => text, isClosed: false };
const documents = [];
const opened = new EventEmitter();
const commands = {};
const workspaceFolder = { uri: Uri.file(folder), name: "folder", index: 0 };
const tab = { input: new TabInputText(uri), isActive: true };

let found;
const findings = new Promise((resolve) => (found = resolve));

const output = anything({
  info: (line) => print("output", line),
  error: (line) => print("output", line),
});

const collection = anything({
  set: (_, diagnostics) => {
    print("findings", ...diagnostics.map((each) => each.code.value ?? each.code));
    found();
  },
});

const vscode = anything({
  ...{ CancellationTokenSource, Diagnostic, Disposable, EventEmitter, Range, TabInputText, Uri },
  TabInputCustom: class {},
  TabInputNotebook: class {},
  TabInputTextDiff: class {},
  LanguageStatusSeverity: { Information: 0, Warning: 1, Error: 2 },
  version: "1.95.0",
  env: anything({ language: "en", appName: "stand-in" }),
  extensions: { getExtension: () => undefined },
  commands: anything({
    registerCommand: (name, run) => {
      commands[name] = run;
      return new Disposable();
    },
  }),
  languages: anything({
    match: () => 10,
    createDiagnosticCollection: () => collection,
    createLanguageStatusItem: () => ({
      set detail(value) {
        print("status", value);
      },
      dispose() {},
    }),
  }),
  window: anything({
    visibleTextEditors: [],
    activeTextEditor: { document },
    tabGroups: { all: [{ tabs: [tab] }], onDidChangeTabs: () => new Disposable() },
    createOutputChannel: () => output,
    showErrorMessage: async (...words) => print("error", ...words),
    showInformationMessage: async (...words) => print("information", ...words),
  }),
  workspace: anything({
    isTrusted: trusted,
    workspaceFolders: [workspaceFolder],
    textDocuments: documents,
    notebookDocuments: [],
    onDidOpenTextDocument: opened.event,
    getConfiguration: () => ({ get: (name, otherwise) => settings[name] ?? otherwise }),
    getWorkspaceFolder: () => workspaceFolder,
  }),
});

// A bundle copies what a module has by name, so the names must be known.
const declared = fs.readFileSync(
  path.join(root, "node_modules", "@types", "vscode", "index.d.ts"),
  "utf8",
);
const names = declared.matchAll(/^\s*export (?:abstract )?(?:class|enum|namespace|const) (\w+)/gm);
const module_ = Object.fromEntries([...names].map(([, name]) => [name, vscode[name]]));
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? module_ : load(name, ...rest));

async function main() {
  const extension = require(path.join(root, "dist", "extension.js"));
  const packageJSON = { version: "1.2.3" };
  await extension.activate({ subscriptions: [], extension: { packageJSON } });
  await commands["rocmlint.restart"]();
  documents.push(document);
  opened.fire(document);
  if (process.argv.includes("--wait")) await findings;
  await commands["rocmlint.showVersion"]();
  await extension.deactivate();
  process.exit();
}

// As VS Code does: a request that a restart cuts short is no reason to end.
process.on("unhandledRejection", (reason) => print("rejection", String(reason)));
void main();
