/**
 * Curves of other programs: many at once, in flat arrays, in the unit and axes of their file until `placeCurves` converts them to metres with z up.
 */
import { hypot } from '@tendril-sim/core/math';
import { InputError } from '../errors.ts';

/** Curves of a file, in metres with z up. */
export interface Curves {
  /** 3 per point, one curve after the other. */
  readonly position: Float64Array;
  /** Points of each curve. */
  readonly counts: Uint32Array;
  /** 1 if the last point joins the first. */
  readonly closed: Uint8Array;
  /** One per point, in the unit of the positions; absent if the file has none. */
  readonly radius?: Float64Array;
  /** One per curve, if the file has names. */
  readonly names?: readonly string[];
  /** Metres in a unit of the file; 1 if the file does not say. */
  readonly unit: number;
  /** Which axis is up in the file; absent if the file does not say. */
  readonly up?: UpAxis;
  /** Warnings: what was omitted or assumed. */
  readonly warnings: readonly string[];
}

/** The axis that is up in a file. */
export type UpAxis = 'y' | 'z';

/** Larger files are rejected before they fill the memory. */
export const curveFileLimit: number = 1024 * 1024 * 1024;
/** Maximum number of points per file. */
export const pointLimit = 50_000_000;

export interface CurveBuilder {
  /** Starts a curve; its points follow. */
  begin(name?: string, closed?: boolean): void;
  point(x: number, y: number, z: number, radius?: number): void;
  readonly pointCount: number;
  build(about: Pick<Curves, 'unit' | 'up' | 'warnings'>): Curves;
}

/** Gives points without a radius (NaN) the mean of the others, and returns a warning if there are any. */
function fillWidths(radius: number[]): string[] {
  const missing = radius.filter(Number.isNaN).length;
  if (missing === 0) return [];
  const known = radius.filter((r) => !Number.isNaN(r));
  const mean = known.reduce((sum, r) => sum + r / known.length, 0);
  radius.forEach((r, i) => {
    if (Number.isNaN(r)) radius[i] = mean;
  });
  const width = (2 * mean).toPrecision(3);
  return [`${missing} of ${radius.length} points have no width; they take the mean of the others, ${width} file units`];
}

/** Collects curves whose number is not known beforehand. Curves of fewer than two points are omitted, with a warning. */
export function createCurveBuilder(source: string): CurveBuilder {
  const position: number[] = [];
  const radius: number[] = [];
  const counts: number[] = [];
  const closed: number[] = [];
  const names: string[] = [];
  let hasRadius = false;
  let short = 0;
  const dropShort = (): void => {
    const count = counts[counts.length - 1];
    if (count === undefined || count >= 2) return;
    counts.pop();
    closed.pop();
    names.pop();
    position.length -= 3 * count;
    radius.length -= count;
    short++;
  };
  return {
    begin(name = '', isClosed = false) {
      dropShort();
      counts.push(0);
      closed.push(isClosed ? 1 : 0);
      names.push(name);
    },
    point(x, y, z, r = Number.NaN) {
      if (radius.length >= pointLimit) throw new InputError(source, `more than ${pointLimit} points; import fewer`);
      position.push(x, y, z);
      radius.push(r);
      if (r > 0) hasRadius = true;
      counts[counts.length - 1]++;
    },
    get pointCount() {
      return radius.length;
    },
    build({ unit, up, warnings }) {
      dropShort();
      const all = [...warnings];
      if (short > 0)
        all.push(
          `${short} ${short === 1 ? 'curve has' : 'curves have'} fewer than two points and ${short === 1 ? 'is' : 'are'} left out`,
        );
      if (hasRadius) all.push(...fillWidths(radius));
      return {
        position: Float64Array.from(position),
        counts: Uint32Array.from(counts),
        closed: Uint8Array.from(closed),
        ...(hasRadius && { radius: Float64Array.from(radius) }),
        ...(names.some((name) => name !== '') && { names }),
        unit,
        ...(up && { up }),
        warnings: all,
      };
    },
  };
}

/** Unit and axes of a file. */
export interface Placement {
  /** Metres per unit of the file; overrides what the file says. */
  readonly unit?: number;
  /** Up axis of the file; overrides what the file says. */
  readonly up?: UpAxis;
}

/** The same curves in metres with z up; merges consecutive points that coincide. Throws if no curve is left. */
export function placeCurves(curves: Curves, source: string, placement: Placement = {}): Curves {
  const unit = placement.unit ?? curves.unit;
  const turn = (placement.up ?? curves.up ?? 'z') === 'y';
  const { position: p, radius, counts } = curves;
  const out = createCurveBuilder(source);
  let first = 0;
  let merged = 0;
  for (let c = 0; c < counts.length; c++) {
    out.begin(curves.names?.[c], curves.closed[c] === 1);
    const size = extentOf(p, first, counts[c]);
    let previous = -1;
    for (let i = first; i < first + counts[c]; i++) {
      const o = 3 * i;
      if (previous >= 0 && distance(p, previous, o) <= 1e-9 * size) {
        merged++;
        continue;
      }
      const [x, y, z] = [unit * p[o], unit * p[o + 1], unit * p[o + 2]];
      out.point(x, turn ? -z : y, turn ? y : z, radius === undefined ? undefined : unit * radius[i]);
      previous = o;
    }
    first += counts[c];
  }
  const warnings = [...curves.warnings];
  if (merged > 0) warnings.push(`${merged} points coincide with the one before them and are left out`);
  const doubt = doubtThickness(curves, unit, source);
  if (doubt) warnings.push(doubt);
  const placed = out.build({ unit: 1, up: 'z', warnings });
  if (placed.counts.length === 0) throw new InputError(source, 'there is no curve in it with two points that differ');
  return placed;
}

