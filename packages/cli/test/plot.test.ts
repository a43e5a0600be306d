import { Resvg } from '@resvg/resvg-js';
import { describe, expect, it } from 'vitest';
import { mix, ramp } from '../src/plot/color.ts';
import { drawEnergies } from '../src/plot/energies.ts';
import { drawLinePlot } from '../src/plot/lines.ts';
import type { PictureObstacle } from '../src/plot/obstacles.ts';
import { drawPicture, type Picture, spreadFrames } from '../src/plot/picture.ts';
import { renderPng } from '../src/plot/png.ts';
import { createRelief } from '../src/plot/relief.ts';
import { choosePrefix, formatQuantity, formatTicks, niceFloor, niceTicks } from '../src/plot/scale.ts';
import { drawShapes } from '../src/plot/shapes.ts';
import { escapeXml, fitText, num, textWidth } from '../src/plot/svg.ts';
import { chooseView, cross, principalAxes, project, type Vector } from '../src/plot/view.ts';

const times = Array.from({ length: 41 }, (_, k) => k * 0.05);

function curve(nodes: number, at: (u: number) => Vector): Float64Array {
  return Float64Array.from({ length: 3 * nodes }, (_, i) => at(Math.floor(i / 3) / (nodes - 1))[i % 3]);
}

/** A pendulum-like swing in the plane y = 0. */
function swing(): Picture {
  const frames = times.map((t) => curve(21, (u) => [u * Math.cos(t), 0, -u * Math.sin(t)]));
  return {
    title: 'A <swing> & more',
    rods: [{ id: 'rod', closed: false, radius: new Float64Array(20).fill(0.004), frames }],
    times,
    gravity: [0, 0, -9.81],
    pins: [{ rod: 0, node: 0, kind: 'clamp' }],
  };
}

function crowd(count: number): Picture {
  const rods = Array.from({ length: count }, (_, k) => ({
    id: `h${k}`,
    closed: false,
    radius: new Float64Array(10).fill(1e-4),
    frames: [0, 1].map((f) =>
      curve(11, (u) => [Math.cos(k) * (1 + u), Math.sin(k) * (1 + u), 0.3 * Math.sin(k * 2) - f * u * u]),
    ),
  }));
  return { title: 'Crowd', rods, times: [0, 1], gravity: [0, 0, -9.81] };
}

describe('ticks and quantities', () => {
  it('places ticks at round numbers inside the range', () => {
    expect(niceTicks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6000000000000001, 0.8, 1]);
    expect(niceTicks(-3.2, 7.9, 6).every((tick) => tick % 2 === 0 && tick >= -3.2 && tick <= 7.9)).toBe(true);
    expect(niceTicks(1, 1, 5)).toEqual([1]);
  });

  it('writes ticks with equal decimals and a true minus', () => {
    expect(formatTicks([-0.002, -0.001, 0], 1e-3)).toEqual(['−2', '−1', '0']);
    expect(formatTicks([0, 0.5, 1])).toEqual(['0.0', '0.5', '1.0']);
  });

  it('chooses prefixes', () => {
    expect(choosePrefix(0.02).symbol).toBe('m');
    expect(choosePrefix(0).symbol).toBe('');
    expect(formatQuantity(0.0123456, 'm')).toBe('12.3 mm');
    expect(formatQuantity(1e3, 'Pa')).toBe('1 kPa');
    expect(niceFloor(0.73)).toBeCloseTo(0.5, 12);
    expect(niceFloor(0.2)).toBeCloseTo(0.2, 12);
  });
});

describe('svg text', () => {
  it('escapes what XML forbids', () => {
    expect(escapeXml('a<b & "c"\u0001')).toBe('a&lt;b &amp; &quot;c&quot;');
    expect(num(-0.001)).toBe('0');
  });

  it('measures and cuts text', () => {
    expect(textWidth('iii', 10)).toBeLessThan(textWidth('WWW', 10));
    const cut = fitText('a very long title that cannot fit', 80, 11);
    expect(cut.endsWith('…')).toBe(true);
    expect(textWidth(cut, 11)).toBeLessThanOrEqual(80);
  });

  it('mixes colours at the ends exactly', () => {
    expect(mix('#123456', '#abcdef', 0)).toBe('#123456');
    expect(mix('#123456', '#abcdef', 1)).toBe('#abcdef');
    expect(ramp(0, 0)).not.toBe(ramp(0, 1));
  });
});

