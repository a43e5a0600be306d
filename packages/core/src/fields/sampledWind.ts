/**
 * Wind given by velocities on a regular grid, at one or several instants, such as from a fluid solver.
 *
 * Interpolation is trilinear in space: exact for fields that are linear in each coordinate, otherwise of second order in the spacing. All interpolation has the form
 * a + w·(b − a), so samples that are all equal give a uniform wind to the last bit. Still air outside is a padding of the grid by zeros: the wind
 * falls to zero within one spacing, because steps would not converge across a jump in space.
 */
import type { PackedNumbers, SampledWindSpec } from '../scene/types.ts';
import type { Wind } from './wind.ts';

/** The numbers of a list or of packed bytes. The caller has checked the base64. */
export function unpackNumbers(values: readonly number[] | PackedNumbers): ArrayLike<number> {
  if (Array.isArray(values)) return values;
  const packed = values as PackedNumbers;
  const isSingle = 'float32' in packed;
  const letters = atob(isSingle ? packed.float32 : packed.float64);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  const size = isSingle ? 4 : 8;
  const count = Math.floor(bytes.length / size);
  const out = isSingle ? new Float32Array(count) : new Float64Array(count);
  for (let i = 0; i < count; i++) out[i] = isSingle ? view.getFloat32(4 * i, true) : view.getFloat64(8 * i, true);
  return out;
}

/** Instants of the frames [s]; empty if the wind is steady. */
export function frameTimes({ times, count }: SampledWindSpec, size: number): readonly number[] {
  if (times === undefined) return [];
  if (Array.isArray(times)) return times;
  const { from = 0, every } = times as { readonly from?: number; readonly every: number };
  const frames = Math.floor(size / (3 * count[0] * count[1] * count[2]));
  return Array.from({ length: frames }, (_, k) => from + k * every);
}

/** Four successive frames (indices into the values) and how much the others weigh beside the second one. */
interface Mix {
  readonly offset: [number, number, number, number];
  readonly weight: [number, number, number, number];
}

/** Writes the mix of frames at t. */
type Mixer = (out: Mix, t: number) => void;

function createMixer(times: readonly number[], frameSize: number, isSmooth: boolean): Mixer {
  const last = times.length - 1;
  const at = (k: number): number => frameSize * Math.min(Math.max(k, 0), Math.max(last, 0));
  return (out, t) => {
    let k = 0;
    while (k < last && times[k + 1] <= t) k++;
    for (let i = 0; i < 4; i++) {
      out.offset[i] = at(k - 1 + i);
      out.weight[i] = 0;
    }
    if (k >= last || t <= times[0]) return;
    const h = times[k + 1] - times[k];
    const w = (t - times[k]) / h;
    if (!isSmooth) {
      out.weight[2] = w;
      return;
    }
    // cubic Hermite with three-point slopes, at rest at the first and last frame
    out.weight[2] = w * w * (3 - 2 * w);
    const rise = w * (1 - w) * (1 - w);
    const fall = w * w * (w - 1);
    if (k > 0) {
      const before = times[k] - times[k - 1];
      const total = before + h;
      out.weight[0] -= (rise * h * h) / (before * total);
      out.weight[2] += (rise * before) / total;
    }
    if (k + 1 < last) {
      const after = times[k + 2] - times[k + 1];
      const total = h + after;
      // slope at k + 1, in units of 1/h: (v2 − v1)·after/total + (v3 − v2)·h²/(after·total)
      out.weight[2] += fall * (after / total - (h * h) / (after * total));
      out.weight[3] += (fall * h * h) / (after * total);
    }
  };
}

/** Adds its velocity to `out`. Values must have been checked. */
export function createSampledWind(spec: SampledWindSpec): Wind {
  const { origin, spacing, count, outside, interpolation = 'linear' } = spec;
  const values = unpackNumbers(spec.values);
  const steps = typeof spacing === 'number' ? [spacing, spacing, spacing] : spacing;
  const strides = [3, 3 * count[0], 3 * count[0] * count[1]];
  const mixFrames = createMixer(frameTimes(spec, values.length), strides[2] * count[2], interpolation === 'smooth');
  const mix: Mix = { offset: [0, 0, 0, 0], weight: [0, 0, 0, 0] };
  let instant = Number.NaN;
  // the cell: first corner, step to the next corner along each axis, place within
  const step = new Int32Array(3);
  const w = new Float64Array(3);
  const place = new Float64Array(3);

  const inFrame = (at: number): number => {
    const y = at + step[1];
    const z = at + step[2];
    const yz = y + step[2];
    const a = along(at);
    const c = along(z);
    const low = a + w[1] * (along(y) - a);
    const high = c + w[1] * (along(yz) - c);
    return low + w[2] * (high - low);
  };
  const along = (at: number): number => {
    const a = values[at];
    return a + w[0] * (values[at + step[0]] - a);
  };
  return (out, x, y, z, t) => {
    if (t !== instant) {
      mixFrames(mix, t);
      instant = t;
    }
    place[0] = x;
    place[1] = y;
    place[2] = z;
    let first = 0;
    let fade = 1;
    for (let axis = 0; axis < 3; axis++) {
      const last = count[axis] - 1;
      step[axis] = 0;
      w[axis] = 0;
      if (last === 0) continue;
      const exact = (place[axis] - origin[axis]) / steps[axis];
      const q = Math.min(Math.max(exact, 0), last);
      if (outside === 'still') fade *= Math.max(0, 1 - Math.abs(exact - q));
      const cell = Math.min(Math.floor(q), last - 1);
      first += strides[axis] * cell;
      step[axis] = strides[axis];
      w[axis] = q - cell;
    }
    for (let k = 0; k < 3 && fade !== 0; k++) {
      const base = inFrame(first + k + mix.offset[1]);
      let v = base;
      for (let i = 0; i < 4; i++) {
        if (mix.weight[i] !== 0) v += mix.weight[i] * (inFrame(first + k + mix.offset[i]) - base);
      }
      out[k] += fade * v;
    }
  };
}
