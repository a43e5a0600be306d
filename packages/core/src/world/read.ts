/** Reads a world: energies, momentum, reactions and channels. Nothing here changes its state. */
import { channelLength, channelNames } from '../channels.ts';
import type { Channel, Energies, Momentum, Reaction } from '../model.ts';
import type { WorldParts } from './build.ts';
import type { World } from './types.ts';
import { createUnsettledReader, type UnsettledReader } from './unsettled.ts';

type Readings = Pick<World, 'energies' | 'momentum' | 'reactions' | 'channel' | 'contactForces' | 'linkForces'>;

export function createReadings(world: WorldParts): Readings {
  const { contact, clock } = world;
  const readUnsettled = createUnsettledReader(world);
  return {
    energies: () => readEnergies(world),
    momentum: () => readMomentum(world),
    reactions: () => readReactions(world, readUnsettled),
    channel: (rod, channel) => readChannel(world, rod, channel),
    contactForces: () => contact?.forces(clock.time) ?? [],
    linkForces: () => contact?.linkForces() ?? [],
  };
}

function readEnergies({ bundles, contact, clock }: WorldParts): Energies {
  const out: Energies = { kinetic: 0, bending: 0, twisting: 0, stretching: 0, potential: 0, total: 0 };
  for (const bundle of bundles) bundle.addEnergies(out, clock.time);
  out.potential += contact?.energy() ?? 0;
  if (contact?.dissipated) out.dissipated = (out.dissipated ?? 0) + contact.dissipated();
  out.total = out.kinetic + out.bending + out.twisting + out.stretching + out.potential;
  return out;
}

/** Kinetic energy, and elastic energy with what laws have turned into heat, of everything at t [J]. */
export function measureMotionAndStrain(
  { bundles, contact }: WorldParts,
  t: number,
): { readonly kinetic: number; readonly stored: number } {
  const energies: Energies = { kinetic: 0, bending: 0, twisting: 0, stretching: 0, potential: 0, total: 0 };
  for (const bundle of bundles) bundle.addEnergies(energies, t);
  const { kinetic, bending, twisting, stretching, dissipated = 0, beside = 0 } = energies;
  const linked = (contact?.energy() ?? 0) + (contact?.dissipated?.() ?? 0);
  return { kinetic, stored: bending + twisting + stretching + dissipated + beside + linked };
}

function readMomentum({ bundles }: WorldParts): Momentum {
  const out: Momentum = {
    linear: new Float64Array(3),
    angular: new Float64Array(3),
    center: new Float64Array(3),
    mass: 0,
  };
  for (const bundle of bundles) bundle.addMomentum(out);
  for (let k = 0; k < 3; k++) out.center[k] /= out.mass;
  return out;
}

/** Models compute reactions and tensions from the forces on a rod; this adds contact forces to those. */
function applyContactForces({ contact, clock }: WorldParts): void {
  if (!clock.hasContactForces) contact?.applyContactForces();
  clock.hasContactForces = true;
}

function readReactions(world: WorldParts, readUnsettled: UnsettledReader): Reaction[] {
  applyContactForces(world);
  return world.placeOfRod.flatMap(({ bundle, index }, r) => {
    const list = bundle.reactions(index, world.clock.time);
    const unsettled = list.length > 0 ? readUnsettled(r) : undefined;
    return unsettled === undefined ? list : list.map((one) => ({ ...one, unsettled }));
  });
}

function readChannel(world: WorldParts, rod: number, channel: Channel): Float64Array {
  const place = world.placeOfRod[rod];
  if (!place) throw new RangeError(`channel: there is no rod ${rod}; rods are 0 to ${world.rods.length - 1}`);
  if (!channelNames.includes(channel))
    throw new RangeError(`there is no channel '${channel}'; use one of: ${channelNames.join(', ')}`);
  applyContactForces(world);
  const { bundle, index } = place;
  const { edgeCount, nodeCount } = world.rods[rod];
  const out = new Float64Array(channelLength({ nodeCount, edgeCount }, channel));
  bundle.readChannel(out, index, channel);
  return out;
}
