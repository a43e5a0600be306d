/** Support for rods with bodies, as an optional part of the model: a model without it rejects welds. */
import { type BodyModule, bodyModule } from '../../scene/bodies.ts';
import { createDerBody, initializeBody } from './body.ts';
import { exportSystemMatrices, findSystemModes, modesOfRod } from './coupledModal.ts';
import { findSystemEquilibrium } from './coupledStatics.ts';
import { createPartedOrder } from './ordering.ts';
import { createSparseOuter } from './sparseOuter.ts';
import { solveWelded } from './weldedNewton.ts';

export interface BodyParts {
  /** Bodies of scenes. */
  readonly scene: BodyModule;
  readonly createDerBody: typeof createDerBody;
  readonly initializeBody: typeof initializeBody;
  readonly solveWelded: typeof solveWelded;
  readonly createSparseOuter: typeof createSparseOuter;
  readonly createPartedOrder: typeof createPartedOrder;
  readonly findSystemEquilibrium: typeof findSystemEquilibrium;
  readonly findSystemModes: typeof findSystemModes;
  readonly modesOfRod: typeof modesOfRod;
  readonly exportSystemMatrices: typeof exportSystemMatrices;
}

/** Part of `der` that couples rods with bodies, junctions and links; see `createDerModel`. */
export const bodyParts: BodyParts = {
  scene: bodyModule,
  createDerBody,
  initializeBody,
  solveWelded,
  createSparseOuter,
  createPartedOrder,
  findSystemEquilibrium,
  findSystemModes,
  modesOfRod,
  exportSystemMatrices,
};
