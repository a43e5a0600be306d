/**
 * The pages' examples are real: TypeScript compiles and runs, and prints what the page says; scenes are read and
 * compile; commands exist. They run on what `npm run build` made, as a reader's program would.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cases } from '@tendril-sim/cases';
import { createWorld } from '@tendril-sim/core';
import { parseScene } from '@tendril-sim/io';
import { build } from 'esbuild';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../packages/cli/src/program/program.ts';
import type { Terminal } from '../packages/cli/src/terminal.ts';
import { pages, read, root } from './files.ts';
import { type Block, blocksOf } from './markdown.ts';

interface Example extends Block {
  readonly name: string;
  /** What it prints, where a `text` block follows it. */
  readonly output?: string;
}

/** scene.md and the page of @tendril-sim/io have tests of their own, in packages/io. */
const ours = pages().filter((page) => page !== 'docs/scene.md' && page !== 'packages/io/README.md');

function examples(languages: readonly string[]): Example[] {
  return ours.flatMap((page) => {
    const blocks = blocksOf(read(page));
    return blocks.flatMap((block, k): Example[] => {
      if (!languages.includes(block.language)) return [];
      const next = blocks[k + 1];
      const output = next?.language === 'text' && next.follows ? next.text : undefined;
      return [{ ...block, name: `${page}:${block.line}`, output }];
    });
  });
}

/** Bundles all examples at once: `example-<index>.js`, and what they share, which takes most of the time, in files beside them. */
async function bundleExamples(list: readonly Example[], folder: string): Promise<void> {
  const texts = new Map(list.map(({ text }, k) => [`example-${k}`, text]));
  const namespace = 'example';
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  await build({
    entryPoints: [...texts.keys()],
    plugins: [
      {
        name: namespace,
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^example-\d+$/ }, ({ path }) => ({ path, namespace }));
          onLoad({ filter: /.*/, namespace }, ({ path }) => ({
            contents: texts.get(path),
            loader: 'ts',
            resolveDir: root,
          }));
        },
      },
    ],
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'silent',
  });
}

describe('TypeScript', () => {
  const list = examples(['ts', 'typescript']);
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tendril-examples-'));
    await bundleExamples(list, folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is there', () => {
    expect(list.length).toBeGreaterThan(5);
  });

  it('has the types that it says', () => {
    // files that exist in memory only, in the root, so that packages are found as in a program of the reader
    const texts = new Map(list.map(({ text }, k) => [join(root, `example-${k}.ts`), text]));
    const options: ts.CompilerOptions = {
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      moduleDetection: ts.ModuleDetectionKind.Force,
      types: ['node'],
      strict: true,
      skipLibCheck: true,
      noEmit: true,
    };
    const host = ts.createCompilerHost(options);
    const { readFile, fileExists, getSourceFile } = host;
    host.fileExists = (path) => texts.has(path) || fileExists(path);
    host.readFile = (path) => texts.get(path) ?? readFile(path);
    host.getSourceFile = (path, target, ...rest) => {
      const text = texts.get(path);
      return text === undefined ? getSourceFile(path, target, ...rest) : ts.createSourceFile(path, text, target, true);
    };
    const program = ts.createProgram([...texts.keys()], options, host);
    const problems = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
      const index = Number(/example-(\d+)\.ts$/.exec(file?.fileName ?? '')?.[1]);
      const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
      return `${list[index]?.name}, line ${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
    expect(problems).toEqual([]);
  });

  it.each(list.map(({ name, output }, k) => [name, output, k] as const))('%s runs', (_, output, k) => {
    const file = join(folder, `example-${k}.js`);
    const printed = execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8', timeout: 240_000 });
    if (output !== undefined) expect(printed).toBe(output);
  });
});

describe('scenes', () => {
  // studies are read by the tests of @tendril-sim/sweep
  const list = examples(['yaml']).filter(({ text }) => !/^(sweep|fit):/m.test(text));

  it('are there', () => {
    expect(list.length).toBeGreaterThan(2);
  });

  it.each(list.map((example) => [example.name, example.text] as const))('%s is read and compiles', (name, text) => {
    const whole = /^tendril:/m.test(text) ? text : `tendril: 1\n${text}`;
    expect(createWorld(parseScene(whole, name).scene).rods.length).toBeGreaterThan(0);
  });
});

/** Prints nothing. */
const silent: Terminal = { out: () => {}, err: () => {}, live: false, columns: 80 };

describe('commands', () => {
  const program = createProgram(silent, () => {});
  /** The help of a command, and of a verb such as `groom grow`. */
  const helpOf = (words: readonly string[]): string => {
    const command = words.reduce((parent: typeof program | undefined, word) => {
      return parent?.commands.find((one) => one.name() === word);
    }, program);
    if (!command) throw new Error(`tendril has no command '${words.join(' ')}'`);
    return command.helpInformation();
  };
  const lines = ours.flatMap((page) =>
    blocksOf(read(page))
      .filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => text.split('\n'))
      .flatMap((line) => line.replace(/\s#.*$/, '').split(/&&|\|\|?|;/))
      .map((command) => /^\s*(?:npx )?tendril\s+(.*?)(?:\s+>.*)?\s*$/.exec(command)?.[1])
      .filter((words) => words !== undefined)
      .map((words) => ({ page, words })),
  );

  it('exist, with their options and cases', () => {
    expect(lines.length).toBeGreaterThan(10);
    const help = new Map<string, string>();
    const ids = new Set(cases.map(({ id }) => id));
    for (const { page, words } of lines) {
      const [first = '', ...rest] = words.match(/"[^"]*"|\S+/g) ?? [];
      if (first.startsWith('-')) continue;
      // groom and sweep have verbs of their own
      const isVerb = first === 'groom' || (first === 'sweep' && /^[a-z]+$/.test(rest[0] ?? ''));
      const verb = isVerb ? `${first} ${rest.shift()}` : first;
      if (!help.has(verb)) help.set(verb, helpOf(verb.split(' ')));
      for (const [flag] of words.matchAll(/(?<=\s)--?[a-z][a-z-]*/g)) {
        expect(help.get(verb), `${page}: tendril ${words}`).toMatch(new RegExp(`(^|[\\s,])${flag}\\b`));
      }
      // a bare word with a hyphen is a case, unless it is the value of an option or the name of what is made
      if (verb === 'new') continue;
      const named = rest.filter((word, k) => /^[a-z]+(-[a-z]+)+$/.test(word) && !rest[k - 1]?.startsWith('-'));
      for (const id of named) expect(ids, `${page}: tendril ${words}`).toContain(id);
    }
  });
});
