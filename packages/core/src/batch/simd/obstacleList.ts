/**
 * Contacts with obstacles of strands that touch strands, in the list of pairs (pairList.ts) during the iterations of a step: all contacts of a strand
 * follow the same law, and reach Newton's iteration as the same three loads per edge. They take the records behind those of the pairs.
 */
import { contactFields, countVectors, vectorsBefore } from './description.ts';
import { indexOf, type LaneMemory, restingNode } from './memory.ts';
import { AT, type PairList, placeOf, reserveRecords } from './pairList.ts';

const RECORD = countVectors(contactFields);
const offsetOf = (name: string): number => 4 * vectorsBefore(contactFields, name);
const ACTIVE = offsetOf('active');
const FORCE = offsetOf('force');
/** Numbers that a contact of the list takes from the strand's: from, to. */
const copied: readonly (readonly [from: number, to: number])[] = (
  [
    ['part', 'partLow', 1],
    ['normal', 'normal', 3],
    ['closing', 'closing', 3],
    ['friction', 'friction', 1],
    ['force', 'force', 3],
    ['stiffness', 'stiffness', 1],
  ] as const
).flatMap(([from, to, count]) =>
  Array.from({ length: count }, (_, k) => [offsetOf(from) + 4 * k, AT[to] + 4 * k] as const),
);

/** Contacts with obstacles in the list, from the contact `first` of the list on. */
export interface ListedObstacles {
  readonly first: number;
  /** Index of the first number of each in its strand's memory, and whether it is new (Contact.active). */
  readonly places: number[];
  readonly ages: number[];
}

/** Fills lanes from contact k of the list to the end of its record with a contact that does nothing. */
export function fillRecord({ memory }: PairList, k: number): void {
  const { floats, pairs, task } = memory;
  const words = new Int32Array(floats.buffer);
  for (let n = k; (n & 3) !== 0; n++) {
    const o = pairs.list / 4 + placeOf(n);
    for (let at = 0; at < AT.near; at += 4) floats[o + at] = 0;
    floats[o + AT.stiffness] = 1;
    words[o + AT.low] = words[o + AT.high] = restingNode(task);
  }
}

/** Appends the active contacts with obstacles of the chosen strands, which do not have them themselves until `returnObstacles`. */
export function takeObstacles(list: PairList, strands: readonly number[]): ListedObstacles {
  const { memory, count } = list;
  const { task, contacts, pairs } = memory;
  const first = 4 * Math.ceil(count / 4);
  const [places, ages, nodes, radii]: number[][] = [[], [], [], []];
  const perEdge = 2 * task.obstacles;
  for (const s of strands)
    for (let j = 0; j < task.nodes - 1; j++)
      for (let c = 0; c < perEdge; c++) {
        const from = indexOf(contacts, s, (perEdge * j + c) * RECORD);
        const age = memory.floats[from + ACTIVE];
        if (age === 0) continue;
        places.push(from);
        ages.push(age);
        nodes.push(task.nodes * s + j);
        radii.push(task.strands[s].contact?.radius[j] ?? 0);
      }
  reserveRecords(memory, first + places.length);
  const { floats } = memory;
  const words = new Int32Array(floats.buffer);
  places.forEach((from, n) => {
    const o = pairs.list / 4 + placeOf(first + n);
    for (const [source, to] of copied) floats[o + to] = floats[from + source];
    [words[o + AT.low], words[o + AT.high]] = [nodes[n], restingNode(task)];
    floats[o + AT.both] = floats[o + AT.partHigh] = 0;
    floats[o + AT.sum] = 2 * radii[n];
    floats[from + ACTIVE] = 0;
  });
  fillRecord(list, count);
  fillRecord(list, first + places.length);
  return { first, places, ages };
}

/** Gives the contacts back to their strands, with their forces. */
export function returnObstacles(
  { memory }: { readonly memory: LaneMemory },
  { first, places, ages }: ListedObstacles,
): void {
  const { floats, pairs } = memory;
  places.forEach((to, n) => {
    const o = pairs.list / 4 + placeOf(first + n) + AT.force;
    floats[to + ACTIVE] = ages[n];
    for (let k = 0; k < 12; k += 4) floats[to + FORCE + k] = floats[o + k];
  });
}
