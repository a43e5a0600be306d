/** `tendril report`: one page that opens anywhere, with numbers that were measured and text that was escaped. */
import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { htmlTable, inlineSvg, prose } from '../src/html/page.ts';
import { drawLinePlot } from '../src/plot/lines.ts';
import { logTicks } from '../src/plot/scale.ts';
import { sandbox, scene } from './harness.ts';

/** Tags that open and close in pairs, as a browser would need them. */
function unbalanced(html: string): string[] {
  const open: string[] = [];
  const single = new Set(['meta', 'br', 'hr', 'img', 'link', '!doctype']);
  for (const [, close, name, self] of html.matchAll(/<(\/?)([a-z!][a-z0-9]*)[^>]*?(\/?)>/gi)) {
    if (self === '/' || single.has(name.toLowerCase())) continue;
    if (close === '') open.push(name);
    else if (open.pop() !== name) return [...open, name];
  }
  return open;
}

const loadedFrom = /(?:src|href)="(?!#)|url\(|@import|<script/;

describe('report on the paper', () => {
  it.runIf(process.env.TENDRIL_LONG)('runs every experiment and says claim, measurement and reason', async () => {
    const box = sandbox();
    const { code, out, err } = await box.run('report', '--quick', '--out', 'report.html');
    expect(err).toContain('[6/6] Fig. 7');
    expect(code).toBe(0);
    expect(out).toContain('report.html: 6 experiments');
    expect(readdirSync(box.path)).toEqual(['report.html']);
    const html = box.read('report.html');
    expect(html).not.toMatch(loadedFrom);
    expect(html).not.toMatch(/NaN|undefined|Infinity/);
    expect(unbalanced(html)).toEqual([]);
    for (const figure of [2, 3, 4, 5, 6, 7]) expect(html).toContain(`<p class="kicker">Fig. ${figure}</p>`);
    expect(html.match(/<dt>The paper claims<\/dt>/g)).toHaveLength(6);
    expect(html.match(/<dt>Why they differ<\/dt>/g)).toHaveLength(6);
    expect(html.match(/<svg /g)?.length).toBeGreaterThanOrEqual(10);
    expect(html).toContain('prefers-color-scheme:dark');
    expect(html).toContain('@media print');

    // the numbers are those that the physics gives, not only numbers
    const text = html
      .replace(/<sup>([^<]*)<\/sup>/g, '^$1')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\u00a0/g, ' ');
    const found = (pattern: RegExp): number => Number((text.match(pattern)?.[1] ?? 'missing').replace('−', '-'));
    expect(found(/measured orders are ([\d.]+) \(fiber\)/)).toBeCloseTo(2, 1);
    expect(found(/([\d.]+) \(fiber, deti-r\)/)).toBeCloseTo(2, 1);
    expect(found(/([\d.]+) \(fiber, backward Euler\)/)).toBeCloseTo(1, 0);
    expect(found(/decays at ([\d.]+) 1\/s for α = 1\/s/)).toBeCloseTo(1, 0);
    expect(found(/and at ([\d.]+) 1\/s for α = 10\/s/)).toBeCloseTo(10, 0);
    // with 50 cuboids, of the 16.266 mm of a converged rod
    expect(found(/U₅ = ([\d.]+) mm/)).toBeCloseTo(14.15, 1);
    expect(found(/paper’s scheme fails after ([\d.]+)/)).toBeLessThan(0.1);
  });

  it('does not overwrite, and stops where it is told', async () => {
    const box = sandbox();
    box.write('report.html', 'mine');
    const refused = await box.run('report', '--quick', '--out', 'report.html');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('--force');
    expect(box.read('report.html')).toBe('mine');

    const { child, finished } = box.start('report', '--out', 'other.html');
    await new Promise((resolve) => child.stderr?.once('data', resolve));
    child.kill('SIGINT');
    const { code, err } = await finished;
    expect(code).toBe(130);
    expect(err).toContain('nothing was written');
    expect(existsSync(`${box.path}/other.html`)).toBe(false);
    expect(readdirSync(box.path)).toEqual(['report.html']);

    expect((await box.run('report')).err).toContain('--out');
    expect((await box.run('report', '--models', 'der,fiber', '--out', 'a.html')).err).toContain(
      '--models needs a scene',
    );
    expect((await box.run('report', '--quick', '--full', '--out', 'a.html')).err).toContain('cannot be combined');
  });
});

