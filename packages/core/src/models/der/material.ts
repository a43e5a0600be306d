/**
 * Rods with a constitutive law (materials/law.ts): moments of a joint from its rotation vector and internal variables, in place of linear elasticity.
 *
 * The measure of strain is `rotation` of strain.ts. Its derivatives are written a second time here, for any moment and tangent: in `rotationStrain`, which
 * every step of every rod calls, they stay in registers, and a shared function costs it a fifth (test/der/materials.test.ts compares both). Internal variables are those at the
 * start of a step, in the rod's memory. A stage computes those of its end from them, and `advance` replaces them when the next step starts. So failed
 * steps, repeated steps and contact have nothing to undo.
 */
import { SceneError } from '../../errors.ts';
import { createLaw } from '../../materials/index.ts';
import {
  createSection,
  DISSIPATED,
  MOMENT,
  RESPONSE,
  type SectionLaw,
  STORED_BEND,
  STORED_TWIST,
  TANGENT,
} from '../../materials/law.ts';
import { cos, sin } from '../../math/rounded/index.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';
import { evaluateJoint } from './joint.ts';
import type { DerRod } from './rod.ts';
import type { RodMaterial } from './rodMaterial.ts';
import {
  ENERGY_BEND,
  ENERGY_TWIST,
  GAUSS_NEWTON,
  GRADIENT,
  HESSIAN,
  JOINT_STRIDE,
  type StrainFunction,
  writeAngleRatio,
} from './strain.ts';

/** The part of the model that knows laws. */
export interface MaterialPart {
  /** Numbers that a rod's memory needs in addition. */
  memorySize(rod: Rod, jointCount: number): number;
  /** Gives the rod its law; the last numbers of its memory are internal variables. */
  attach(der: DerRod): void;
}

/** Time of variables and state, heat. */
const HEAD = 3;

const response = new Float64Array(RESPONSE);
const section = createSection();
const ratio = new Float64Array(3);
/** ∂u/∂p, row by row. */
const J = new Float64Array(9);
const CJ = new Float64Array(9);

/** Rotation vector u of the joint and J = ∂u/∂p; `shape` receives g, b and their derivatives for `addStrainCurvature`. */
const shape = new Float64Array(18);

function writeKinematics(p: Float64Array): void {
  const w1 = p[0];
  const w2 = p[1];
  const m = p[2];
  const ca = cos(0.5 * m);
  const sa = sin(0.5 * m);
  const c2 = 1 / (1 + 0.25 * (w1 * w1 + w2 * w2));
  const c = Math.sqrt(c2);
  const W = c * ca;
  writeAngleRatio(ratio, W);
  const [f, f1, f2] = ratio;
  const cn = -0.125 * c * c2;
  const cnn = (3 / 64) * c * c2 * c2;
  const Wn = cn * ca;
  const Wm = -0.5 * c * sa;
  const g = f * c;
  const gn = f1 * Wn * c + f * cn;
  const gm = f1 * Wm * c;
  const gnn = (f2 * Wn * Wn + f1 * cnn * ca) * c + 2 * f1 * Wn * cn + f * cnn;
  const gnm = (f2 * Wn * Wm - 0.5 * f1 * cn * sa) * c + f1 * Wm * cn;
  const b1 = 0.5 * (ca * w1 + sa * w2);
  const b2 = 0.5 * (ca * w2 - sa * w1);
  const g1 = 2 * w1 * gn;
  const g2 = 2 * w2 * gn;
  shape[0] = g;
  shape[1] = g1;
  shape[2] = g2;
  shape[3] = gm;
  shape[4] = 2 * gn + 4 * w1 * w1 * gnn;
  shape[5] = 4 * w1 * w2 * gnn;
  shape[6] = 2 * w1 * gnm;
  shape[7] = 2 * gn + 4 * w2 * w2 * gnn;
  shape[8] = 2 * w2 * gnm;
  shape[9] = (f2 * Wm * Wm - 0.25 * f1 * W) * c;
  shape[10] = b1;
  shape[11] = b2;
  shape[12] = sa;
  shape[13] = 0.5 * ca;
  shape[14] = 0.5 * sa;
  J[0] = g1 * b1 + g * shape[13];
  J[1] = g2 * b1 + g * shape[14];
  J[2] = gm * b1 + 0.5 * g * b2;
  J[3] = g1 * b2 - g * shape[14];
  J[4] = g2 * b2 + g * shape[13];
  J[5] = gm * b2 - 0.5 * g * b1;
  J[6] = g1 * sa;
  J[7] = g2 * sa;
  J[8] = gm * sa + g * shape[13];
}

