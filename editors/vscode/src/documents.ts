// Which documents are sent to the server; it decides by their names what they are.

import { PATTERNS } from "./patterns";

/** A selector as the Language Server Protocol has it. */
export interface Selector {
  readonly scheme?: string;
  readonly language?: string;
  readonly pattern?: string;
  readonly notebook?: string;
}

/** Languages whose files may have any name, such as scripts without a suffix. */
export const LANGUAGES: readonly string[] = ["python", "shellscript", "dockerfile"];

/** Return what is sent to the server. */
export function selectors(): Selector[] {
  return [
    ...PATTERNS.map((pattern) => ({ scheme: "file", pattern })),
    ...LANGUAGES.map((language) => ({ scheme: "file", language })),
    { notebook: "jupyter-notebook", language: "python" },
  ];
}
