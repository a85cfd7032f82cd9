// Which documents are sent to the server; it decides by their names what they are.

/** A selector as the Language Server Protocol has it. */
export interface Selector {
  readonly scheme?: string;
  readonly language?: string;
  readonly pattern?: string;
  readonly notebook?: string;
}

/** Patterns of all files that rocmlint lints besides Python; wider than its own where globs are. */
export const PATTERNS: readonly string[] = [
  "**/*.{py,pyi,pyw}",
  "**/*{constraint,requirement,req}*.{txt,in}",
  "**/{requirements,reqs}/**/*.{txt,in}",
  "**/{pyproject,pixi,rocmlint,.rocmlint}.toml",
  "**/setup.cfg",
  "**/Pipfile",
  "**/tox.ini",
  "**/*.{yml,yaml}",
  "**/{Dockerfile,Containerfile}*",
  "**/Container.*",
  "**/*.{dockerfile,Dockerfile,containerfile,Containerfile}",
  "**/*.def",
  "**/{Singularity,Apptainer}*",
  "**/{devcontainer,.devcontainer}.json",
  "**/*.{sh,bash,sbatch,slurm,pbs,lsf}",
  "**/{GNUmakefile,Makefile,makefile}*",
  "**/*.mk",
  "**/{justfile,Justfile,.justfile,.Justfile}",
  "**/*.just",
  "**/*.{ps1,bat,cmd}",
  "**/*{deepspeed,Deepspeed,DeepSpeed,DEEPSPEED,zero,Zero,ZeRO,ZERO,ds_,ds-,zf_,zf-}*.json",
  "**/*{deepspeed,Deepspeed,DeepSpeed,ds_config,ds-config,dsconfig,zero_config,zero-config}*/*.json",
  "**/*.{md,markdown,mdx,rst}",
  "**/{*.env,.env.*}",
  "**/*.{service,lua,eb}",
];

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