describe('the view', () => {
  it('finds the principal axes of a flat cloud', () => {
    const { axes, spread } = principalAxes([curve(101, (u) => [3 * Math.cos(6.2832 * u), 0, Math.sin(6.2832 * u)])]);
    expect(Math.abs(axes[0][0])).toBeCloseTo(1, 6);
    expect(Math.abs(axes[2][1])).toBeCloseTo(1, 6);
    expect(spread[2]).toBeCloseTo(0, 9);
  });

  it('looks square on at what moves in an upright plane, up against gravity', () => {
    const view = chooseView(swing().rods[0].frames, { gravity: [0, 0, -9.81] });
    expect(view.planar).toBe(true);
    expect(view.up[2]).toBeCloseTo(1, 9);
    expect(view.right[0]).toBeCloseTo(1, 9);
  });

  it('keeps up up where gravity is along another axis', () => {
    const view = chooseView([curve(50, (u) => [Math.cos(9 * u), 4 * u, Math.sin(9 * u)])], { gravity: [0, -9.81, 0] });
    expect(view.planar).toBe(false);
    expect(view.up[1]).toBeGreaterThan(0.8);
    expect(view.right[1]).toBeCloseTo(0, 9);
  });

  it('is a rotation, for lines, points, planes and helices alike', () => {
    const clouds = [
      curve(10, (u) => [0, 0, u]),
      curve(10, (u) => [u, u, 0]),
      curve(10, () => [1, 2, 3]),
      curve(40, (u) => [Math.cos(6 * u), Math.sin(6 * u), 0]),
      curve(40, (u) => [Math.cos(20 * u), Math.sin(20 * u), u]),
    ];
    for (const cloud of clouds) {
      for (const options of [
        {},
        { gravity: [0, 0, -9.81] as Vector },
        { oblique: true },
        { gravity: [-1, 0, 0] as Vector },
      ]) {
        const { right, up, towards } = chooseView([cloud], options);
        const third = cross(right, up);
        for (let k = 0; k < 3; k++) expect(third[k]).toBeCloseTo(towards[k], 9);
        expect(Math.hypot(...right)).toBeCloseTo(1, 9);
        const flat = project({ right, up, towards, planar: true }, cloud);
        expect(flat.every(Number.isFinite)).toBe(true);
      }
    }
  });
});

describe('pictures', () => {
  it('spreads overlaid frames evenly, first and last included', () => {
    expect(spreadFrames(101, 9)).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    expect(spreadFrames(1, 9)).toEqual([0]);
    expect(spreadFrames(2, 9)).toEqual([0, 1]);
    const some = spreadFrames(1000, 9);
    expect(some[0]).toBe(0);
    expect(some.at(-1)).toBe(999);
  });

  it('writes the same text for the same data', () => {
    expect(drawPicture(swing())).toBe(drawPicture(swing()));
    expect(drawPicture(crowd(80))).toBe(drawPicture(crowd(80)));
  });

  it('escapes titles, and never writes NaN', () => {
    for (const picture of [
      swing(),
      crowd(3),
      crowd(80),
      { ...swing(), times: [0], rods: [{ ...swing().rods[0], frames: [swing().rods[0].frames[0]] }] },
    ]) {
      const svg = drawPicture(picture);
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      expect(svg.startsWith('<svg')).toBe(true);
    }
    expect(drawPicture(swing())).toContain('A &lt;swing&gt; &amp; more');
  });

  it('survives rods without extent', () => {
    const point = curve(3, () => [1, 1, 1]);
    const svg = drawPicture({
      title: 'p',
      rods: [{ id: 'p', closed: false, radius: [0, 0], frames: [point, point] }],
      times: [0, 1],
    });
    expect(svg).not.toMatch(/NaN|Infinity/);
  });

  it('keeps a crowd of a thousand below five megabytes', () => {
    expect(drawPicture(crowd(1000)).length).toBeLessThan(5e6);
  });

  it('renders a PNG of twice the size', () => {
    const png = renderPng(drawPicture(swing()));
    expect([...png.slice(1, 4)]).toEqual([0x50, 0x4e, 0x47]);
    expect(new DataView(png.buffer, png.byteOffset).getUint32(16)).toBe(1720);
  });
});

