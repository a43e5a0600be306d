/** Contacts in the memory of the kernels as rows of shared memory (CONTACT_ROW), and back. */
import { CONTACT_ROW } from '../gpu/requests.ts';
import { contactFields, countVectors, vectorsBefore } from './description.ts';
import { firstOf, indexOf, type LaneMemory } from './memory.ts';

/** Index of a contact's field, in floats; its components follow at the distance of a vector. */
function placeOf({ contacts, task }: LaneMemory, s: number, j: number, c: number): (field: string) => number {
  const record = (2 * task.obstacles * j + c) * countVectors(contactFields);
  return (field) => indexOf(contacts, s, record + vectorsBefore(contactFields, field));
}

const WIDTHS = [0, 4, 8] as const;

/** Returns how many contacts are active, more than `rows` holds or not. */
export function readRows(groups: readonly LaneMemory[], rows: Float32Array): number {
  let count = 0;
  groups.forEach((memory, group) => {
    const { task, floats } = memory;
    for (let s = 0; s < task.strands.length; s++)
      for (let j = 0; j < task.nodes - 1; j++)
        for (let c = 0; c < 2 * task.obstacles; c++) {
          const at = placeOf(memory, s, j, c);
          const age = floats[at('active')];
          if (age === 0) continue;
          const o = CONTACT_ROW * count++;
          if (o + CONTACT_ROW > rows.length) continue;
          const vector = (field: string): number[] => WIDTHS.map((k) => floats[at(field) + k]);
          rows.set(
            [group, firstOf(task) + s, j, c, age, floats[at('part')], ...vector('force'), ...vector('normal'), 0, 0, 0],
            o,
          );
        }
  });
  return count;
}

/** Replaces all contacts. */
export function writeRows(groups: readonly LaneMemory[], rows: Float32Array, count: number): void {
  for (const { floats, contacts, blocks } of groups)
    floats.fill(0, contacts.first / 4, (contacts.first + blocks * contacts.bytes) / 4);
  for (let k = 0; k < count; k++) {
    const row = rows.subarray(CONTACT_ROW * k, CONTACT_ROW * (k + 1));
    const [group, strand, j, c, age, part] = row;
    const memory = groups[group];
    const { floats, task, blocks } = memory;
    const s = strand - firstOf(task);
    // of another thread
    if (s < 0 || s >= task.strands.length) continue;
    // lanes without a strand of their own repeat the last one
    const last = s === task.strands.length - 1 ? 4 * blocks - 1 : s;
    for (let lane = s; lane <= last; lane++) {
      const at = placeOf(memory, lane, j, c);
      floats[at('active')] = age;
      floats[at('part')] = part;
      WIDTHS.forEach((offset, axis) => {
        floats[at('force') + offset] = floats[at('push') + offset] = row[6 + axis];
        floats[at('normal') + offset] = row[9 + axis];
      });
    }
  }
}
