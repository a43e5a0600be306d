/** Copies active contacts between the buffers of a device and rows of shared memory (CONTACT_ROW). */
import { PAIR_SLOTS } from '../layout.ts';
import { CONTACT_SLOTS } from './contactShader.ts';
import { mateAt, PAIR_BITS, PAIR_BUFFER_SLOTS, PAIR_CONTACT_SLOTS, PAIR_NODE_SLOTS } from './pairLayout.ts';
import { type BatchPart, floatAt, type Parts } from './parts.ts';
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

/** Buffers of contacts with obstacles, and of contacts between strands. */
interface ContactBuffers {
  readonly contacts: Float32Array;
  readonly pairs: Float32Array;
}

/** A vec4f of contact c of an edge. */
function slotOf(parts: Parts, { contacts, pairs }: ContactBuffers, s: number, j: number, c: number) {
  const { nodes, obstacles } = parts.shader;
  const at = addressOf(parts);
  return (k: number): Float32Array => {
    const isPair = c >= 2 * obstacles;
    const o = isPair
      ? floatAt(nodes, PAIR_NODE_SLOTS, s, j, PAIR_CONTACT_SLOTS * (c - 2 * obstacles) + k)
      : at(s, j, CONTACT_SLOTS * c + k);
    return (isPair ? pairs : contacts).subarray(o, o + 4);
  };
}

/** Calls `visit` with every active contact of a part: strand, edge, place. */
function visitActive(
  parts: Parts,
  part: BatchPart,
  floats: Float32Array,
  visit: (s: number, j: number, c: number) => void,
): void {
  const { nodes, obstacles } = parts.shader;
  const at = addressOf(parts);
  for (let s = 0; s < part.count; s++)
    for (let j = 0; j < nodes - 1; j++) {
      const bits = at(s, j, bufferSlots(parts.shader).contact - 1);
      for (let c = 0; c < 2 * obstacles + PAIR_SLOTS; c++)
        if (floats[bits + (c >> 4)] & (1 << (c & 15))) visit(s, j, c);
    }
}

/** A contact in the form of the device; of a pair, with the other strand and edge, and the part of that edge. */
interface DeviceContact {
  readonly normal: ArrayLike<number>;
  readonly force: ArrayLike<number>;
  readonly part: number;
  readonly age: number;
  readonly other: number;
  readonly otherEdge: number;
  readonly otherPart: number;
}

type SlotOf = (k: number) => Float32Array;

function readContact(slot: SlotOf): DeviceContact {
  return {
    normal: slot(0),
    force: slot(1),
    part: slot(2)[3],
    age: slot(3)[3],
    other: -1,
    otherEdge: 0,
    otherPart: 0,
  };
}

/** The word of contact c of an edge with a strand. */
function wordOf({ shader: { nodes, obstacles } }: Parts, pairs: Float32Array, s: number, j: number, c: number) {
  const at = mateAt(s * nodes + j, c - 2 * obstacles, pairs.length / (4 * PAIR_BUFFER_SLOTS));
  return new Uint32Array(pairs.buffer, pairs.byteOffset + 4 * at, 1);
}

function readPair(slot: SlotOf, [bits]: Uint32Array, edges: number): DeviceContact {
  const last = slot(2);
  const other = bits & (2 ** PAIR_BITS.edge - 1);
  return {
    normal: slot(0),
    force: slot(1),
    part: last[0],
    age: (bits >>> PAIR_BITS.state) & 3,
    other: Math.floor(other / edges),
    otherEdge: other % edges,
    otherPart: last[1],
  };
}

function writePair(slot: SlotOf, word: Uint32Array, edges: number, contact: DeviceContact): void {
  const { age, other, otherEdge } = contact;
  const bits = (other * edges + otherEdge) | (age << PAIR_BITS.state) | (1 << PAIR_BITS.isSet);
  slot(0).set(contact.normal);
  slot(1).set(contact.force);
  slot(2).set([contact.part, contact.otherPart, 0, 0]);
  word[0] = bits;
}

