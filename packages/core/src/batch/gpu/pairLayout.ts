/**
 * Contacts between strands on the device. Per edge: PAIR_SLOTS contacts of three vec4u (normal and offset; force and stiffness; the other edge with
 * bits of the contact, the parts of both edges, and the compliance), then position and way of the node at the start of the step and two vec4u of loads.
 * All but those bits are floats. The last node has no edge; its first vec4u is the frame of the last edge, its second has the change of contacts,
 * contacts that carry force and the largest turn. What edges report of their strand is in the marks of statusShader.ts.
 */
import { PAIR_SLOTS } from '../layout.ts';

/** vec4u of a contact. */
export const PAIR_CONTACT_SLOTS = 3;
/** Lowest bits of the fields of a contact: state, slot of the other side, and whether the slot is in use; below them is the number of the other edge. */
export const PAIR_BITS = { edge: 22, state: 22, side: 24, isSet: 28 } as const;
const POSITION = PAIR_CONTACT_SLOTS * PAIR_SLOTS;
/** Slots of a node after the contacts of its edge. */
export const PAIR_NODE: { readonly POSITION: number; readonly WAY: number; readonly LOADS: number } = {
  POSITION,
  WAY: POSITION + 1,
  LOADS: POSITION + 2,
};
export const PAIR_NODE_SLOTS: number = POSITION + 4;
