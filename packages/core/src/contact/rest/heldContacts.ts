/** Natural modes about an equilibrium with contact: contacts with obstacles stay closed, and those that stick hold their point of the rod. */
import { SceneError } from '../../errors.ts';
import { pow } from '../../math/rounded/index.ts';
import type { ContactContext } from '../context.ts';
import type { LoneRest } from '../links/forceStatics.ts';
import { listActive } from './refine.ts';
import { createSticking } from './sticking.ts';
import { createTouching, meanStiffness } from './touching.ts';

/** Stiffness of contacts, relative to that of an edge: low frequencies are off by far less than 1/STIFFNESS. */
const STIFFNESS = 1e4;

/** Holds the contacts of a rod that carry force; the returned function releases them. Throws if these contacts are not supported. */
export function holdContacts(context: ContactContext, alone: LoneRest, rod: number): () => void {
  const held = listActive(context, rod);
  if (!held)
    throw new SceneError(
      ['contact'],
      'modes about an equilibrium with contact are for rods that touch obstacles; here rods touch each other or have links, or a contact is about to slide',
    );
  const { length, edgeCount } = context.rods[rod];
  const stiffness = STIFFNESS * meanStiffness(context.rods[rod]) * pow(edgeCount / length, 3);
  alone.clearForces(rod);
  const loads = [
    createTouching(context, rod, held.free, stiffness),
    createSticking(context, rod, held.stuck, stiffness),
  ];
  const removals = loads.map(({ source }) => alone.addLoad(rod, source));
  return () => {
    for (const remove of removals) remove();
  };
}
