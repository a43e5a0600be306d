/** Converts a strand of the reference to its description for a device. */
import type { Drive } from '../../model.ts';
import type { Rod } from '../../scene/compiled.ts';
import { RELATIVE } from '../layout.ts';
import { type BatchRod, createBatchRod, refuseRod, type ScenePlace, stateSizes } from '../rod.ts';
import type { MergedContact } from '../strandParts.ts';
import type { StrandDescription } from './pack.ts';

function describeContact({ radius, spared, pairs }: MergedContact): StrandDescription['contact'] {
  return { radius, spared, ...(pairs && { pairRadius: pairs.radius }) };
}

export function describeStrand({ strand, frame, origin }: BatchRod): StrandDescription {
  return {
    frame: [frame[0], frame[1], frame[2], frame[3]],
    place: [origin[0], origin[1], origin[2]],
    edgeLength: strand.edgeLength,
    nodeMass: strand.nodeMass,
    jointStiffness: strand.jointStiffness,
    jointStrainRest: strand.jointStrainRest,
    relative: strand.slots[RELATIVE],
    rootSoftness: strand.rootSoftness,
    ...(strand.air && { air: strand.air.coefficients }),
    ...(strand.merged && { contact: describeContact(strand.merged) }),
  };
}

/** Throws SceneError for a rod that the formulation does not cover, or whose root is not clamped. */
export function describeRod(rod: Rod, drive: Drive, place: ScenePlace): StrandDescription {
  refuseRod(rod, drive, place);
  const sizes = stateSizes(rod);
  const batch = createBatchRod(rod, drive, {
    q: new Float64Array(sizes.q),
    v: new Float64Array(sizes.v),
    memory: new Float64Array(sizes.memory),
  });
  if (batch.strand.root.kind !== 'clamped')
    throw new Error(`rod '${rod.id}': strands on the GPU are clamped at their first node`);
  return describeStrand(batch);
}
