/** Completion of the command line in shells, made from the program as it is. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { caseIds } from '@tendril-sim/cases/catalog';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { shells } from '../src/choices.ts';
import { completion } from '../src/commands/completion.ts';
import { createProgram } from '../src/program/program.ts';

const quiet = { out: () => {}, err: () => {}, live: false, columns: 80 };
const program = createProgram(quiet, () => {});

/** What bash offers for the last of these words. */
function complete(...lines: readonly string[][]): string[][] {
  const ask = lines.map((words) => {
    const quoted = ['tendril', ...words].map((word) => `'${word}'`).join(' ');
    return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _tendril; echo "\${COMPREPLY[*]}"`;
  });
  const script = `${completion(program, 'bash')}\n${ask.join('\n')}`;
  const out = execFileSync('bash', ['-c', script], { encoding: 'utf8' });
  return out
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '));
}

/** What a command prints with --help. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

it('the help of every command has an example', () => {
  const groom = program.commands.find((one) => one.name() === 'groom');
  const commands = [...program.commands.filter((one) => one !== groom), ...(groom?.commands ?? [])];
  expect(commands.length).toBeGreaterThan(25);
  const silent = commands.filter((one) => one.name() !== 'help' && !/\nExamples?:[\s\S]*tendril /.test(helpOf(one)));
  expect(silent.map((one) => one.name())).toEqual([]);
});

it('the pages describe every option', () => {
  const pages = ['cli', 'groom', 'research', 'scene', 'studio', 'sweep'];
  const text = pages.map((page) => readFileSync(`docs/${page}.md`, 'utf8')).join('\n');
  const described = new Set(text.match(/--[a-z][\w-]*/g));
  const missing = (command: Command, above: string): string[] => [
    ...command.options
      .filter(({ long, hidden }) => long && !hidden && !described.has(long))
      .map(({ long }) => `${above} ${long}`),
    ...command.commands.flatMap((one) => missing(one, `${above} ${one.name()}`)),
  ];
  expect(described.size).toBeGreaterThan(100);
  expect(missing(program, 'tendril').filter((one) => one !== 'tendril --version')).toEqual([]);
});

describe('completion', () => {
  it('in bash offers commands, options, values and cases', () => {
    const [verbs, options, values, cases, below, deep] = complete(
      ['st'],
      ['run', '--un'],
      ['export', 'x', '--to', 'p'],
      ['run', 'michell'],
      ['sweep', 'm'],
      ['groom', 'grow', '--hair', 'wavy'],
    );
    expect(verbs).toEqual(['studio', 'statics']);
    expect(options).toEqual(['--until']);
    expect(values).toEqual(['parquet', 'png']);
    expect(cases).toEqual(['michell-ring']);
    expect(below).toEqual(['merge']);
    expect(deep).toEqual(['wavy', 'wavy-caucasian']);
  });

  it.each(shells)('for %s names every command and case', (shell) => {
    const script = completion(program, shell);
    const names = [...program.commands.map((one) => one.name()), ...caseIds];
    expect(names.filter((name) => !script.includes(name))).toEqual([]);
  });
});