describe('report on a scene', () => {
  it('says what is for the paper alone, and which models it cannot compare', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene());
    const { out } = await box.run('report', '--help');
    expect(out.replace(/\s+/g, ' ')).toContain('--quick without a scene: a coarse and short preview');
    const quick = await box.run('report', 'swing.yaml', '--quick', '--out', 'a.html');
    expect(quick).toMatchObject({ code: 2 });
    expect(quick.err).toContain('apply only without a scene');
    const twice = await box.run('report', 'swing.yaml', '--models', 'der,der', '--out', 'a.html');
    expect(twice).toMatchObject({ code: 2 });
    expect(twice.err).toContain("names 2 times 'der'");
    const none = await box.run('report', 'swing.yaml', '--models', '', '--out', 'a.html');
    expect(none).toMatchObject({ code: 2 });
    expect(none.err).toContain('names no model');
    expect(existsSync(`${box.path}/a.html`)).toBe(false);
  });

  it('compares models in shape, energy and equilibrium, and says what they refused', async () => {
    const box = sandbox();
    box.write(
      'swing.yaml',
      scene({ more: 'solver: { cosserat: { gyration: 1 mm } }' }).replace('Swing', '"Swing <b>&</b>"'),
    );
    const { code, out } = await box.run(
      'report',
      'swing.yaml',
      '--models',
      'der,fiber,cosserat',
      '--out',
      'swing.html',
    );
    expect(code).toBe(0);
    expect(out).toContain('swing.html: swing on der, fiber, cosserat');
    expect(readdirSync(box.path).sort()).toEqual(['swing.html', 'swing.yaml']);
    const html = box.read('swing.html');
    expect(html).toContain('<title>Swing &lt;b&gt;&amp;&lt;/b&gt;</title>');
    expect(html).not.toContain('Swing <b>');
    expect(html).not.toMatch(loadedFrom);
    expect(html).not.toMatch(/NaN|undefined|Infinity/);
    expect(unbalanced(html)).toEqual([]);
    expect(html).toMatch(/class="warning refused">cosserat refused: [^<]*gyration/);
    expect(html).toMatch(/Farthest from der comes fiber: by [\d.]+\u00a0% of the longest rod/);
    expect(html).toContain('In time');
    expect(html).toContain('At rest');
    expect(html).toContain('<td class="text">yes</td>');
    // 20 steps of 5 ms
    expect(html).toMatch(/<td class="text">fiber<\/td><td>20<\/td>/);
  });
});

describe('pieces of a page', () => {
  it('escape, and typeset numbers', () => {
    expect(prose('<i>"x" & y')).toBe('&lt;i&gt;&quot;x&quot; &amp; y');
    expect(prose('`a<b` in 3.4e−7')).toBe('<code>a&lt;b</code> in 3.4·10<sup>−7</sup>');
    expect(prose('1e-9, but not abc1e5, `1e-9` nor 2e3x')).toBe(
      '10<sup>−9</sup>, but not abc1e5, <code>1e-9</code> nor 2e3x',
    );
    expect(prose('5 ms and 7 miles')).toBe('5\u00a0ms and 7 miles');
    expect(htmlTable(['<a>', 'b'], [['x', 0.25]])).toContain(
      '<th scope="col" class="text">&lt;a&gt;</th><th scope="col">b</th>',
    );
  });

  it('take the colours of the page', () => {
    const svg = inlineSvg('<svg width="8" height="4" viewBox="0 0 8 4"><path stroke="#1f2933" fill="#123456"/></svg>', [
      ['#123456', '#abcdef'],
    ]);
    expect(svg).toContain('stroke="var(--ink)" fill="var(--h123456)"');
    expect(svg).toContain('--h123456:#abcdef');
    expect(svg).not.toMatch(/<svg[^>]* width=/);
  });

  it('draw logarithmic axes, dots and failures', () => {
    expect(logTicks(1e-3, 1e-2, 's').labels).toEqual(['1 ms', '2 ms', '5 ms', '10 ms']);
    expect(logTicks(3e-5, 2, '').labels).toEqual(['10⁻⁴', '10⁻³', '10⁻²', '0.1', '1']);
    const svg = drawLinePlot({
      title: '',
      x: [],
      xLabel: 'step',
      xUnit: 's',
      xScale: 'log',
      yLabel: 'error',
      yUnit: '',
      yScale: 'log',
      series: [
        { label: 'slope 2', color: '#000001', x: [1e-3, 1e-2, 1e-1], y: [1e-6, 1e-4, 1e-2], dots: true },
        { label: 'fails', color: '#000002', x: [], y: [], failures: [1e-2] },
        { label: 'zero', color: '#000003', x: [1e-3, 1e-2], y: [0, 1e-5], dots: true },
      ],
    });
    expect(svg).not.toMatch(/NaN|Infinity/);
    const dots = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"[^>]*fill="#000001"/g)].map(([, x, y]) => [
      +x,
      +y,
    ]);
    expect(dots).toHaveLength(3);
    // equal ratios are equal distances, and a slope is a straight line
    expect(dots[2][0] - dots[1][0]).toBeCloseTo(dots[1][0] - dots[0][0], 1);
    expect(dots[2][1] - dots[1][1]).toBeCloseTo(dots[1][1] - dots[0][1], 1);
    expect(svg.match(/<circle[^>]*fill="#000003"/g)).toHaveLength(1);
    expect(svg).toContain('>fails</text>');
  });
});
