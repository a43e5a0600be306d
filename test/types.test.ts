/** The types of the tests, by the compiler in a process of its own, beside which other files of tests run: `npm run types` does the same. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './files.ts';

it('the tests have the types that they say', async () => {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const problems = await new Promise((resolve) =>
    execFile(process.execPath, [compiler, '-p', 'tsconfig.test.json'], { cwd: root }, (error, out, err) =>
      resolve(out + err || (error ? String(error) : '')),
    ),
  );
  expect(problems).toBe('');
  // a minute on an idle machine
}, 1_200_000);