describe('line plots', () => {
  const wave = times.map((t) => 1e-3 * Math.sin(t));
  const zero = times.map(() => 0);
  const energies = {
    kinetic: wave,
    bending: wave.map((w) => -w),
    twisting: zero,
    stretching: zero,
    potential: zero,
    total: wave,
  };

  it('names axes with their prefix and negligible curves in words', () => {
    const svg = drawEnergies({ title: 'E', x: times, energies });
    expect(svg).toContain('energy [mJ]');
    expect(svg).toContain('time [s]');
    expect(svg).toContain('potential, twisting, stretching: zero throughout');
    expect(svg).not.toMatch(/NaN|Infinity/);
    expect(drawEnergies({ title: 'E', x: times, energies })).toBe(svg);
  });

  it('keeps the peaks of long series', () => {
    const x = Array.from({ length: 100_000 }, (_, k) => k);
    const y = x.map((k) => (k === 51_234 ? 1 : 0));
    const svg = drawLinePlot({
      title: 't',
      x,
      xLabel: 'x',
      xUnit: '',
      yLabel: 'y',
      yUnit: '',
      series: [{ label: 'y', color: '#000000', y }],
    });
    const spike = drawLinePlot({
      title: 't',
      x,
      xLabel: 'x',
      xUnit: '',
      yLabel: 'y',
      yUnit: '',
      series: [{ label: 'y', color: '#000000', y: x.map(() => 0) }],
    });
    expect(svg).not.toBe(spike);
    expect(svg.length).toBeLessThan(200_000);
  });

  it('marks critical points and unstable ranges', () => {
    const svg = drawEnergies({
      title: 'E',
      x: times,
      energies,
      marks: [{ x: 1, label: 'critical: 1' }],
      bands: [{ from: 1, to: 2, label: 'unstable' }],
    });
    expect(svg).toContain('critical: 1');
    expect(svg).toContain('unstable');
  });

  it('draws a constant and a single point without fuss', () => {
    for (const x of [[0], [0, 1]]) {
      const y = x.map(() => 5);
      const svg = drawLinePlot({
        title: 't',
        x,
        xLabel: 'x',
        xUnit: 's',
        yLabel: 'y',
        yUnit: 'J',
        series: [{ label: 'y', color: '#000000', y }],
      });
      expect(svg).not.toMatch(/NaN|Infinity/);
    }
  });
});

describe('mode shapes', () => {
  const position = curve(11, (u) => [u, 0, 0]);
  const edges = new Float64Array(30).map((_, i) => (i % 3 === 0 ? 1 : 0));
  const director = new Float64Array(30).map((_, i) => (i % 3 === 2 ? 1 : 0));
  const rod = { id: 'r', closed: false, position, tangent: edges, director, radius: new Float64Array(10).fill(0.01) };
  const bend = {
    rod: 0,
    frequency: 3,
    nodeDisplacement: curve(11, (u) => [0, 0, u * u]),
    edgeTwist: new Float64Array(10),
  };
  const twist = {
    rod: 0,
    frequency: 90,
    nodeDisplacement: new Float64Array(33),
    edgeTwist: new Float64Array(10).map((_, j) => j / 9),
  };

  it('draws bending, twisting and unstable modes', () => {
    const svg = drawShapes({ title: 'modes', rods: [rod], shapes: [{ ...bend, frequency: -1 }, bend, twist] });
    expect(svg).toContain('unstable, grows at');
    expect(svg).toContain('90 Hz');
    expect(svg).not.toMatch(/NaN|Infinity/);
    expect(drawShapes({ title: 'modes', rods: [rod], shapes: [{ ...bend, frequency: -1 }, bend, twist] })).toBe(svg);
  });
});

