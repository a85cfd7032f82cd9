// The rule that a user asks for: the one of a finding, or one that is chosen from all.

const CODE = /^[A-Z]+[0-9]+$/;

/** What a diagnostic tells about its rule, in VS Code's or in the protocol's form. */
export interface Coded {
  readonly source?: string | undefined;
  readonly code?: string | number | { readonly value: string | number } | undefined;
}

/** Return the codes of rocmlint's diagnostics, each once. */
export function codesOf(diagnostics: readonly Coded[]): string[] {
  const codes = diagnostics
    .filter((each) => each.source === "rocmlint")
    .map((each) => String(typeof each.code === "object" ? each.code.value : (each.code ?? "")))
    .filter((code) => CODE.test(code));
  return [...new Set(codes)];
}

/** A rule as a line of a list to choose from. */
export interface Line {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

/** Read what `rocmlint rule --all --output-format json` prints; nothing of what it is not. */
export function linesOf(json: string): Line[] {
  const rules = (parsed(json) as { rules?: unknown } | undefined)?.rules;
  return Array.isArray(rules) ? rules.filter(isRule).map(line) : [];
}

interface Rule {
  readonly code: string;
  readonly name: string;
  readonly summary?: unknown;
}

function isRule(value: unknown): value is Rule {
  const rule = value as Partial<Rule> | null;
  return typeof rule?.code === "string" && typeof rule.name === "string";
}

function line(rule: Rule): Line {
  const detail = typeof rule.summary === "string" ? rule.summary : "";
  return { label: rule.code, description: rule.name, detail };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
