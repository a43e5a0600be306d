/** `tendril new [folder] --example <name>`: copies one of the examples of the documentation into a new folder. */
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Example } from '../choices.ts';
import { exitCode, UsageError } from '../exit.ts';
import { invocation } from '../invocation.ts';
import type { Terminal } from '../terminal.ts';

/** With the built site in the package, or at the root of a clone. */
const places = ['../site/files/examples/', '../../../../examples/'];

/** What a run of the example leaves, and what npm installs for it, are not part of it. */
const leftovers = /^(out|node_modules|dist|\.gitignore|.*\.hairstyle|bob\..*)$/;

const firstSteps = (tendril: string): Readonly<Record<Example, string>> => ({
  hair: 'read its README.md, or run all of it: bash run.sh',
  mechanics: `read its README.md; first: ${tendril} statics cantilever.yaml --out out/cantilever`,
  web: 'npm install && npm run dev',
});

const repository = 'https://github.com/tendril-sim/tendril';

/** Links of the README to the rest of the repository, which is not there beside the copy. */
function linkToRepository(readme: string): void {
  const text = readFileSync(readme, 'utf8')
    .replace(/(!\[[^\]]*\]\()\.\.\/\.\.\//g, `$1${repository}/raw/main/`)
    .replace(/\]\(\.\.\/\.\.\//g, `](${repository}/blob/main/`);
  writeFileSync(readme, text);
}

export function createExample(folder: string | undefined, example: Example, terminal: Terminal): number {
  const into = folder ?? example;
  const from = places
    .map((place) => join(fileURLToPath(new URL(place, import.meta.url)), example))
    .find((path) => existsSync(join(path, 'README.md')));
  if (!from) throw new UsageError('this copy of the command has no examples: run "npm run docs" in the repository');
  if (existsSync(into))
    throw new UsageError(
      `'${into}' exists and will not be overwritten; choose another name: tendril new my-folder --example`,
    );
  // the folder appears when it is complete
  const draft = join(dirname(into), `.${basename(into)}.${process.pid}.tmp`);
  try {
    cpSync(from, draft, { recursive: true, filter: (path) => path === from || !leftovers.test(basename(path)) });
    linkToRepository(join(draft, 'README.md'));
    renameSync(draft, into);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
  terminal.err(`wrote the folder ${into}\nnext: cd ${into}, then ${firstSteps(invocation())[example]}\n`);
  return exitCode.done;
}
