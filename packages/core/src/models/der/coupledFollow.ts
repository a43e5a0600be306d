/**
 * Equilibria of rods with bodies under follower loads: the antisymmetric part of ∂f/∂q.
 *
 * The factors of rods and bodies are symmetric and positive, shifted if necessary. With the symmetric part alone Newton converges linearly, and not at
 * all under strong followers. So the step is improved: with the shifted factor S, the shift W and the antisymmetric part J the whole equation
 * (S − W − J) x = b is (1 − S⁻¹(W + J)) x = S⁻¹b, solved by GMRES with the existing factors; a follower at the end of a rod has low rank, and takes a
 * handful of solves. W is undone only while loads are raised in increments: far from the solution it keeps Newton from diverging (wind of 40 m/s: 9
 * iterations with it, 125 without); near an equilibrium without a potential it prevents convergence.
 */

import { solveGmres } from '../../linalg/gmres.ts';
import { addAntisymmetricPart } from '../loadJacobian.ts';
import { reduceRight, substituteBack } from './elimination.ts';
import { type System, writeSlave } from './welds.ts';

const slave = new Float64Array(18);

export function hasFollowers({ members }: System): boolean {
  return members.some(({ work }) => work.loadJacobian.asymmetry > 1e-4);
}

/** Improves the step in work.step and outerRight, which solved the symmetric system; `solve` solves for the bodies in place. */
export function refineForFollowers(
  system: System,
  shift: number,
  unshift: boolean,
  solve: (system: System, x: Float64Array) => void,
): void {
  const { members, outerRight } = system;
  const size = members.reduce((sum, { der }) => sum + der.size, outerRight.length);
  const write = (out: Float64Array): void => {
    let at = 0;
    for (const { work } of members) {
      out.set(work.step, at);
      at += work.step.length;
    }
    out.set(outerRight, at);
  };
  /** y = x − S⁻¹(W + J)x. */
  const apply = (y: Float64Array, x: Float64Array): void => {
    let at = 0;
    const bodies = size - outerRight.length;
    for (let i = 0; i < outerRight.length; i++) outerRight[i] = unshift ? system.outerShift[i] * x[bodies + i] : 0;
    for (const member of members) {
      const { der, work, ties } = member;
      const { step } = work;
      for (let d = 0; d < der.size; d++)
        step[d] = der.fixed[d] || !unshift ? 0 : shift * der.stiffnessScale[d] * x[at + d];
      addAntisymmetricPart(step, work.loadJacobian, x.subarray(at, at + der.size));
      at += der.size;
      for (const tie of ties) {
        writeSlave(slave, tie.lever);
        for (let k = 0; k < 6; k++)
          for (let i = 0; i < 3; i++) outerRight[6 * tie.body + k] += slave[6 * i + k] * step[4 * tie.node + i];
      }
      for (let d = 0; d < der.size; d++) if (der.fixed[d]) step[d] = 0;
      reduceRight(system, member);
    }
    system.bodies.forEach(({ body }, b) => {
      for (let k = 0; k < 6; k++) if (!body.free[k]) outerRight[6 * b + k] = 0;
    });
    solve(system, outerRight);
    for (const member of members) substituteBack(system, member);
    write(y);
    for (let i = 0; i < size; i++) y[i] = x[i] - y[i];
  };
  const b = new Float64Array(size);
  const x = new Float64Array(size);
  write(b);
  const residual = solveGmres(x, b, apply, 1e-10, 60);
  const best = residual < 0.1 ? x : b;
  let at = 0;
  for (const { der, work } of members) {
    work.step.set(best.subarray(at, at + der.size));
    at += der.size;
  }
  outerRight.set(best.subarray(at));
}
