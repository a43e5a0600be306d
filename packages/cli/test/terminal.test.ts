import { describe, expect, it } from 'vitest';
import { suggest } from '../src/suggest.ts';
import {
  createProgress,
  formatDuration,
  formatError,
  formatNumber,
  formatTable,
  keepColors,
  type Terminal,
} from '../src/terminal.ts';

function fake(live: boolean): Terminal & { readonly text: () => string } {
  let text = '';
  return {
    out: () => {},
    err: (content) => {
      text += content;
    },
    live,
    columns: 80,
    text: () => text,
  };
}

describe('numbers', () => {
  it('reads well at every size', () => {
    expect([0, 0.25, 1234.5678, 1.23456e-7, 1e9, -3].map((value) => formatNumber(value))).toEqual([
      '0',
      '0.25',
      '1235',
      '1.235e-7',
      '1e9',
      '-3',
    ]);
    expect([0.34, 12.2, 185, 7800].map(formatDuration)).toEqual(['0.3 s', '12 s', '3 min 5 s', '2 h 10 min']);
  });
});

describe('text from files', () => {
  it('does not steer the terminal', () => {
    expect(formatError("no rod 'a\u001b]0;title\u0007\u009b2J'")).toContain(
      "no rod 'a\\u001b]0;title\\u0007\\u009b2J'",
    );
    const line = '\r\u001b[2K\u001b[32m✓\u001b[39m done\n';
    expect(keepColors(line)).toBe(line);
    expect(keepColors('a\u001b[2Jb\u001b]8;;x\u0007')).toBe('a\\u001b[2Jb\\u001b]8;;x\\u0007');
  });
});

describe('tables', () => {
  it('aligns columns, whatever the colours', () => {
    const table = formatTable(
      [{ title: 'name', align: 'left' }, { title: 'value' }],
      [
        ['\u001b[32ma\u001b[39m', '1'],
        ['long name', '12'],
      ],
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are removed to compare
    const lines = table.replace(/\u001b\[[0-9;]*m/g, '').split('\n');
    expect(lines[2]).toBe('  a              1');
    expect(lines[3]).toBe('  long name     12');
  });
});

describe('suggestions', () => {
  it('knows beginnings and misspellings', () => {
    const ids = ['heavy-cantilever', 'michell-ring', 'helical-spring'];
    expect(suggest('heavy', ids)).toBe('heavy-cantilever');
    expect(suggest('mitchell-ring', ids)).toBe('michell-ring');
    expect(suggest('zzz', ids)).toBeUndefined();
  });
});

describe('progress', () => {
  const play = (live: boolean): string => {
    const terminal = fake(live);
    let clock = 0;
    const progress = createProgress(terminal, false, () => clock);
    for (let k = 0; k <= 1000; k++) {
      clock = k * 0.02;
      progress.update({ fraction: k / 1000, time: k / 100, end: 10, iterations: 3 });
    }
    progress.done();
    return terminal.text();
  };

  it('redraws one line on a terminal and clears it', () => {
    const text = play(true);
    expect(text).not.toContain('\n');
    expect(text.endsWith('\r\u001b[2K')).toBe(true);
    expect(text).toContain('× real time');
    for (const line of text.split('\r\u001b[2K')) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are removed to measure
      expect([...line.replace(/\u001b\[[0-9;]*m/g, '')].length).toBeLessThan(80);
    }
  });

  it('writes a handful of plain lines elsewhere', () => {
    const text = play(false);
    const lines = text.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(9);
    expect(lines.length).toBeLessThan(16);
    expect(text).not.toContain('\u001b');
    expect(lines[4]).toMatch(/^ +50 % {2}t = 5 of 10 s {2}0\.5× real time {2}10 s left {2}3 iterations\/step$/);
  });

  it('says of a search which equilibrium it has reached, and no speed', () => {
    const terminal = fake(false);
    let clock = 0;
    const progress = createProgress(terminal, false, () => clock);
    for (let k = 0; k <= 20; k++) {
      clock = k;
      progress.update({ fraction: k / 20, time: k, end: 20, iterations: 3, reached: `equilibrium ${k} of 20` });
    }
    expect(terminal.text()).toMatch(/^ +50 % {2}equilibrium 10 of 20 {2}10 s left {2}3 iterations$/m);
    expect(terminal.text()).not.toContain('real time');
  });

  it('is silent when asked', () => {
    const terminal = fake(true);
    createProgress(terminal, true).update({ fraction: 0.5, time: 1, end: 2, iterations: 1 });
    expect(terminal.text()).toBe('');
  });
});
