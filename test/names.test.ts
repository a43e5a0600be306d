/** Names of code on the pages exist: identifiers, files and npm scripts. A page that keeps a former name sends its reader searching. */
import { expect, it } from 'vitest';
import { filesBelow, pages, read } from './files.ts';

/** Names in the pages that are no names of ours. */
const foreign = new Set([
  'AnimationMixer',
  'eventLoopUtilization',
  // a pattern of names
  'verbNoun',
  'WebKitWebDriver',
]);

/** The changelog speaks of what no longer exists. */
const current = pages().filter((page) => page !== 'CHANGELOG.md');

const files = filesBelow('.', /./).filter((path) => !/\.(glb|png|jpg|webp|wasm)$/.test(path));
const code = files.filter(
  (path) => /\.([cm]?[jt]sx?|json|html|css|ya?ml|py|sh|bib|svg)$/.test(path) && !path.includes('/generated'),
);

/** What pages print as code within their text, with its line. */
function codeOf(page: string): { readonly text: string; readonly where: string }[] {
  return read(page)
    .split('\n')
    .flatMap((line, k) => [...line.matchAll(/`([^`]+)`/g)].map(([, text]) => ({ text, where: `${page}:${k + 1}` })));
}

const isCamel = (word: string): boolean => /^[A-Za-z]*[a-z][A-Za-z]*[A-Z]\w*$/.test(word);

it('identifiers are in the sources or name a file of them', () => {
  const known = new Set(foreign);
  for (const path of code) for (const [word] of read(path).matchAll(/[A-Za-z_$][\w$]*/g)) known.add(word);
  for (const path of files) known.add((path.split('/').at(-1) as string).split('.')[0]);
  const found = current.flatMap(codeOf);
  const names = found.flatMap(({ text, where }) =>
    [...text.matchAll(/[A-Za-z_$][\w$]*/g)].map(([word]) => ({ word, where })).filter(({ word }) => isCamel(word)),
  );
  expect(names.length).toBeGreaterThan(700);
  expect(names.filter(({ word }) => !known.has(word)).map(({ word, where }) => `${where} ${word}`)).toEqual([]);
});

it('source files exist, below the folder that is named', () => {
  const missing = current.flatMap((page) =>
    codeOf(page)
      .filter(({ text }) => /^[\w./-]+\.(ts|tsx|mjs|jsx?)$/.test(text))
      .filter(({ text }) => {
        const path = text.replace(/^(\.\.?\/)+/, '');
        return !files.some((file) => file === path || file.endsWith(`/${path}`));
      })
      .map(({ text, where }) => `${where} ${text}`),
  );
  // a case that the reader is about to write
  expect(missing.filter((one) => !one.includes('cases/my-case/'))).toEqual([]);
});

it('npm scripts exist', () => {
  const scripts = ['package.json', 'examples/web/package.json'].flatMap((path) =>
    Object.keys((JSON.parse(read(path)) as { scripts: Record<string, string> }).scripts),
  );
  const named = current.flatMap((page) =>
    [...read(page).matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)].map(([, name]) => ({ name, page })),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(({ name }) => !scripts.includes(name)).map(({ name, page }) => `${page}: ${name}`)).toEqual([]);
});
