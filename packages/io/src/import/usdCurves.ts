/**
 * BasisCurves of a .usda file. Linear curves are taken as they are; cubic ones (Bézier, B-spline, Catmull–Rom) are evaluated:
 * at the ends of their pieces, Bézier pieces also twice in between, so that there are about as many points as before.
 */
import { cbrt, cos, pow, sin, square } from '@tendril-sim/core/math';
import { InputError } from '../errors.ts';
import { type Curves, createCurveBuilder } from './curves.ts';
import { decodeText } from './text.ts';
import { compose, determinant, fromQuaternion, identity, type Transform } from './transform.ts';
import { parseUsda, type UsdAttribute, type UsdPrim, type UsdValue } from './usda.ts';

export function readUsdCurves(bytes: Uint8Array, source: string, frame = 0): Curves {
  const magic = String.fromCharCode(...bytes.subarray(0, 8));
  if (magic === 'PXR-USDC' || magic.startsWith('PK'))
    throw new InputError(
      source,
      'this is binary USD, and only its text form is read; convert it: usdcat file.usdc -o file.usda',
    );
  const layer = parseUsda(decodeText(bytes, source, 'a .usda file'), source);
  const out = createCurveBuilder(source);
  const warnings: string[] = [];
  const visit = (prim: UsdPrim, parent: Transform): void => {
    if (prim.specifier === 'class') return;
    const transform = compose(parent, localOf(prim, frame, warnings));
    if (prim.type === 'BasisCurves') addCurves(out, prim, transform, frame, source);
    for (const child of prim.children) visit(child, transform);
  };
  for (const prim of layer.prims) visit(prim, identity);
  if (out.pointCount === 0) throw new InputError(source, 'there are no BasisCurves with points in it');
  if (layer.ignored.size > 0)
    warnings.push(
      `${[...layer.ignored].sort().join(', ')} in it are not followed; flatten the file first: usdcat --flatten`,
    );
  const { metersPerUnit, upAxis } = layer.metadata;
  // what USD says a file means that does not say it
  if (metersPerUnit === undefined)
    warnings.push('the file does not say metersPerUnit: centimetres are assumed, as USD does');
  const unit = typeof metersPerUnit === 'number' && metersPerUnit > 0 ? metersPerUnit : 0.01;
  return out.build({ unit, up: upAxis === 'Z' ? 'z' : 'y', warnings: [...new Set(warnings)] });
}

/** The value at a frame: the nth sample where there are samples, else the value. */
function sampleAt(attribute: UsdAttribute | undefined, frame: number): UsdValue {
  const { samples, value } = attribute ?? {};
  if (!samples || samples.length === 0) return value;
  return (samples.at(frame) ?? samples[frame < 0 ? 0 : samples.length - 1])[1];
}

function numbersOf(prim: UsdPrim, name: string, frame: number): Float64Array | undefined {
  const value = sampleAt(prim.attributes.get(name), frame);
  if (typeof value === 'number') return Float64Array.of(value);
  return value instanceof Float64Array ? value : undefined;
}

function wordOf(prim: UsdPrim, name: string, fallback: string): string {
  const value = prim.attributes.get(name)?.value;
  return typeof value === 'string' ? value : fallback;
}

