/** `tendril report --paper`: verdicts follow from what was measured, and nothing of a paper is left out. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Case, type CheckRow, findCase, findPaper, type Paper } from '@tendril-sim/cases';
import type { SceneInput } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
// the built one: its threads are files
import { takePanels } from '../dist/commands/paperPanels.js';
import { paperMarkdown } from '../src/html/markdown.ts';
import { judgeFigure, paperPage, type ShownClaim, type ShownFigure } from '../src/html/paper.ts';
import { sandbox } from './harness.ts';

const subject = findCase('heavy-cantilever') as Case;
const row: CheckRow = {
  case: subject.id,
  model: 'der',
  n: 25,
  quantity: 'tip | x',
  measured: 0.99,
  expected: 1,
  relation: '=',
  error: 0.01,
  tolerance: 0.02,
  order: null,
  pass: true,
};
const claim = { paper: 'lou2013' as const, figure: 'Fig. 1', claim: 'It <bends>.' };
const shown = (change: Partial<ShownClaim>): ShownFigure => ({
  figure: { figure: 'Fig. 1', title: 'A rod' },
  claims: [{ claim, subject, rows: [row], ...change }],
});

describe('verdict on a figure', () => {
  it('follows from the rows', () => {
    expect(judgeFigure(shown({}))).toBe('holds');
    expect(judgeFigure(shown({ rows: [row, { ...row, pass: false }] }))).toBe('does not hold');
    expect(judgeFigure(shown({ claim: { ...claim, missing: 'half of it' } }))).toBe('in part');
    expect(judgeFigure(shown({ claim: { ...claim, missing: 'half of it' }, rows: [{ ...row, pass: false }] }))).toBe(
      'does not hold',
    );
    // a claim whose quantities were not measured, or whose case broke down, has not been shown to hold
    expect(judgeFigure(shown({ rows: [] }))).toBe('does not hold');
    expect(judgeFigure(shown({ failure: 'step 3 failed' }))).toBe('does not hold');
    expect(judgeFigure({ figure: { figure: 'Fig. 2', title: 'A drawing', notShown: 'No.' }, claims: [] })).toBe(
      'not shown',
    );
  });

  it('is on the page with claim, numbers and reason', () => {
    const figures = [
      shown({ claim: { ...claim, missing: 'The <rest>.' } }),
      { figure: { figure: 'Fig. 2', title: 'A drawing', notShown: 'Nothing to measure.' }, claims: [] },
    ];
    const page = { paper: findPaper('lou2013') as Paper, figures, facts: 'facts', command: 'tendril' };
    const html = paperPage(page);
    for (const part of [
      'It &lt;bends&gt;.',
      'The &lt;rest&gt;.',
      '1 in part, 1 not shown',
      '<td>0.99</td>',
      'Nothing to measure.',
    ])
      expect(html).toContain(part);
    const markdown = paperMarkdown(page);
    expect(markdown).toContain('| tip \\| x | der | 25 | 0.99 | 1 | 0.01 | 0.02 | pass |');
    expect(markdown).toContain('**Not shown:** The <rest>.');
    expect(markdown).toContain('**Verdict:** not shown');
  });
});

describe('panels', () => {
  it('are drawn from the frames closest to their moments, and are on the page in order', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'panels-'));
    const job = {
      paper: findPaper('lou2013') as Paper,
      profile: 'normal' as const,
      folder,
      quiet: true,
      terminal: { out: () => {}, err: () => {}, live: false, columns: 80 },
      interrupt: { requested: false } as never,
    };
    const scene = (): SceneInput => ({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [
        {
          id: 'rod',
          shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
          edges: 8,
          section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1, radius: 0.02 },
        },
      ],
      pins: [{ rod: 'rod', at: 'start' }],
      time: { duration: 0.3, step: 0.1 },
    });
    const moments = [
      { time: 0, caption: 'Straight.' },
      { time: 0.12, caption: 'At <0.1> s.' },
      { time: 0.1, caption: 'The same frame.' },
    ];
    const panels = await takePanels(job, subject, { scene, moments, aspect: 8, look: { floor: false } }, folder);
    const [first, second, third] = panels?.panels.map(({ data }) => data) ?? [];
    expect(panels?.columns).toBe(3);
    expect(second).toBe(third);
    expect(first).not.toBe(second);
    // PNG: width and height
    const bytes = Buffer.from(first, 'base64');
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([440, 55]);
    const html = paperPage({
      paper: job.paper,
      figures: [shown({ panels })],
      facts: 'facts',
      command: 'tendril',
    });
    expect(html).toContain('--columns:3');
    expect(html.indexOf('<b>b</b> At &lt;0.1&gt; s.')).toBeGreaterThan(html.indexOf('<b>a</b> Straight.'));
    rmSync(folder, { recursive: true });
  });
});

describe('report --paper', () => {
  it('runs the cases of a paper', async () => {
    const box = sandbox();
    const { code, out } = await box.run('report', '--paper', 'lou2013', '--quick', '--out', 'lou.html');
    expect(code).toBe(0);
    expect(out).toContain('lou.html: 5 figures of lou2013: 4 holds, 1 not shown');
    const html = box.read('lou.html');
    expect(html).not.toMatch(/NaN|undefined|Infinity|<script|@import/);
    // Newton iterations of the super-helix, as its claim says
    const text = html.replace(/<[^>]+>/g, ' ');
    expect(text).toMatch(/Newton iterations, Γ = 20\s+helix\s+100\s+6\s/);
  });

  it('refuses what it does not know', async () => {
    const box = sandbox();
    const unknown = await box.run('report', '--paper', 'bergou2009', '--out', 'a.html');
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.err).toContain("did you mean 'bergou2008'?");
    const both = await box.run('report', 'michell-ring', '--paper', 'bergou2008', '--out', 'a.html');
    expect(both).toMatchObject({ code: 2 });
    expect(both.err).toContain('cannot be combined');
    expect((await box.run('report', '--help')).out).toContain(
      'bergou2008, hadap2006, lou2013, michels2015, romero2021',
    );
    expect(existsSync(`${box.path}/a.html`)).toBe(false);
  });
});
