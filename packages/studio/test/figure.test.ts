/** Figures as files: what is in them, and that a reader finds it. */
import { inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { writePdf } from '../src/figurePdf.ts';
import { writeSvg } from '../src/figureSvg.ts';
import type { Figure } from '../src/shapes.ts';

const figure: Figure = {
  width: 400,
  height: 200,
  background: '#ffffff',
  title: 'Twist (θ) & "bend"',
  shapes: [
    {
      type: 'line',
      points: [
        [10, 20],
        [110, 20],
        [60, 90.5],
      ],
      closed: true,
      stroke: 'rgb(255 0 51)',
      width: 2,
    },
    { type: 'disc', at: [50, 60], radius: 4, fill: '#0000ff', name: 'pin' },
    { type: 'text', at: [200, 180], anchor: 'end', words: '−1.5', size: 10, fill: '#000000' },
    { type: 'text', at: [10, 180], words: '(θ ≥ 2)', size: 12, bold: true, fill: '#000000' },
    { type: 'scale', at: [300, 150], width: 80, height: 8, colors: ['#000000', '#ff0000', '#ffffff'] },
  ],
};

/** Bytes as letters, so that offsets are those of the file. */
const read = async (): Promise<string> => Buffer.from(await writePdf(figure)).toString('latin1');

it('is a PDF whose table names the place of every object', async () => {
  const file = await read();
  const [, start] = /startxref\n(\d+)\n%%EOF\n$/.exec(file) ?? [];
  const table = file.slice(Number(start));
  expect(table).toMatch(/^xref\n0 9\n/);
  const rows = [...table.matchAll(/(\d{10}) 00000 n /g)].map(([, at]) => Number(at));
  expect(rows).toHaveLength(8);
  rows.forEach((at, k) => {
    expect(file.slice(at)).toMatch(new RegExp(`^${k + 1} 0 obj\\n`));
  });
  // a pixel is 1/96 inch, a point 1/72
  expect(file).toContain('/MediaBox [0 0 300 150]');
  expect(file).toContain('/Title (Twist\\040\\050?\\051');
});

it('has every shape in its colour and place, and text in letters that its fonts have', async () => {
  const file = await read();
  const [, size] = /\/Length (\d+)/.exec(file) ?? [];
  const from = file.indexOf('stream\n') + 'stream\n'.length;
  const content = inflateSync(Buffer.from(file.slice(from, from + Number(size)), 'latin1')).toString('latin1');
  // upside down: a page has its origin at the lower left
  expect(content).toMatch(/^0\.75 0 0 -0\.75 0 150 cm/);
  expect(content).toContain('1 0 0.2 RG 2 w 1 J 10 20 m 110 20 l 60 90.5 l s');
  expect(content).toMatch(/0 0 1 rg 54 60 m( [-\d.]+){6} c/);
  // ends at x = 200: four letters of Helvetica, and the minus as a dash
  const [, x] = /1 0 0 -1 ([\d.]+) 180 Tm \/F1 10 Tf \(\\2261\.5\) Tj/.exec(content) ?? [];
  expect(Number(x)).toBeCloseTo(200 - 10 * (3 * 0.556 + 0.278), 1);
  // brackets are escaped, Greek is of the font Symbol, and what no font has is a question mark
  expect(content).toContain('/F2 12 Tf (\\050) Tj /F3 12 Tf (q) Tj /F2 12 Tf (\\040?\\0402\\051) Tj');
  expect(content).toContain('300 150 80 8 re W n /S1 sh');
  expect(file).toContain('/Bounds [0.5]');
});

it('is an SVG of the same shapes', () => {
  const svg = writeSvg(figure);
  expect(svg).toContain('<title>Twist (θ) &amp; &quot;bend&quot;</title>');
  expect(svg).toContain('d="M10.0 20.0L110.0 20.0 60.0 90.5Z" stroke="rgb(255 0 51)"');
  expect(svg).toContain('<circle class="pin" cx="50.0"');
  expect(svg).toContain('text-anchor="end">−1.5</text>');
  expect(svg.match(/<stop /g)).toHaveLength(3);
});
