/** Discrete elastic rods with all parts, and the separate parts for programs that need fewer. */
import type { Model } from '../../model.ts';
import { createRestRod } from './atRest.ts';
import { bodyParts } from './bodyParts.ts';
import { branchParts } from './branch.ts';
import { createBreaking } from './breaking.ts';
import { createDerContact } from './contact.ts';
import { createExplicitSchemes } from './explicitSchemes.ts';
import { hingeParts } from './hinge.ts';
import { createMaterials } from './material.ts';
import { modalParts } from './modal.ts';
import { createDerModel, type DerParts } from './model.ts';
import { designRods } from './natural.ts';
import { linearizeDer } from './restTangent.ts';
import { linearizeDerSteps } from './stepTangent.ts';

export { createRestRod as derLinks } from './atRest.ts';
export { bodyParts as derBodies } from './bodyParts.ts';
export { branchParts as derBranches } from './branch.ts';
export { createBreaking as derBreaking } from './breaking.ts';
export { createDerContact as derContact } from './contact.ts';
export { createExplicitSchemes as derExplicit } from './explicitSchemes.ts';
export { hingeParts as derHinges } from './hinge.ts';
export { createMaterials as derMaterials } from './material.ts';
export { modalParts as derModes } from './modal.ts';
export { createDerModel, type DerParts } from './model.ts';
export { designRods as derNatural } from './natural.ts';
export { linearizeDer as derDerivatives } from './restTangent.ts';
export { linearizeDerSteps as derStepDerivatives } from './stepTangent.ts';

/** The parts that `der` always has. */
export const derParts: DerParts = {
  contact: createDerContact,
  bodies: bodyParts,
  branches: branchParts,
  breaking: createBreaking,
  derivatives: linearizeDer,
  explicit: createExplicitSchemes,
  hinges: hingeParts,
  links: createRestRod,
  materials: createMaterials,
  modes: modalParts,
  natural: designRods,
  stepDerivatives: linearizeDerSteps,
};

/** Discrete Elastic Rods [Bergou2008] with all parts, for `createWorld(scene, { models: [der] })`. */
// the annotation lets bundlers drop it, and the parts with it, if a program creates its own
export const der: Model = /* @__PURE__ */ createDerModel(derParts);
