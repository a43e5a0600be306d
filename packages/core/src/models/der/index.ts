/** Discrete elastic rods with all parts, and the separate parts for programs that want fewer. */
import type { Model } from '../../model.ts';
import { bodyParts } from './bodyParts.ts';
import { followDerBranch } from './branch.ts';
import { createDerContact } from './contact.ts';
import { createExplicitSchemes } from './explicitSchemes.ts';
import { createDerModel, type DerParts } from './model.ts';
import { designRods } from './natural.ts';
import { linearizeDer } from './restTangent.ts';

export { bodyParts as derBodies } from './bodyParts.ts';
export { followDerBranch as derBranches } from './branch.ts';
export { createDerContact as derContact } from './contact.ts';
export { createExplicitSchemes as derExplicit } from './explicitSchemes.ts';
export { createDerModel, type DerParts } from './model.ts';
export { designRods as derNatural } from './natural.ts';
export { linearizeDer as derDerivatives } from './restTangent.ts';

/** The parts that `der` always has. */
export const derParts: DerParts = {
  contact: createDerContact,
  bodies: bodyParts,
  branches: followDerBranch,
  derivatives: linearizeDer,
  explicit: createExplicitSchemes,
  natural: designRods,
};

// the annotation lets bundlers drop it, and the parts with it, if a program creates its own
export const der: Model = /* @__PURE__ */ createDerModel(derParts);