describe('obstacles', () => {
  // a unit tetrahedron, its faces seen from outside
  const corners = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1];
  const triangle = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
  const solid = { position: corners, triangle };
  const rod = {
    id: 'rod',
    closed: false,
    radius: [0.01, 0.01, 0.01],
    frames: [[0, 0, 2, 1, 0.3, 2.4, 0.3, 1, 2.6, 0, 0, 2.2]],
  };
  const draw = (obstacles: readonly { position: readonly number[]; triangle: readonly number[] }[]): string =>
    drawPicture({ title: 't', rods: [rod], times: [0], gravity: [0, 0, -1], obstacles });

  /** A ball of radius 1 about the origin; its poles and its seam are corners more than once. */
  const ball = (rings: number): { position: number[]; triangle: number[] } => {
    const out = { position: [] as number[], triangle: [] as number[] };
    const row = 2 * rings + 1;
    for (let i = 0; i <= rings; i++) {
      for (let k = 0; k < row; k++) {
        const [polar, turn] = [(Math.PI * i) / rings, (Math.PI * k) / rings];
        out.position.push(Math.sin(polar) * Math.cos(turn), Math.sin(polar) * Math.sin(turn), Math.cos(polar));
        if (i === rings || k + 1 === row) continue;
        const [a, b] = [i * row + k, (i + 1) * row + k];
        out.triangle.push(a, b, b + 1, a, b + 1, a + 1);
      }
    }
    return out;
  };
  const pixelsOf = (svg: string, wanted: (red: number, green: number, blue: number) => boolean): number => {
    const { pixels } = new Resvg(svg, { font: { loadSystemFonts: false } }).render();
    let count = 0;
    for (let i = 0; i < pixels.length; i += 4) if (wanted(pixels[i], pixels[i + 1], pixels[i + 2])) count++;
    return count;
  };
  const isBlue = (red: number, _: number, blue: number): boolean => blue - red > 60;
  /** A straight rod along x at a distance from the ball, which the page looks at along y. */
  const across = (half: number, y: number, obstacle: Partial<PictureObstacle> = {}): number =>
    pixelsOf(
      drawPicture({
        title: 't',
        rods: [
          {
            id: 'rod',
            closed: false,
            radius: new Float64Array(20).fill(0.02),
            frames: [curve(21, (u) => [half * (2 * u - 1), y, 0])],
          },
        ],
        times: [0],
        gravity: [0, 0, -1],
        stage: [[-3, 0, 0, 3, 0, 0]],
        obstacles: y === 0 ? [] : [{ ...ball(12), ...obstacle }],
      }),
      isBlue,
    );

  it('hide a rod behind them and not one before them', () => {
    const bare = across(0.8, 0);
    expect(bare).toBeGreaterThan(500);
    expect(across(0.8, -1.5) / bare).toBeGreaterThan(0.95);
    expect(across(0.8, 1.5)).toBe(0);
    // a rod inside a solid is hidden, inside a vessel it is seen
    expect(across(0.5, 0.1)).toBe(0);
    expect(across(0.5, 0.1, { hollow: true })).toBeGreaterThan(300);
    // one that sticks out on both sides is cut at the outline
    expect(across(2.8, 1.5) / across(2.8, -1.5)).toBeCloseTo(1.8 / 2.8, 1);
  });

  it('are round where faces meet at small angles, and seen from both sides where they are open', () => {
    const clip = [0, 0, 100, 100] as const;
    const onPage = (position: readonly number[]): Float64Array =>
      Float64Array.from(position, (x, i) => (i % 3 === 2 ? 40 * x : 50 + (i % 3 === 0 ? 40 : -40) * x));
    const { position, triangle } = ball(12);
    const relief = createRelief([{ position: onPage(position), triangle }], clip);
    for (let k = 0; k < 48; k++) {
      const [x, y] = [Math.cos(0.131 * k), Math.sin(0.131 * k)];
      // the middle of an edge of the mesh is at 39.66
      expect(relief?.nearest(50 + 39.75 * x, 50 + 39.75 * y)).toBeGreaterThan(-Infinity);
      expect(relief?.nearest(50 + 40.25 * x, 50 + 40.25 * y)).toBe(-Infinity);
      expect(Math.abs((relief?.nearest(50 + 20 * x, 50 + 20 * y) ?? 0) - Math.sqrt(1200))).toBeLessThan(0.2);
    }
    // a sheet that turns its back is there all the same, a box has no corner rounded off
    const sheet = onPage([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]);
    for (const faces of [
      [0, 1, 2, 0, 2, 3],
      [0, 2, 1, 0, 3, 2],
    ])
      expect(createRelief([{ position: sheet, triangle: faces }], clip)?.nearest(50, 50)).toBe(0);
    expect(createRelief([{ position: sheet, triangle: [0, 1, 2, 0, 2, 3] }], clip)?.nearest(89.9, 89.9)).toBe(0);
    expect(createRelief([], clip)).toBeUndefined();
  });

  it('stand on a ground that has no edge, and hides what is under it', () => {
    const plane = { position: [-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0], triangle: [0, 1, 2, 0, 2, 3], endless: true };
    const wavy = (z: number): Picture => ({
      title: 't',
      rods: [
        {
          id: 'rod',
          closed: false,
          radius: new Float64Array(20).fill(0.02),
          frames: [curve(21, (u) => [u, Math.sin(7 * u), z + 0.2 * u])],
        },
      ],
      times: [0],
      gravity: [0, 0, -1],
      obstacles: [plane],
    });
    const [over, under] = [0.1, -0.5].map((z) => pixelsOf(drawPicture(wavy(z)), isBlue));
    expect(over).toBeGreaterThan(500);
    expect(under).toBeLessThan(0.5 * over);
    expect(drawPicture(wavy(0.1))).not.toMatch(/NaN|Infinity|undefined/);
    // off the page: the renderer would abort the process
    expect(drawPicture(wavy(0.1))).toContain('id="ground"');
    expect(drawPicture(wavy(40))).not.toContain('id="ground"');
  });

  it('turn the page to where they are widest', () => {
    const clouds = [curve(50, (u) => [Math.cos(9 * u), 1.1 * Math.sin(9 * u), u])];
    const shoulders = [[-3, 0, 0, 3, 0, 0]];
    const gravity: Vector = [0, 0, -9.81];
    expect(Math.abs(chooseView(clouds, { gravity }).right[0])).toBeLessThan(0.6);
    expect(Math.abs(chooseView(clouds, { gravity, around: shoulders }).right[0])).toBeGreaterThan(0.75);
  });

  it('do not turn the page of a film when they move', () => {
    const shoot = (x: number, around?: readonly number[][]): string | undefined => {
      const moved = { ...solid, position: corners.map((one, i) => (i % 3 === 1 ? 3 * one + x : one)) };
      const stage = [[-4, -1, 2, 4, 2, 3, 0, 2, 0, 0, -2, 1]];
      const svg = drawPicture({
        title: 't',
        rods: [rod],
        times: [0],
        gravity: [0, 0, -1],
        obstacles: [moved],
        stage,
        around,
      });
      // where axes and scale bar are drawn
      return svg.slice(svg.indexOf('<line'));
    };
    const around = [[0, -9, 0, 1, 9, 1]];
    expect(shoot(-6, around)).toBe(shoot(6, around));
    expect(shoot(-6)).not.toBe(shoot(6));
  });

  it('have room on the page unless they dwarf what moves', () => {
    const scaleOf = (picture: string): string => />([\d.]+ m?m)</.exec(picture)?.[1] ?? '';
    expect(scaleOf(draw([solid]))).not.toBe(scaleOf(draw([])));
    const huge = { position: corners.map((x) => 100 * x), triangle };
    expect(scaleOf(draw([huge]))).toBe(scaleOf(draw([])));
  });
});
