/** Names of code on pages and in comments exist: identifiers, files and npm scripts. A page that keeps a former name sends its reader searching. */
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

/** Text in backticks, with its line. */
function quotesOf(text: string, path: string): { readonly quote: string; readonly where: string }[] {
  return text
    .split('\n')
    .flatMap((line, k) => [...line.matchAll(/`([^`]+)`/g)].map(([, quote]) => ({ quote, where: `${path}:${k + 1}` })));
}

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g;
const emptied = (text: string): string => text.replaceAll(/[^\n]/g, ' ');

/** A source without its comments, and its comments alone; both have its lines. */
function partsOf(path: string): { readonly code: string; readonly comments: string } {
  const text = read(path);
  if (!/\.tsx?$/.test(path)) return { code: text, comments: '' };
  let comments = '';
  let end = 0;
  for (const { index, 0: comment } of text.matchAll(COMMENT)) {
    comments += emptied(text.slice(end, index)) + comment;
    end = index + comment.length;
  }
  return { code: text.replaceAll(COMMENT, emptied), comments };
}

const isCamel = (word: string): boolean => /^[A-Za-z]*[a-z][A-Za-z]*[A-Z]\w*$/.test(word);

const sources = code.map((path) => ({ path, ...partsOf(path) }));
const quotes = [
  ...current.flatMap((page) => quotesOf(read(page), page)),
  ...sources.flatMap(({ path, comments }) => quotesOf(comments, path)),
];

it('identifiers are in the code or name a file', () => {
  const known = new Set(foreign);
  for (const { code } of sources) for (const [word] of code.matchAll(/[A-Za-z_$][\w$]*/g)) known.add(word);
  for (const path of files) known.add((path.split('/').at(-1) as string).split('.')[0]);
  const names = quotes.flatMap(({ quote, where }) =>
    [...quote.matchAll(/[A-Za-z_$][\w$]*/g)].map(([word]) => ({ word, where })).filter(({ word }) => isCamel(word)),
  );
  expect(names.length).toBeGreaterThan(1000);
  expect(names.filter(({ word }) => !known.has(word)).map(({ word, where }) => `${where} ${word}`)).toEqual([]);
});

/** Source files in diagrams: blocks of a page that name no language. */
const drawn = current.flatMap((page) =>
  [...read(page).matchAll(/^```\n([\s\S]*?)^```/gm)].flatMap(([, block]) =>
    [...block.matchAll(/[\w./-]+\.tsx?\b/g)].map(([quote]) => ({ quote, where: page })),
  ),
);

it('source files exist, below the folder that is named', () => {
  expect(drawn.length).toBeGreaterThan(30);
  const missing = [...quotes, ...drawn]
    .filter(({ quote }) => /^[\w.][\w./-]*\.(ts|tsx|mjs|jsx?)$/.test(quote))
    .filter(({ quote }) => {
      const path = quote.replace(/^(\.\.?\/)+/, '');
      return !files.some((file) => file === path || file.endsWith(`/${path}`));
    })
    // a case that the reader is about to write
    .filter(({ quote }) => !quote.startsWith('cases/my-case/'));
  expect(missing.map(({ quote, where }) => `${where} ${quote}`)).toEqual([]);
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
