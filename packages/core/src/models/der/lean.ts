/**
 * `der` without its parts: no contact, bodies, links, explicit integrators, branches, modes, laws of materials, rods that break, derivatives and `natural: equilibrium`. For
 * pages that fetch the whole model when a scene needs more.
 */
import type { Model } from '../../model.ts';
import { createDerModel } from './model.ts';

/** The model, for rods that are bent, twisted, pinned and loaded, and touch nothing. */
export const leanDer: Model = /* @__PURE__ */ createDerModel();
