/** Active contacts between a device's buffers and rows of shared memory (CONTACT_ROW). */
import { CONTACT_SLOTS } from './contactShader.ts';
import { floatAt, type Part, type Parts } from './parts.ts';
import { CONTACT_ROW } from './requests.ts';
import { bufferSlots } from './shader.ts';
import { type Device, type DeviceBuffer, MAP_READ, USAGE } from './webgpu.ts';

/** Where the slots of a part's contacts are, in floats. */
function addressOf({ shader }: Parts): (strand: number, edge: number, slot: number) => number {
  const slots = bufferSlots(shader).contact;
  return (strand, edge, slot) => floatAt(shader.nodes, slots, strand, edge, slot);
}

async function readBuffer(device: Device, from: DeviceBuffer): Promise<Float32Array> {
  const staging = device.createBuffer({ size: from.size, usage: USAGE.COPY_DST | USAGE.MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(from, 0, staging, 0, from.size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(MAP_READ);
  const floats = new Float32Array(staging.getMappedRange().slice(0));
  staging.unmap();
  staging.destroy();
  return floats;
}

/** Calls `visit` with every active contact of a part: strand, edge, place. */
function visitActive(
  parts: Parts,
  part: Part,
  floats: Float32Array,
  visit: (s: number, j: number, c: number) => void,
): void {
  const { nodes, obstacles } = parts.shader;
  const at = addressOf(parts);
  for (let s = 0; s < part.count; s++)
    for (let j = 0; j < nodes - 1; j++) {
      const bits = at(s, j, bufferSlots(parts.shader).contact - 1);
      for (let c = 0; c < 2 * obstacles; c++) if (floats[bits + (c >> 4)] & (1 << (c & 15))) visit(s, j, c);
    }
}

/** Returns how many contacts are active, more than `rows` holds or not. */
export async function readContacts(device: Device, groups: readonly Parts[], rows: Float32Array): Promise<number> {
  let count = 0;
  for (const [g, parts] of groups.entries()) {
    const at = addressOf(parts);
    for (const part of parts.list) {
      const { contacts } = part.buffers;
      if (!contacts) continue;
      const floats = await readBuffer(device, contacts);
      const slice = (o: number, length: number): Float32Array => floats.subarray(o, o + length);
      visitActive(parts, part, floats, (s, j, c) => {
        const slot = (k: number): number => at(s, j, CONTACT_SLOTS * c + k);
        const o = CONTACT_ROW * count++;
        if (o + CONTACT_ROW > rows.length) return;
        rows.set([g, part.first + s, j, c, floats[slot(3) + 3], floats[slot(2) + 3]], o);
        rows.set(slice(slot(1), 3), o + 6);
        rows.set(slice(slot(0), 3), o + 9);
      });
    }
  }
  return count;
}

export function writeContacts(device: Device, groups: readonly Parts[], rows: Float32Array, count: number): void {
  groups.forEach((parts, g) => {
    const at = addressOf(parts);
    for (const { first, count: strands, buffers } of parts.list) {
      if (!buffers.contacts) continue;
      const floats = new Float32Array(buffers.contacts.size / 4);
      for (let k = 0; k < count; k++) {
        const [group, strand, j, c, age, weight, ...vectors] = rows.subarray(CONTACT_ROW * k, CONTACT_ROW * (k + 1));
        const s = strand - first;
        if (group !== g || s < 0 || s >= strands) continue;
        const slot = (n: number): number => at(s, j, CONTACT_SLOTS * c + n);
        const [force, normal] = [vectors.slice(0, 3), vectors.slice(3)];
        floats.set(normal, slot(0));
        floats.set(force, slot(1));
        floats.set([...force, weight], slot(2));
        floats[slot(3) + 3] = age;
        const bits = at(s, j, bufferSlots(parts.shader).contact - 1) + (c >> 4);
        floats[bits] = floats[bits] | (1 << (c & 15));
      }
      device.queue.writeBuffer(buffers.contacts, 0, floats);
    }
  });
}