/** Adds Σ eₐ ∂²uₐ/∂p² at `o`, packed. */
function addStrainCurvature(out: Float64Array, o: number, e1: number, e2: number, e3: number): void {
  const [g, g1, g2, gm, g11, g12, g1m, g22, g2m, gmm, b1, b2, b3, hc, hs] = shape;
  const eb = e1 * b1 + e2 * b2 + e3 * b3;
  const eb1 = e1 * hc - e2 * hs;
  const eb2 = e1 * hs + e2 * hc;
  const ebm = 0.5 * (e1 * b2 - e2 * b1) + e3 * hc;
  out[o] += g11 * eb + 2 * g1 * eb1;
  out[o + 1] += g12 * eb + g1 * eb2 + g2 * eb1;
  out[o + 2] += g1m * eb + g1 * ebm + gm * eb1 - 0.5 * g * (e1 * hs + e2 * hc);
  out[o + 3] += g22 * eb + 2 * g2 * eb2;
  out[o + 4] += g2m * eb + g2 * ebm + gm * eb2 + 0.5 * g * (e1 * hc - e2 * hs);
  out[o + 5] += gmm * eb + 2 * gm * ebm - 0.25 * g * eb;
}

/** Jᵀ C J for the packed symmetric C at `c`, written to `o`, packed. */
function writeCongruence(out: Float64Array, o: number, C: Float64Array, c: number): void {
  for (let p = 0; p < 3; p++) {
    const x = J[p];
    const y = J[3 + p];
    const z = J[6 + p];
    CJ[p] = C[c] * x + C[c + 1] * y + C[c + 2] * z;
    CJ[3 + p] = C[c + 1] * x + C[c + 3] * y + C[c + 4] * z;
    CJ[6 + p] = C[c + 2] * x + C[c + 4] * y + C[c + 5] * z;
  }
  let at = o;
  for (let p = 0; p < 3; p++)
    for (let r = p; r < 3; r++) out[at++] = J[p] * CJ[r] + J[3 + p] * CJ[3 + r] + J[6 + p] * CJ[6 + r];
}

const elastic = new Float64Array(6);

/** The strain function of a rod with a law; see `rotationStrain`. Energies are recoverable energies. */
function createStrain(der: DerRod, law: SectionLaw, clock: LawClock, variables: Float64Array): StrainFunction {
  const { length } = der.joints;
  const { time } = clock;
  return (out, joint, o, p) => {
    const i = o / JOINT_STRIDE;
    const grown = law.naturalFactor?.(time[1]) ?? 1;
    writeKinematics(p);
    for (let a = 0; a < 3; a++) {
      section.strain[a] = shape[0] * shape[10 + a] - grown * joint[o + 3 + a];
      section.stiffness[a] = joint[o + a];
    }
    section.length = length[i];
    law.respond(response, section, variables, law.size * i, elapsedIn(clock));
    const [e1, e2, e3] = response;
    out[ENERGY_BEND] = response[STORED_BEND];
    out[ENERGY_TWIST] = response[STORED_TWIST];
    for (let k = 0; k < 3; k++)
      out[GRADIENT + k] = response[MOMENT] * J[k] + response[MOMENT + 1] * J[3 + k] + response[MOMENT + 2] * J[6 + k];
    writeCongruence(out, HESSIAN, response, TANGENT);
    addStrainCurvature(out, HESSIAN, e1, e2, e3);
    // stiffness damping is that of the elastic section
    elastic[0] = joint[o];
    elastic[3] = joint[o + 1];
    elastic[5] = joint[o + 2];
    writeCongruence(out, GAUSS_NEWTON, elastic, 0);
  };
}

/** Times that a law needs. */
interface LawClock {
  /** Time of the internal variables, of the current state [s], and heat [J]. */
  readonly time: Float64Array;
  /** True in a search for equilibrium: everything relaxes. */
  isAtRest: boolean;
}

/** Time since the instant of the internal variables [s]. */
const elapsedIn = ({ time, isAtRest }: LawClock): number => (isAtRest ? Infinity : time[1] - time[0]);