/** Files of hair alone, and how thick hair can be [m]; other curves may be ropes. */
const hairFiles = /\.(hair|tfx)$/i;
const thickestHair = 1e-3;
const likelyUnits: readonly (readonly [string, number])[] = [
  ['1 cm', 0.01],
  ['1 mm', 1e-3],
  ['1 in', 0.0254],
  ['0.1 mm', 1e-4],
  ['1 um', 1e-6],
];

/** Thickness that hair cannot have, or that is not thin against the length: the unit is likely another. Empty if there is no doubt. */
function doubtThickness({ position: p, counts, radius }: Curves, unit: number, source: string): string {
  if (!radius) return '';
  let [length, thickness, known] = [0, 0, 0];
  for (let c = 0, i = 0; c < counts.length; c++) {
    for (let k = 0; k < counts[c]; k++, i++) {
      if (k > 0) length += distance(p, 3 * (i - 1), 3 * i);
      if (!(radius[i] > 0)) continue;
      thickness += 2 * radius[i];
      known++;
    }
  }
  length /= Math.max(1, counts.length);
  thickness /= Math.max(1, known);
  const isHair = hairFiles.test(source);
  if (!(thickness > 0.1 * length || (isHair && thickness * unit > thickestHair))) return '';
  const show = (metres: number): string =>
    metres >= 1
      ? `${Number(metres.toPrecision(2))} m`
      : metres >= 0.01
        ? `${Number((100 * metres).toPrecision(2))} cm`
        : `${Number((1e3 * metres).toPrecision(2))} mm`;
  const said = `the curves are ${show(thickness * unit)} thick and ${show(length * unit)} long`;
  const fits = likelyUnits.find(
    ([, one]) => thickness * one >= 2e-5 && thickness * one <= 3e-4 && length * one >= 5e-3 && length * one <= 3,
  );
  if (fits)
    return `${said}; with unit ${fits[0]} they would be ${show(thickness * fits[1])} thick and ${show(length * fits[1])} long`;
  return `${said}; give a section of the right thickness, such as { type: circle, radius: 0.04 mm }`;
}

function distance(p: Float64Array, a: number, b: number): number {
  return hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2]);
}

/** Largest side of the box around the points of a curve. */
function extentOf(p: Float64Array, first: number, count: number): number {
  let most = 0;
  for (let k = 0; k < 3; k++) {
    let [low, high] = [Infinity, -Infinity];
    for (let i = first; i < first + count; i++) {
      low = Math.min(low, p[3 * i + k]);
      high = Math.max(high, p[3 * i + k]);
    }
    most = Math.max(most, high - low);
  }
  return most;
}

/**
 * Joins segments that share vertices into chains: programs that know no polylines write pairs. A chain ends where a
 * vertex has one segment or more than two; what has no end is closed.
 */
export function chainSegments(
  segments: ArrayLike<number>,
): { readonly vertices: number[]; readonly closed: boolean }[] {
  const at = new Map<number, number[]>();
  const count = segments.length >> 1;
  for (let s = 0; s < count; s++) {
    for (const vertex of [segments[2 * s], segments[2 * s + 1]]) {
      const list = at.get(vertex);
      if (list) list.push(s);
      else at.set(vertex, [s]);
    }
  }
  const used = new Uint8Array(count);
  const walk = (start: number, segment: number): number[] => {
    const vertices = [start];
    let [vertex, s] = [start, segment];
    for (;;) {
      used[s] = 1;
      vertex = segments[2 * s] === vertex ? segments[2 * s + 1] : segments[2 * s];
      vertices.push(vertex);
      const here = at.get(vertex) as number[];
      const next = here.length === 2 ? here.find((other) => used[other] === 0) : undefined;
      if (next === undefined || vertex === start) return vertices;
      s = next;
    }
  };
  const out: { vertices: number[]; closed: boolean }[] = [];
  // open chains first, from the end that the file names first
  for (let s = 0; s < count; s++) {
    if (used[s] || segments[2 * s] === segments[2 * s + 1]) continue;
    const start = [segments[2 * s], segments[2 * s + 1]].find((vertex) => at.get(vertex)?.length !== 2);
    if (start !== undefined) out.push({ vertices: walk(start, s), closed: false });
  }
  for (let s = 0; s < count; s++) {
    if (used[s] || segments[2 * s] === segments[2 * s + 1]) continue;
    const vertices = walk(segments[2 * s], s);
    const closed = vertices.length > 3 && vertices[0] === vertices[vertices.length - 1];
    out.push({ vertices: closed ? vertices.slice(0, -1) : vertices, closed });
  }
  return out;
}
