/** Ends `npm run coverage`: writes the share of lines that the tests execute into README.md. Chromium and worker processes are not counted. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';

interface Summary {
  readonly total: Readonly<Record<'lines' | 'branches', { readonly pct: number }>>;
}

const { total } = JSON.parse(
  readFileSync(join(root, 'node_modules/.cache/coverage/coverage-summary.json'), 'utf8'),
) as Summary;
const page = join(root, 'README.md');
const text = readFileSync(page, 'utf8');
const date = new Date().toISOString().slice(0, 10);
const sentence = `On ${date} the tests executed ${total.lines.pct} % of the lines and ${total.branches.pct} % of the branches of the packages and cases, not counting what runs in worker processes and in Chromium (\`npm run coverage\`).`;
const marked = /(?<=<!-- coverage -->\n\n)[^\n]*/;
if (!marked.test(text)) throw new Error('README.md has no line after <!-- coverage -->');
writeFileSync(
  page,
  text.replace(marked, () => sentence),
);
console.log(sentence);