function createMaterial(der: DerRod, law: SectionLaw, clock: LawClock, variables: Float64Array): RodMaterial {
  const { joints, jointActive } = der;
  const { stillAt } = der.drive;
  const { time } = clock;
  /** Evaluates each joint that acts: `section` and `response` are its own then. */
  const visit = (read: (i: number) => void): void => {
    for (let i = 0; i < joints.count; i++) if (jointActive[i] && evaluateJoint(der, i)) read(i);
  };
  /** Makes the current state that of the internal variables. */
  const commit = (): void => {
    const elapsed = elapsedIn(clock);
    let heat = 0;
    visit((i) => {
      heat += response[DISSIPATED];
      law.advance(section, variables, law.size * i, elapsed);
    });
    time[2] += heat;
    time[0] = time[1];
  };
  const leaveRest = (): void => {
    clock.isAtRest = stillAt !== undefined;
  };
  leaveRest();
  return {
    law,
    time,
    setTime(t) {
      time[1] = stillAt?.time ?? t;
    },
    refuse(what, needed) {
      if (needed.some((name) => law[name])) return;
      throw new SceneError(
        ['rods'],
        `rod '${der.rod.id}' has the law '${der.rod.law?.type}', which has no ${what}; remove 'law' to treat it as linear elastic`,
      );
    },
    advance() {
      leaveRest();
      commit();
    },
    beginRest() {
      if (clock.isAtRest) return;
      commit();
      clock.isAtRest = true;
    },
    endRest(isEquilibrium) {
      if (isEquilibrium) commit();
      time[0] = time[1];
      leaveRest();
    },
    leaveRest,
    ...createReadouts(visit, time),
  };
}

/** `visit`: evaluates each joint, and calls back when `response` is its own. */
function createReadouts(
  visit: (read: (i: number) => void) => void,
  time: Float64Array,
): Pick<RodMaterial, 'addEnergy' | 'measureHeat'> {
  return {
    addEnergy(out) {
      visit(() => {
        out.bending += response[STORED_BEND];
        out.twisting += response[STORED_TWIST];
      });
    },
    measureHeat() {
      let heat = time[2];
      visit(() => {
        heat += response[DISSIPATED];
      });
      return heat;
    },
  };
}

/** Laws of bending and twist for the rods of a scene. */
export function createMaterials(scene: Scene, rods: readonly Rod[]): MaterialPart {
  refuseLaws(rods, scene);
  const laws = new Map<Rod, SectionLaw>();
  return {
    memorySize(rod, jointCount) {
      if (!rod.law) return 0;
      const law = createLaw(rod.law, ['rods', scene.rods.findIndex(({ id }) => id === rod.id), 'law']);
      laws.set(rod, law);
      return HEAD + law.size * jointCount;
    },
    attach(der) {
      const law = laws.get(der.rod);
      if (!law) return;
      refuseSwitch(der);
      const own = der.memory.subarray(der.memory.length - HEAD - law.size * der.joints.count);
      const clock: LawClock = { time: own.subarray(0, HEAD), isAtRest: false };
      const variables = own.subarray(HEAD);
      der.material = createMaterial(der, law, clock, variables);
      der.strain = createStrain(der, law, clock, variables);
    },
  };
}

/** A rod with a law needs an implicit scheme and the default measure of strain. */
function refuseLaws(rods: readonly Rod[], scene: Scene): void {
  const scheme = scene.solver?.der?.integrator;
  const rod = rods.find(({ law }) => law);
  if (!rod) return;
  if (scheme === 'shake' || scheme === 'fast-projection')
    throw new SceneError(
      ['solver', 'der', 'integrator'],
      `${scheme} supports only linear elastic rods, and rod '${rod.id}' has a law; use tr-bdf2`,
    );
  if (scene.solver?.der?.strain === 'bergou2008')
    throw new SceneError(
      ['solver', 'der', 'strain'],
      `strain: bergou2008 is for linear elastic rods, and rod '${rod.id}' has a law; remove 'strain'`,
    );
  const designed = rods.find(({ law, naturalFromEquilibrium }) => law && naturalFromEquilibrium);
  if (designed)
    throw new SceneError(
      ['rods', scene.rods.findIndex(({ id }) => id === designed.id), 'natural'],
      `natural: equilibrium is for linear elastic rods, and rod '${designed.id}' has a law; give the natural shape itself`,
    );
}

/** When a clamp inside a rod is released, one joint replaces two, and their internal variables cannot be combined. */
function refuseSwitch({ rod, pins, nodeCount }: DerRod): void {
  for (const pin of pins) {
    const isInside = rod.closed || (pin.node > 0 && pin.node < nodeCount - 1);
    if (!isInside || pin.orientation === 'free' || pin.holds(Number.MAX_VALUE)) continue;
    throw new SceneError(
      ['pins'],
      `a rod with a law keeps the clamps inside it, and rod '${rod.id}' has one at node ${pin.node} that is released; pin it at an end, or use hold: position`,
    );
  }
}
