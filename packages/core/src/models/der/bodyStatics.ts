/** Equilibria, modes and matrices of rods with bodies, as an optional part of the model: a model without it rejects welds. */
import { exportSystemMatrices, findSystemModes, modesOfRod } from './coupledModal.ts';
import { settleSystem } from './coupledStatics.ts';

export interface BodyStatics {
  readonly settleSystem: typeof settleSystem;
  readonly findSystemModes: typeof findSystemModes;
  readonly modesOfRod: typeof modesOfRod;
  readonly exportSystemMatrices: typeof exportSystemMatrices;
}

export const bodyStatics: BodyStatics = { settleSystem, findSystemModes, modesOfRod, exportSystemMatrices };
