/** `check` on cases made up here: one that is met, one that is missed, one that breaks down. */
import { describe, expect, it, vi } from 'vitest';

vi.mock('@tendril-sim/cases', async (original) => {
  const { defineCase, runChecks } = await original<typeof import('@tendril-sim/cases')>();
  const make = (id: string, measure: () => number): ReturnType<typeof defineCase> =>
    defineCase({
      id,
      title: id,
      claim: 'It holds.',
      source: 'made up',
      models: ['der'],
      quick: [1],
      full: [1, 2],
      scene: () => ({ tendril: 1, rods: [] }),
      measure: () => ({ answer: measure() }),
      expect: { answer: { value: 42, tolerance: 0.01 } },
    });
  const broken = (): number => {
    throw new Error('out of order');
  };
  const cases = [make('met', () => 42.1), make('missed', () => 41), make('broken', broken)];
  return { cases, findCase: (id: string) => cases.find((one) => one.id === id), runChecks };
});

const { check } = await import('../src/commands/check.ts');

function capture(): { terminal: import('../src/terminal.ts').Terminal; out: () => string; err: () => string } {
  let [out, err] = ['', ''];
  const terminal = {
    out: (content: string) => {
      out += content;
    },
    err: (content: string) => {
      err += content;
    },
    live: false,
    columns: 80,
  };
  return { terminal, out: () => out, err: () => err };
}

describe('check', () => {
  it('exits with 0 when everything is as expected', async () => {
    const { terminal, out } = capture();
    expect(await check(['met'], {}, terminal)).toBe(0);
    expect(out()).toContain('all as expected');
  });

  it('exits with 1 on a miss, and says which', async () => {
    const { terminal, out } = capture();
    expect(await check(['met', 'missed'], { full: true }, terminal)).toBe(1);
    expect(out()).toContain('MISS');
    expect(out()).toContain('4 checks in 2 cases (full)');
  });

  it('counts a case that breaks down as a miss and goes on', async () => {
    const { terminal, out, err } = capture();
    expect(await check(['broken', 'met'], { json: true }, terminal)).toBe(1);
    expect(err()).toContain('out of order');
    const rows = JSON.parse(out()) as { case: string; pass: boolean }[];
    expect(rows.map(({ case: id, pass }) => [id, pass])).toEqual([
      ['broken', false],
      ['met', true],
    ]);
  });

  it('refuses cases and models that do not exist', async () => {
    const { terminal } = capture();
    await expect(check(['mised'], {}, terminal)).rejects.toThrow("did you mean 'missed'");
    await expect(check(['met'], { model: 'helix' }, terminal)).rejects.toThrow('it runs on: der');
    await expect(check([], { model: 'helix' }, terminal)).rejects.toThrow('no case runs on model');
  });
});
