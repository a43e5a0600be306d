/**
 * Contacts between strands on the device, in one buffer of vec4u with four parts:
 *
 * - Per edge PAIR_SLOTS contacts of three vec4u (normal and offset; force and stiffness; parts of this and of the other edge, and the compliance), then
 *   three vec4u of loads, all as floats. The last node has no edge; its first vec4u is the frame of the last edge, its second has the change of
 *   contacts, contacts that carry force and the largest turn. As states, they lie so that neighbouring threads read neighbouring addresses.
 * - Per node its place: position at the start of the step with the radius, and its way. Others read them, so those of a strand follow each other.
 * - Per edge a word for each contact: the other edge with bits of the contact. Both sides read each other's words.
 *
 * What edges report of their strand is in the marks of statusShader.ts.
 */
import { PAIR_SLOTS } from '../layout.ts';

/** vec4u of a contact. */
export const PAIR_CONTACT_SLOTS = 3;
/** Lowest bits of the fields of a contact's word: state, slot of the other side, and whether the slot is in use; below them is the number of the other edge. */
export const PAIR_BITS = { edge: 22, state: 22, side: 24, isSet: 28 } as const;
/** First of the vec4u of loads, after the contacts of an edge. */
export const PAIR_LOADS: number = PAIR_CONTACT_SLOTS * PAIR_SLOTS;
/** vec4u of a node in the first part. */
export const PAIR_NODE_SLOTS: number = PAIR_LOADS + 3;
/** vec4u of a node in the second part, and in the third. */
const PLACE_SLOTS = 2;
const MATE_SLOTS = PAIR_SLOTS / 4;
export const PAIR_BUFFER_SLOTS: number = PAIR_NODE_SLOTS + PLACE_SLOTS + MATE_SLOTS;

/** Where the places and the words of contacts begin, in vec4u, with so many nodes in whole blocks of strands. */
export function pairParts(nodes: number): { readonly places: number; readonly mates: number } {
  return { places: nodes * PAIR_NODE_SLOTS, mates: nodes * (PAIR_NODE_SLOTS + PLACE_SLOTS) };
}

/** Index of the word of contact k of an edge; `node`: number of its first node among those of all strands, `all`: number of these. */
export function mateAt(node: number, k: number, all: number): number {
  return 4 * (pairParts(all).mates + MATE_SLOTS * node) + k;
}
