/**
 * The explicit integrators `shake` and `fast-projection` for all rods of a bundle, as an optional part of the model: a model without it rejects them and
 * bundles none of their code.
 */
import type { Rod } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';
import type { RodStep } from '../rodStep.ts';
import type { DerBody } from './body.ts';
import { initializeExplicit, refreshExplicit, resumeExplicit, stepExplicit } from './explicit.ts';
import { addStubInertia } from './explicitBody.ts';
import { refuseShortSteps } from './explicitStability.ts';
import {
  createExplicitSystem,
  type ExplicitSystem,
  initializeExplicitSystem,
  stepExplicitSystem,
} from './explicitSystem.ts';
import { createExplicitWork } from './explicitWork.ts';
import type { BundleSystem, createTools } from './parts.ts';
import type { DerRod } from './rod.ts';

interface ExplicitParts {
  readonly scene: Scene;
  readonly rods: readonly Rod[];
  readonly ders: readonly DerRod[];
  readonly bodies: readonly DerBody[];
  readonly tools: ReturnType<typeof createTools>;
  readonly systems: readonly BundleSystem[];
  readonly scheme: string;
}

export interface ExplicitSchemes {
  /** Call once rods and bodies have their state. Throws SceneError if steps would be subdivided into too many substeps. */
  begin(): void;
  /** Forces of a system at t that the scheme carries from step to step. Returns an error, or an empty string. */
  initialize(system: number, t: number): string;
  step(system: number, t: number, dt: number): RodStep;
  /** Continues after implicit steps with contact. Returns an error, or an empty string. */
  resume(system: number, t: number): string;
  /** The state of a rod was written from outside. */
  refresh(rod: number): void;
  /** Bodies were moved from outside. */
  reset(): void;
}

/** Part of `der` with the integrators `shake` and `fast-projection`; see `createDerModel`. */
export function createExplicitSchemes(parts: ExplicitParts): ExplicitSchemes {
  const { scene, rods, ders, bodies, tools, systems } = parts;
  const isShake = parts.scheme === 'shake';
  const works = ders.map(createExplicitWork);
  for (const body of bodies) addStubInertia(body, ders);
  /** The schemes of systems with bodies. */
  let wholes: readonly (ExplicitSystem | undefined)[] = [];
  return {
    begin() {
      wholes = systems.map(({ system, rods: members }) =>
        system.bodies.length === 0
          ? undefined
          : createExplicitSystem(
              system,
              members.map((k) => works[k]),
            ),
      );
      works.forEach(({ stableStep }, k) => {
        refuseShortSteps(scene, rods[k].id, stableStep);
      });
      wholes.forEach((whole, s) => {
        if (whole) refuseShortSteps(scene, rods[systems[s].rods[0]].id, whole.stableStep);
      });
    },
    initialize(s, t) {
      const whole = wholes[s];
      if (whole) return initializeExplicitSystem(whole, t);
      const [first] = systems[s].rods;
      return initializeExplicit(ders[first], works[first], t);
    },
    // systems with bodies have no contact
    resume(s, t) {
      const [first] = systems[s].rods;
      return resumeExplicit(ders[first], works[first], t);
    },
    step(s, t, dt) {
      const whole = wholes[s];
      const { rods: members, starts } = systems[s];
      if (whole) return stepExplicitSystem(whole, starts, isShake, t, dt);
      const [first] = members;
      const memory = { work: works[first], common: tools[first].work, start: starts[0] };
      return stepExplicit(ders[first], memory, { t, dt, shake: isShake });
    },
    refresh(k) {
      refreshExplicit(ders[k], works[k]);
    },
    reset() {
      for (const whole of wholes) if (whole) whole.ready = false;
    },
  };
}