/** 1 for the lower edge of a pair, of which forces and normals are stored, −1 for the other. */
function signOf(strand: number, edge: number, other: number, otherEdge: number): number {
  return strand < other || (strand === other && edge < otherEdge) ? 1 : -1;
}

/** Returns the number of active contacts, which may exceed the capacity of `rows`. */
export async function readContacts(device: Device, groups: readonly Parts[], rows: Float32Array): Promise<number> {
  let count = 0;
  for (const [g, parts] of groups.entries()) {
    const { obstacles, nodes } = parts.shader;
    for (const part of parts.list) {
      const { contacts, pairs } = part.buffers;
      if (!contacts) continue;
      const floats = {
        contacts: await readBuffer(device, contacts),
        pairs: pairs ? await readBuffer(device, pairs) : new Float32Array(0),
      };
      visitActive(parts, part, floats.contacts, (s, j, c) => {
        const slot = slotOf(parts, floats, s, j, c);
        const o = CONTACT_ROW * count++;
        if (o + CONTACT_ROW > rows.length) return;
        const isPair = c >= 2 * obstacles;
        const contact = isPair ? readPair(slot, wordOf(parts, floats.pairs, s, j, c), nodes - 1) : readContact(slot);
        const { other, otherEdge } = contact;
        const sign = isPair ? signOf(s, j, other, otherEdge) : 1;
        const signed = (v: ArrayLike<number>): number[] => [sign * v[0], sign * v[1], sign * v[2]];
        rows.set([g, part.first + s, j, isPair ? c - 2 * obstacles : c, contact.age, contact.part], o);
        rows.set([...signed(contact.force), ...signed(contact.normal), other + 1, otherEdge, contact.otherPart], o + 6);
      });
    }
  }
  return count;
}

export function writeContacts(device: Device, groups: readonly Parts[], rows: Float32Array, count: number): void {
  groups.forEach((parts, g) => {
    const at = addressOf(parts);
    const { obstacles, nodes } = parts.shader;
    for (const { first, count: strands, buffers } of parts.list) {
      if (!buffers.contacts) continue;
      const floats = {
        contacts: new Float32Array(buffers.contacts.size / 4),
        pairs: new Float32Array((buffers.pairs?.size ?? 0) / 4),
      };
      for (let k = 0; k < count; k++) {
        const row = rows.subarray(CONTACT_ROW * k, CONTACT_ROW * (k + 1));
        const [group, strand, j, place, age, part] = row;
        const s = strand - first;
        if (group !== g || s < 0 || s >= strands) continue;
        const [other, otherEdge, otherPart] = row.slice(12);
        const isPair = other > 0;
        if (isPair && !buffers.pairs) continue;
        const sign = isPair ? signOf(s, j, other - 1, otherEdge) : 1;
        const c = isPair ? 2 * obstacles + place : place;
        const slot = slotOf(parts, floats, s, j, c);
        const [force, normal] = [row.slice(6, 9), row.slice(9, 12)].map((v) => v.map((x) => sign * x));
        if (isPair)
          writePair(slot, wordOf(parts, floats.pairs, s, j, c), nodes - 1, {
            normal,
            force,
            part,
            age,
            other: other - 1,
            otherEdge,
            otherPart,
          });
        else {
          slot(0).set(normal);
          slot(1).set(force);
          slot(2).set([...force, part]);
          slot(3)[3] = age;
        }
        const bits = at(s, j, bufferSlots(parts.shader).contact - 1) + (c >> 4);
        floats.contacts[bits] = floats.contacts[bits] | (1 << (c & 15));
      }
      device.queue.writeBuffer(buffers.contacts, 0, floats.contacts);
      if (buffers.pairs) device.queue.writeBuffer(buffers.pairs, 0, floats.pairs);
    }
  });
}
