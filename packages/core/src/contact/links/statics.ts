/**
 * Equilibria of rods that links join: Newton's method on all of them at once.
 *
 * The rods' matrices stand on the diagonal of one sparse matrix, the links' blocks between them; a node is eliminated as a whole, in an
 * order of least degree. Eliminating the rods first and solving for the links' forces, as for welds to bodies, does not do: a rod that
 * nothing holds but its links has no inverse.
 *
 * Forces of links are unknowns of their own, f = k(e + B dq) after a step, as tensions of edges are: with f = k e a stiff joint
 * between sections that turn stalls the iteration. Where Newton does not get through: loads in parts, then steps of descent with a
 * fictitious inertia that fades. An unstable equilibrium is left along its softest direction, as that of a lone rod is.
 */

import { factorSparse, solveSparse } from '../../linalg/sparse.ts';
import { sin } from '../../math/rounded/index.ts';
import type { EquilibriumOptions, EquilibriumReport, RestRod } from '../../model.ts';
import type { Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import { noVerdict, type StableSearch, seekStable, type Verdict } from '../../statics/search.ts';
import { createGroup, joinRods, type RestGroup } from './assembly.ts';
import { canSettleByForces, type ForceParts, type LoneRest, settleByForces } from './forceStatics.ts';
import type { Links } from './linkData.ts';
import { setLinkForce, stiffnessOf } from './links.ts';
import { isDirect, measureBlock, writeBlockMatrix } from './stiffness.ts';

export interface LinkedRest {
  /** Of every rod that a link holds, by its number in the scene. */
  equilibrate(from: number, t: number, options: EquilibriumOptions): ReadonlyMap<number, EquilibriumReport>;
}

interface Outcome {
  converged: boolean;
  iterations: number;
  residual: number;
  tolerance: number;
  reason: string;
}

/** Newton's method and what surrounds it, of one group. */
function createSearch(
  {
    rods: members,
    parts,
    first,
    size,
    blocks,
    partSlot,
    blockSlot,
    blockUnknown,
    factor,
    values,
    entries,
    x,
    anchor,
  }: RestGroup,
  links: Links,
  rods: readonly Rod[],
  samples: readonly Samples[],
) {
  const scaleOf = new Float64Array(size);
  const zeroOf = new Float64Array(size);
  parts.forEach(({ scale, zero }, m) => {
    scaleOf.set(scale, first[m]);
    zeroOf.set(zero, first[m]);
  });
  const fixed = new Uint8Array(size);
  const placeOf = new Map(members.map((rod, m) => [rod, m]));
  const plain = (): number => Infinity;
  /** For signs of eigenvalues: springs no stiffer than they need be, beside bending. */
  const capOf =
    (b: number) =>
    (row: number): number => {
      let stiffest = 0;
      const unknown = blockUnknown[b];
      for (let i = 0; i < unknown.length; i++) {
        const twist = blocks[b].perEnd === 7 && i % 7 === 6;
        if (row < 3 !== twist) stiffest = Math.max(stiffest, scaleOf[unknown[i]]);
      }
      return stiffest > 0 ? 1e4 * stiffest : Infinity;
    };

  /** Residuals (and matrices) of rods and links; sums of forces on each rod, or NaN. */
  const scales = new Float64Array(parts.length);
  const evaluate = (t: number, what: 'matrix' | 'tangent', inertia: number): boolean => {
    values.fill(0);
    for (let m = 0; m < parts.length; m++) {
      const part = parts[m];
      scales[m] = part.evaluate(t, what);
      if (Number.isNaN(scales[m])) return false;
      part.readMatrix(entries);
      const slot = partSlot[m];
      for (let k = 0; k < slot.length; k++) values[slot[k]] += entries[k];
      for (let d = 0; d < part.size; d++) {
        fixed[first[m] + d] = part.fixed[d];
        if (inertia === 0) continue;
        part.residual[d] += inertia * part.scale[d] * (part.q[d] - anchor[first[m] + d]);
        values[first[m] + d] += inertia * part.scale[d];
      }
    }
    blocks.forEach((block, b) => {
      measureBlock(block, links, rods, samples);
      writeBlockMatrix(block, links, rods, samples, what === 'tangent' ? capOf(b) : plain);
      let k = 0;
      for (let i = 0; i < block.size; i++) {
        const m = placeOf.get(block.rod[i]) as number;
        parts[m].residual[block.unknown[i]] += block.gradient[i];
        for (let j = 0; j <= i; j++, k++) {
          // a ring of few nodes may name one of them twice
          const twice = i !== j && blockUnknown[b][i] === blockUnknown[b][j] ? 2 : 1;
          values[blockSlot[b][k]] += twice * block.matrix[i * block.size + j];
        }
      }
      for (let r = 0; r < Math.min(3, block.link.rows); r++) {
        const size = Math.abs(block.force[r]);
        scales[placeOf.get(block.link.plan.rodA) as number] += size;
        if (block.link.plan.rodB >= 0) scales[placeOf.get(block.link.plan.rodB) as number] += size;
      }
    });
    dropFixed();
    return true;
  };

  const dropFixed = (): void => {
    const drop = (slot: number, i: number, j: number): void => {
      if (fixed[i] || fixed[j]) values[slot] = i === j ? 1 : 0;
    };
    parts.forEach((part, m) => {
      part.pairs.forEach(([i, j], k) => {
        drop(partSlot[m][k], first[m] + i, first[m] + j);
      });
    });
    blockUnknown.forEach((unknown, b) => {
      let k = 0;
      for (let i = 0; i < unknown.length; i++)
        for (let j = 0; j <= i; j++, k++) drop(blockSlot[b][k], unknown[i], unknown[j]);
    });
  };

  /** Whether all rods are in balance, and every link has the force of its strain. */
  const isSettled = (out: Outcome, tolerance: number): boolean => {
    let settled = true;
    out.residual = 0;
    out.tolerance = 0;
    parts.forEach((part, m) => {
      const one = part.settled(scales[m], tolerance);
      if (!one.settled) settled = false;
      out.residual = Math.max(out.residual, one.residual);
      out.tolerance = Math.max(out.tolerance, one.limit);
    });
    for (const { link, force } of blocks) {
      const { rodA, edgeA } = link.plan;
      const x = samples[rodA].nodePosition;
      const extent = Math.max(rods[rodA].length, Math.abs(x[0]), Math.abs(x[1]), Math.abs(x[2]));
      for (let r = 0; r < link.rows; r++) {
        if (isDirect(link, r)) continue;
        const k = stiffnessOf(link, r);
        const edge = rods[rodA].edgeLengthRest[edgeA];
        const least = r < 3 ? Math.max(1e-12 * edge, 4e-15 * extent) : 1e-12;
        if (!(Math.abs(link.strain[r] - force[r] / k) <= Math.max(least, out.tolerance / k))) settled = false;
      }
    }
    return settled;
  };

  const factorShifted = (shift: number, indefinite = false): boolean => {
    const saved = shift > 0 ? values.slice(0, size) : undefined;
    for (let i = 0; i < size && saved; i++) if (!fixed[i]) values[i] += shift * scaleOf[i];
    const done = factorSparse(factor, values, 0) && (factor.negative === 0 || indefinite);
    if (saved) values.set(saved);
    return done;
  };

  /** How far x turns or stretches the edges of a rod. */
  const largestTurn = (m: number): number => {
    const { edgeLengthRest, edgeCount } = rods[members[m]];
    let turn = 0;
    for (let d = first[m] + 4; d < first[m] + parts[m].size; d++) {
      const k = d - first[m];
      const edge = edgeLengthRest[Math.min((k >> 2) - 1, edgeCount - 1)];
      turn = Math.max(turn, (k & 3) === 3 ? Math.abs(x[d]) : Math.abs(x[d] - x[d - 4]) / edge);
    }
    return turn;
  };

  const newton = (t: number, tolerance: number, limit: number, inertia: number, leaving = false): Outcome => {
    const out: Outcome = { converged: false, iterations: 0, residual: 0, tolerance: 0, reason: '' };
    // on the way from a saddle a larger shift would creep
    const firstShift = leaving ? 1e-9 : 1e-7;
    let [shift, lastPart, lastMove] = [0, 0, Infinity];
    for (;;) {
      if (!evaluate(t, 'matrix', inertia))
        return { ...out, reason: 'an edge has no length, or two point against each other' };
      if (isSettled(out, tolerance)) return { ...out, converged: true };
      if (!(out.residual < Infinity)) return { ...out, reason: 'the residual is not a number' };
      if (out.iterations >= limit) return { ...out, reason: `no convergence in ${limit} iterations` };
      // close to an equilibrium it is gone to as it is: what is unstable is told by the verdict, and creeping away takes forever
      const near = !leaving && lastPart === 1 && lastMove < 1e-2;
      while (!factorShifted(shift, near)) {
        shift = shift === 0 ? firstShift : 4 * shift;
        if (shift > 1e8) return { ...out, reason: 'the stiffness matrix cannot be made positive definite' };
      }
      writeRight();
      solveSparse(factor, x);
      let part = 1;
      lastMove = 0;
      parts.forEach((one, m) => {
        for (let d = 0; d < one.size; d++) one.step[d] = fixed[first[m] + d] ? 0 : x[first[m] + d];
        part = Math.min(part, one.limitStep());
        lastMove = Math.max(lastMove, largestTurn(m));
      });
      if (!(part > 0)) return { ...out, reason: 'the Newton step is not a number' };
      takeStep(part);
      lastPart = part;
      shift = shift > 4 * firstShift ? shift / 4 : 0;
      out.iterations++;
    }
  };

  const writeRight = (): void => {
    parts.forEach((part, m) => {
      part.writeRight();
      for (let d = 0; d < part.size; d++) x[first[m] + d] = fixed[first[m] + d] ? 0 : part.step[d];
    });
    blocks.forEach(({ link, rate, force, size: n }, b) => {
      for (let r = 0; r < link.rows; r++) {
        if (isDirect(link, r)) continue;
        const lag = stiffnessOf(link, r) * link.strain[r] - force[r];
        for (let i = 0; i < n; i++) {
          const d = blockUnknown[b][i];
          if (!fixed[d]) x[d] -= lag * rate[r * n + i];
        }
      }
    });
  };

  const takeStep = (part: number): void => {
    blocks.forEach(({ link, rate, force, size: n }, b) => {
      for (let r = 0; r < link.rows; r++) {
        if (isDirect(link, r)) continue;
        let strain = link.strain[r];
        for (let i = 0; i < n; i++) strain += rate[r * n + i] * (fixed[blockUnknown[b][i]] ? 0 : x[blockUnknown[b][i]]);
        force[r] += part * (stiffnessOf(link, r) * strain - force[r]);
      }
    });
    for (const one of parts) one.takeStep(part);
  };

  const heldForce = blocks.map(({ force }) => force.slice());
  const hold = (): void => {
    for (const part of parts) part.hold();
    blocks.forEach(({ force }, b) => {
      heldForce[b].set(force);
    });
  };
  const revert = (t: number): void => {
    for (const part of parts) part.revert(t);
    blocks.forEach(({ force }, b) => {
      force.set(heldForce[b]);
    });
  };

  /** Steps of E + c·|q − q₀|²/2 in the metric of the stiffness, c fading while they succeed. */
  const descend = (t: number, count: number): number => {
    let inertia = 1e-2;
    let iterations = 0;
    for (let accepted = 0, tries = 0; accepted < count && tries < 3 * count; tries++) {
      hold();
      parts.forEach((part, m) => {
        anchor.set(part.q, first[m]);
      });
      const one = newton(t, 1e-6, 30, inertia);
      iterations += one.iterations;
      if (one.converged) accepted++;
      else revert(t);
      inertia *= one.converged ? 0.25 : 16;
      if (inertia < 1e-12 || inertia > 1e8) break;
    }
    return iterations;
  };

  /** Loads in parts that grow while Newton gets through and shrink where it does not. */
  const raise = (t: number, tolerance: number): Outcome => {
    const load = (part: number): void => {
      for (const one of parts) one.load(part);
    };
    let part = 0.1;
    load(0);
    let found = newton(t, 1e-6, 60, 0);
    let { iterations } = found;
    for (let reached = 0; found.converged && reached < 1; ) {
      hold();
      const next = Math.min(1, reached + part);
      load(next);
      found = newton(t, next < 1 ? 1e-6 : tolerance, 30, 0);
      iterations += found.iterations;
      if (found.converged) {
        reached = next;
        part *= 1.5;
      } else if (part > 0.004) {
        revert(t);
        part /= 3;
        found.converged = true;
      }
    }
    load(1);
    return { ...found, iterations };
  };

  /** Negative eigenvalues of the tangent stiffness; −1 where nothing can be said. */
  const judge = (t: number): Verdict => {
    const none = { negativeModes: -1, criterion: 'none' } as const;
    if (!evaluate(t, 'tangent', 0) || parts.some(({ conservative }) => !conservative)) return none;
    for (let i = 0; i < size; i++) if (!fixed[i]) values[i] += zeroOf[i];
    if (!factorSparse(factor, values, 0)) return none;
    return { negativeModes: factor.negative, criterion: 'energy' };
  };

  /** Along the softest direction, by `amplitude` of the longest rod or until some edge turns by 0.3 rad. */
  const nudge = (t: number, amplitude: number): void => {
    if (!evaluate(t, 'tangent', 0)) return;
    let shift = 1e-9;
    while (!factorShifted(shift) && shift < 1e8) shift *= 1.5;
    for (let d = 0; d < size; d++) x[d] = fixed[d] ? 0 : sin(1 + 0.7 * d) + 0.3 * sin(0.1 * d);
    let [move, turn, length] = [1, 1e-300, 0];
    for (let k = 0; k < 60; k++) {
      for (let d = 0; d < size; d++) x[d] = fixed[d] ? 0 : x[d] * scaleOf[d];
      solveSparse(factor, x);
      move = 1e-300;
      for (let d = 0; d < size; d++) if (!fixed[d] && isPlace(d)) move = Math.max(move, Math.abs(x[d]));
      for (let d = 0; d < size; d++) x[d] /= move;
    }
    parts.forEach((_, m) => {
      length = Math.max(length, rods[members[m]].length);
      turn = Math.max(turn, largestTurn(m));
    });
    const size0 = Math.min(amplitude * length, 0.3 / turn);
    parts.forEach((part, m) => {
      for (let d = 0; d < part.size; d++) if (!fixed[first[m] + d]) part.q[d] += size0 * x[first[m] + d];
    });
  };
  const isPlace = (d: number): boolean => {
    let m = parts.length - 1;
    while (first[m] > d) m--;
    return ((d - first[m]) & 3) !== 3;
  };

  const settle = (t: number, tolerance: number, leaving: boolean): Outcome => {
    hold();
    const entry = parts.map(({ q }) => q.slice());
    let found = newton(t, tolerance, 60, 0, leaving);
    let { iterations } = found;
    if (!found.converged && !leaving) {
      revert(t);
      found = raise(t, tolerance);
      iterations += found.iterations;
      if (!found.converged) {
        parts.forEach((part, m) => {
          part.q.set(entry[m]);
        });
        for (const part of parts) part.place(t);
      }
    } else if (!found.converged) revert(t);
    for (let round = 0; !found.converged && round < 6; round++) {
      nudge(t, 2e-3);
      iterations += descend(t, 20);
      hold();
      found = newton(t, tolerance, 100, 0, leaving);
      iterations += found.iterations;
      if (!found.converged) revert(t);
    }
    return { ...found, iterations };
  };

  return {
    hold,
    revert,
    place: (t: number): boolean => parts.every((part) => part.place(t)),
    settle,
    judge,
    nudge,
    descend,
    /** Samples at rest, and what the links' next step starts from. */
    finish(): void {
      const outside = parts.map((part) => new Float64Array(part.size));
      for (const block of blocks) {
        measureBlock(block, links, rods, samples);
        setLinkForce(links, block.link, block.force);
        for (let i = 0; i < block.size; i++)
          outside[placeOf.get(block.rod[i]) as number][block.unknown[i]] -= block.gradient[i];
      }
      parts.forEach((part, m) => {
        part.finish(outside[m]);
      });
    },
    /** Forces as the strains have them. */
    start(): void {
      for (const block of blocks) {
        measureBlock(block, links, rods, samples);
        for (let r = 0; r < block.link.rows; r++) block.force[r] = stiffnessOf(block.link, r) * block.link.strain[r];
      }
    },
  };
}

/** Settles at t; where pins have gone far since `from`, in steps of time. */
function goTo(search: ReturnType<typeof createSearch>, from: number, t: number, tolerance: number): Outcome {
  let iterations = 0;
  const settleAt = (until: number, precision: number): Outcome => {
    search.place(until);
    search.start();
    const found = search.settle(until, precision, false);
    iterations += found.iterations;
    return found;
  };
  search.hold();
  let found = settleAt(t, tolerance);
  if (!found.converged && from !== t) {
    search.revert(from);
    for (let k = 1; k <= 32; k++)
      found = settleAt(k < 32 ? from + ((t - from) * k) / 32 : t, k < 32 ? 1e-6 : tolerance);
  }
  return { ...found, iterations };
}

/** What rods that links join need of their models. */
export interface RestParts {
  readonly links: Links;
  readonly rods: readonly Rod[];
  readonly samples: readonly Samples[];
  /** A rod's equations, where its model gives them. */
  readonly restOf: (rod: number) => RestRod | undefined;
  readonly alone: LoneRest;
}

type Seek = (from: number, t: number, options: EquilibriumOptions) => EquilibriumReport;

/** By Newton's method on the equations of all rods. */
function seekTogether(search: ReturnType<typeof createSearch>): Seek {
  return (from, t, options) => {
    const { tolerance } = options;
    const report = seekStable(
      {
        settle: (leaving) => (leaving ? search.settle(t, tolerance, true) : goTo(search, from, t, tolerance)),
        judge: () => search.judge(t),
        leave(round) {
          search.nudge(t, 0.02 * round);
          return search.descend(t, 60);
        },
      },
      '',
      options,
    );
    search.finish();
    return report;
  };
}

/** By the forces of the links, each rod by its own search. */
function seekByForces(parts: ForceParts): Seek {
  return (_, t, options) => {
    let found: ReturnType<typeof settleByForces> | undefined;
    const search: StableSearch = {
      settle: () => {
        found = settleByForces(parts, t, options);
        return found;
      },
      judge: () => found ?? noVerdict,
      leave: () => 0,
      leaves: false,
    };
    const report = seekStable(search, '', options);
    parts.alone.applyForces();
    return report;
  };
}

export function createLinkedRest({ links, rods, samples, restOf, alone }: RestParts): LinkedRest {
  const groups = joinRods(links, rods.length).map((members): { members: readonly number[]; seek: Seek } => {
    const inside = new Set(members);
    const list = links.list.filter(({ plan }) => inside.has(plan.rodA));
    const hasEquations = members.every((rod) => restOf(rod));
    if (!hasEquations && canSettleByForces(list))
      return { members, seek: seekByForces({ members, list, links, rods, samples, alone }) };
    const group = createGroup(members, list, rods, samples, restOf);
    return { members, seek: seekTogether(createSearch(group, links, rods, samples)) };
  });
  return {
    equilibrate(from, t, options) {
      const reports = new Map<number, EquilibriumReport>();
      for (const { members, seek } of groups) {
        const report = seek(from, t, options);
        for (const rod of members) reports.set(rod, { ...report, rod: rods[rod].id });
      }
      return reports;
    },
  };
}
