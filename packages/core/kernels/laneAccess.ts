/** The functions of src/batch/strand.ts on a block of strands, as the translator of sweeps calls them. */
import { itemsOf, leafOf } from './laneAlgebra.ts';
import { openArray, zeros } from './laneArrays.ts';
import { createContactAccess } from './laneContactAccess.ts';
import type { Field, LaneDescription, LaneVariant, SweepLayout } from './laneLayout.ts';
import type { LaneAccess } from './laneTranslate.ts';
import { type Code, flagOf, known, type Leaf, tuple, type Value } from './laneValues.ts';
import { TranslationError } from './values.ts';

/** A variant of the sweeps, for one kernel. */
export interface AccessVariant extends LaneVariant {
  /** With obstacles: roots may be free, which only strands that meet strands and no obstacles may be. */
  readonly mayBeFree?: boolean;
}

/** All functions of strand.ts that sweeps of this variant call. */
export function createAccess(
  code: Code,
  variant: AccessVariant,
  description: LaneDescription,
  layout: SweepLayout,
): LaneAccess {
  return {
    ...createStateAccess(code, variant, description, layout),
    ...createNodeAccess(code, variant, description),
    usesExactHessian: () => flagOf(variant.exact),
    // free strands among obstacles are moved elsewhere
    hasFreeRoot: () =>
      variant.contact && !variant.mayBeFree
        ? flagOf(false)
        : { kind: 'flag', of: 'all', name: code.bind('freeRoot != 0', 'bool') },
    ...(variant.contact
      ? createContactAccess(code, description)
      : { loadCountOf: () => known(0), keepElimination: () => undefined }),
  };
}

/** State of the scheme, and the gains that the backward sweep leaves to the forward one. */
function createStateAccess(
  code: Code,
  { damped }: LaneVariant,
  { workFields, countVectors, vectorsBefore }: LaneDescription,
  layout: SweepLayout,
): LaneAccess {
  const slots = damped ? layout.stateSlots.length : layout.ELASTIC_SLOTS;
  const state = openArray(code, 'state', 3 * slots);
  const work = openArray(code, 'work', countVectors(workFields));
  const slotOf = (slot: Value): number => {
    const one = leafOf(slot);
    if (one.kind !== 'known' || one.value >= slots)
      throw new TranslationError('a slot is known, and the variant has it');
    return 3 * one.value;
  };
  return {
    edgeCountOf: () => ({ kind: 'index', name: 'edges', constant: 0 }),
    readState: (_, __, i, slot) => tuple(state.read(leafOf(i), slotOf(slot), 3)),
    writeState: (_, __, i, slot, value) => {
      state.write(leafOf(i), slotOf(slot), itemsOf(value));
      return undefined;
    },
    readGain: (_, __, j) => {
      const part = (name: string): Value =>
        tuple(work.read(leafOf(j), vectorsBefore(workFields, name), sizeOf(workFields, name)));
      return { kind: 'struct', fields: new Map(['fromY', 'fromTurn', 'constant'].map((name) => [name, part(name)])) };
    },
    writeGain: (_, __, j, gain) => {
      if (gain.kind !== 'struct') throw new TranslationError('a gain is wanted');
      for (const [name, value] of gain.fields) work.write(leafOf(j), vectorsBefore(workFields, name), itemsOf(value));
      return undefined;
    },
  };
}

function sizeOf(fields: readonly Field[], name: string): number {
  return fields.find(([field]) => field === name)?.[1] ?? 0;
}

/** Constants of nodes and edges, the pose of the root, and the air. */
function createNodeAccess(
  code: Code,
  { damped }: LaneVariant,
  { nodeFields, headFields, countVectors, vectorsBefore }: LaneDescription,
): LaneAccess {
  const nodes = openArray(code, 'nodes', countVectors(nodeFields));
  const head = openArray(code, 'head', countVectors(headFields));
  const node =
    (name: string) =>
    (_: Code, __: Value, i: Value): Value => {
      const values = nodes.read(leafOf(i), vectorsBefore(nodeFields, name), sizeOf(nodeFields, name));
      return values.length === 1 ? values[0] : tuple(values);
    };
  const ofHead = (name: string) => (): Value =>
    tuple(head.read(known(0), vectorsBefore(headFields, name), sizeOf(headFields, name)));
  const damping = (name: string) => (): Value => (damped ? { kind: 'uniform', name } : known(0));
  return {
    massOf: node('mass'),
    lengthOf: node('length'),
    restStrainOf: node('strainRest'),
    stiffnessOf: node('stiffness'),
    nodeForceOf: node('force'),
    frameOfRoot: ofHead('frame'),
    frameOfRootBefore: ofHead('frameBefore'),
    rootDisplacementOf: ofHead('displacement'),
    massDampingOf: damping('massDamping'),
    viscosityOf: damping('stiffnessDamping'),
    isViscous: () => flagOf(damped),
    softnessOf: node('softness'),
    edgeTorqueOf: () => zeros(3),
    nodeDragOf: () => zeros(9),
    // strands in air take the variant with damping
    hasAir: () => (damped ? { kind: 'flag', of: 'all', name: code.bind('airFactor != 0', 'bool') } : flagOf(false)),
    windOf: () => tuple(['windX', 'windY', 'windZ'].map((name): Leaf => ({ kind: 'uniform', name }))),
    airOf: (_, __, j) => {
      const drag = nodes.read(leafOf(j), vectorsBefore(nodeFields, 'air'), 4);
      const names = ['normal', 'tangential', 'normalBySpeed', 'tangentialBySpeed'];
      const scaled = drag.map((one) => code.multiply({ kind: 'uniform', name: 'airFactor' }, one));
      return { kind: 'struct', fields: new Map(names.map((name, k): [string, Value] => [name, scaled[k]])) };
    },
  };
}