function addCurves(
  out: ReturnType<typeof createCurveBuilder>,
  prim: UsdPrim,
  m: Transform,
  frame: number,
  source: string,
): void {
  const points = numbersOf(prim, 'points', frame);
  const counts = numbersOf(prim, 'curveVertexCounts', frame);
  if (!points || !counts) return;
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (points.length !== 3 * total || counts.some((count) => !Number.isInteger(count) || count < 0))
    throw new InputError(
      source,
      `BasisCurves "${prim.name}": curveVertexCounts add up to ${total}, and there are ${points.length / 3} points`,
    );
  const widths = numbersOf(prim, 'widths', frame);
  const names = prim.attributes.get('userProperties:rods')?.value;
  const ids = Array.isArray(names) && names.length === counts.length ? (names as string[]) : undefined;
  const type = wordOf(prim, 'type', 'cubic');
  const basis = type === 'linear' ? 'linear' : wordOf(prim, 'basis', 'bezier');
  const wrap = wordOf(prim, 'wrap', 'nonperiodic');
  // world coordinates and radius, four a vertex
  const scale = cbrt(Math.abs(determinant(m)));
  const vertex = new Float64Array(4 * total);
  let first = 0;
  counts.forEach((count, c) => {
    for (let i = first; i < first + count; i++) {
      const [x, y, z] = [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
      for (let k = 0; k < 3; k++) vertex[4 * i + k] = m[k] * x + m[3 + k] * y + m[6 + k] * z + m[9 + k];
      if (!Number.isFinite(x + y + z))
        throw new InputError(source, `BasisCurves "${prim.name}": point ${i} is (${x}, ${y}, ${z}), not a place`);
      vertex[4 * i + 3] = 0.5 * scale * widthAt(widths, i, c, total, counts.length);
    }
    const control = vertex.subarray(4 * first, 4 * (first + count));
    const name = ids?.[c] ?? (counts.length === 1 ? prim.name : `${prim.name}-${c}`);
    out.begin(name, wrap === 'periodic');
    const curve = basis === 'linear' ? control : evaluate(control, basis, wrap);
    for (let i = 0; i < curve.length; i += 4) out.point(curve[i], curve[i + 1], curve[i + 2], curve[i + 3]);
    first += count;
  });
}

/** One value for all, one a curve, or one a vertex; none known: NaN. */
function widthAt(
  widths: Float64Array | undefined,
  vertex: number,
  curve: number,
  vertices: number,
  curves: number,
): number {
  if (!widths) return Number.NaN;
  if (widths.length === 1) return widths[0];
  if (widths.length === vertices) return widths[vertex];
  return widths.length === curves ? widths[curve] : Number.NaN;
}

/** Points of a cubic curve, four numbers per point. */
function evaluate(control: Float64Array, basis: string, wrap: string): number[] {
  const count = control.length / 4;
  const at = (i: number): readonly number[] => Array.from(control.subarray(4 * i, 4 * i + 4));
  let list = Array.from({ length: count }, (_, i) => at(i));
  if (count < 2) return list.flat();
  const mirror = (a: readonly number[], b: readonly number[]): number[] => a.map((value, k) => 2 * value - b[k]);
  if (wrap === 'periodic') list = [...list, ...list.slice(0, basis === 'bezier' ? 1 : 3)];
  else if (wrap === 'pinned' && basis !== 'bezier')
    list = [mirror(list[0], list[1]), ...list, mirror(list[count - 1], list[count - 2])];
  if (list.length < 4) return list.flat();
  const step = basis === 'bezier' ? 3 : 1;
  const weights = basis === 'bezier' ? bezier : basis === 'bspline' ? bspline : catmullRom;
  const parts = basis === 'bezier' ? 3 : 1;
  const out: number[] = [];
  const pieces = Math.floor((list.length - 4) / step) + 1;
  for (let s = 0; s < pieces; s++) {
    const last = s === pieces - 1 && wrap !== 'periodic';
    for (let k = 0; k < parts + (last ? 1 : 0); k++) {
      const w = weights(k / parts);
      for (let c = 0; c < 4; c++) out.push(w.reduce((sum, weight, j) => sum + weight * list[s * step + j][c], 0));
    }
  }
  return out;
}

const bezier = (t: number): number[] => [pow(1 - t, 3), 3 * t * square(1 - t), 3 * t * t * (1 - t), pow(t, 3)];
const bspline = (t: number): number[] => [
  pow(1 - t, 3) / 6,
  (3 * pow(t, 3) - 6 * t * t + 4) / 6,
  (-3 * pow(t, 3) + 3 * t * t + 3 * t + 1) / 6,
  pow(t, 3) / 6,
];
const catmullRom = (t: number): number[] => [
  (-pow(t, 3) + 2 * t * t - t) / 2,
  (3 * pow(t, 3) - 5 * t * t + 2) / 2,
  (-3 * pow(t, 3) + 4 * t * t + t) / 2,
  (pow(t, 3) - t * t) / 2,
];

/** The transform that a prim's operations give, in their order. */
function localOf(prim: UsdPrim, frame: number, warnings: string[]): Transform {
  const order = prim.attributes.get('xformOpOrder')?.value;
  if (!Array.isArray(order)) return identity;
  let out: Transform = identity;
  for (const name of order as string[]) {
    if (name === '!resetXformStack!') {
      warnings.push('resetXformStack in it is not followed');
      continue;
    }
    const inverse = name.startsWith('!invert!');
    const value = numbersOf(prim, inverse ? name.slice(8) : name, frame);
    const kind = name.replace('!invert!', '').split(':')[1];
    const operation = value && !inverse ? operationOf(kind, value) : undefined;
    if (!operation) warnings.push(`the transform ${name} in it is not followed`);
    else out = compose(out, operation);
  }
  return out;
}

function operationOf(kind: string, v: Float64Array): Transform | undefined {
  if (kind === 'translate' && v.length === 3) return [1, 0, 0, 0, 1, 0, 0, 0, 1, v[0], v[1], v[2]];
  if (kind === 'scale' && v.length === 3) return [v[0], 0, 0, 0, v[1], 0, 0, 0, v[2], 0, 0, 0];
  if (kind === 'transform' && v.length === 16)
    return [v[0], v[1], v[2], v[4], v[5], v[6], v[8], v[9], v[10], v[12], v[13], v[14]];
  if (kind === 'orient' && v.length === 4) return fromQuaternion(v[0], v[1], v[2], v[3]);
  const axes = /^rotate([XYZ]{1,3})$/.exec(kind)?.[1];
  if (!axes || v.length !== axes.length) return undefined;
  // the first axis turns first
  let out: Transform = identity;
  for (let k = 0; k < axes.length; k++) {
    const axis = 'XYZ'.indexOf(axes[k]);
    const half = (v[axes.length === 1 ? 0 : axis] * Math.PI) / 360;
    const s = sin(half);
    out = compose(fromQuaternion(cos(half), axis === 0 ? s : 0, axis === 1 ? s : 0, axis === 2 ? s : 0), out);
  }
  return out;
}
