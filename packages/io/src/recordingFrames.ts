/** Frames of a recording as bytes: a tag and number, time, energies, rods with their channels, bodies, and a checksum. */
import { type Channel, channelLength, type Energies } from '@tendril-sim/core';
import { align8, getF32, getF64, putF32, putF64, viewOf } from './bytes.ts';
import type { BodyFrame, RecordedRod, RecordingFrame, RecordingHeader, RodFrame } from './recording.ts';

const energyNames = ['kinetic', 'bending', 'twisting', 'stretching', 'potential', 'total'] as const;
const frameFixed = 64;
export const frameTag = 0x4d415246; // FRAM

/** Bytes of every frame of a recording. */
export function frameSizeOf({ rods, bodies = [], precision, channels = [] }: RecordingHeader): number {
  let size = frameFixed + 56 * bodies.length;
  for (const rod of rods) {
    size += 3 * rod.nodeCount * (precision === 'f32' ? 4 : 8) + 12 * rod.edgeCount;
    for (const channel of channels) size += 4 * channelLength(rod, channel);
  }
  return align8(size + 4);
}

/** A frame without its checksum. */
export function encodeFrame(header: RecordingHeader, frame: RecordingFrame, index: number): Uint8Array {
  const putPosition = header.precision === 'f32' ? putF32 : putF64;
  const { channels = [] } = header;
  const out = new Uint8Array(frameSizeOf(header));
  const view = viewOf(out);
  view.setUint32(0, frameTag, true);
  view.setUint32(4, index, true);
  view.setFloat64(8, frame.time, true);
  let offset = putF64(
    out,
    16,
    energyNames.map((name) => frame.energies[name]),
  );
  header.rods.forEach((rod, k) => {
    const { nodePosition, edgeDirector, channels: values = {} } = frame.rods[k];
    checkLength(rod, 'nodePosition', nodePosition, 3 * rod.nodeCount);
    checkLength(rod, 'edgeDirector', edgeDirector, 3 * rod.edgeCount);
    offset = putF32(out, putPosition(out, offset, nodePosition), edgeDirector);
    for (const channel of channels) {
      const value = values[channel];
      checkLength(rod, channel, value, channelLength(rod, channel));
      offset = putF32(out, offset, value);
    }
  });
  header.bodies?.forEach(({ id }, k) => {
    const body = frame.bodies?.[k];
    if (!body) throw new RangeError(`the frame lacks body '${id}'`);
    offset = putF64(out, putF64(out, offset, body.position), body.orientation);
  });
  return out;
}

function checkLength(
  rod: RecordedRod,
  name: string,
  values: Float64Array | undefined,
  length: number,
): asserts values is Float64Array {
  if (values?.length !== length) {
    throw new RangeError(`frame of rod '${rod.id}': ${name} has ${values?.length ?? 'no'} numbers, expected ${length}`);
  }
}

export function decodeFrame(header: RecordingHeader, bytes: Uint8Array): RecordingFrame {
  const energyValues = getF64(bytes, 16, 6);
  const energies: Energies = { kinetic: 0, bending: 0, twisting: 0, stretching: 0, potential: 0, total: 0 };
  energyNames.forEach((name, k) => {
    energies[name] = energyValues[k];
  });
  const single = header.precision === 'f32';
  const { channels: channelNames = [] } = header;
  let offset = frameFixed;
  const take = (count: number, of: 'float64' | 'float32'): Float64Array => {
    const values = of === 'float64' ? getF64(bytes, offset, count) : getF32(bytes, offset, count);
    offset += count * (of === 'float64' ? 8 : 4);
    return values;
  };
  const rods = header.rods.map((rod): RodFrame => {
    const nodePosition = take(3 * rod.nodeCount, single ? 'float32' : 'float64');
    const edgeDirector = take(3 * rod.edgeCount, 'float32');
    const channels: Partial<Record<Channel, Float64Array>> = {};
    for (const channel of channelNames) channels[channel] = take(channelLength(rod, channel), 'float32');
    return { nodePosition, edgeDirector, channels };
  });
  const bodies = header.bodies?.map(
    (): BodyFrame => ({ position: take(3, 'float64'), orientation: take(4, 'float64') }),
  );
  return { time: viewOf(bytes).getFloat64(8, true), rods, ...(bodies && { bodies }), energies };
}

/** A valid checksum shows that the header is as written, not that a recorder wrote it. */
