/** Contacts and links of a step, as observers see them. */
import { hypot, hypotOf } from '../math/rounded/index.ts';
import type { Rod } from '../scene/compiled.ts';
import type { ContactSet } from './contactSet.ts';
import type { Links } from './links/linkData.ts';
import { memoryOf } from './links/links.ts';
import type { Collider } from './shapes/collider.ts';

/** A contact that carries force, for observers. */
export interface ContactForce {
  /** Id of the rod. */
  readonly rod: string;
  /** The other rod, or the collider. */
  readonly other: string;
  /** What the rod touches. */
  readonly kind: 'rod' | 'collider';
  /** Point on the rod: edge, and weight of its second node. */
  readonly edge: number;
  /** Weight of the second node of `edge`, 0 to 1. */
  readonly weight: number;
  /** Force on the rod [N]. */
  readonly force: readonly [number, number, number];
  /** Point on the other rod; absent for a collider. */
  readonly otherEdge?: number;
  /** Weight of the second node of `otherEdge`; absent for a collider. */
  readonly otherWeight?: number;
  /** Unit normal towards the rod, as used by the solver; the tangential part of the force is friction. */
  readonly normal: readonly [number, number, number];
  /**
   * Current gap between the surfaces [m], negative if they overlap. For two edges, or for an edge that touches a collider between its nodes, the
   * least gap along them.
   */
  readonly gap: number;
  /** True if the surfaces slide on each other. */
  readonly sliding: boolean;
}

/** Force and torque of a link on its first rod; the other end receives the opposite. */
export interface LinkForce {
  /** Name of the link. */
  readonly id: string;
  /** The rod. */
  readonly rod: string;
  /** Edge of the rod that the link is attached to. */
  readonly edge: number;
  /** Position on that edge, from 0 at its first node to 1 at its second. */
  readonly weight: number;
  /** The other rod; absent if the other end is a fixed point. */
  readonly other?: string;
  /** Force on the rod at the end of the last step, or in the equilibrium [N]. */
  readonly force: readonly [number, number, number];
  /** Elongation of the link [m]. */
  readonly stretch: number;
  /** Magnitude of the torque on the rod [N m]; absent if the rods turn freely. */
  readonly torque?: number;
  /** Rotation of the link [rad]; absent if the rods turn freely. */
  readonly angle?: number;
}

/** How the contacts and links of a step were solved, over all its substeps. */
export interface ContactReport {
  /** Number of contact points. */
  contacts: number;
  /** Solver iterations, summed over the substeps. */
  iterations: number;
  /** Residual: error of the contact velocities [m/s]. */
  error: number;
  /** True if the residual is within the tolerance for every contact. */
  converged: boolean;
  /** Pairs of edges that would have passed through each other without the continuous check. */
  swept: number;
  /** Largest overlap of surfaces at the start of the step or of a substep [m]. */
  overlap: number;
  /** The contact with the largest error, if that is beyond the tolerance and the contact is known. */
  worst?: { readonly rod: string; readonly other: string };
}

export function createReport(): ContactReport {
  return { contacts: 0, iterations: 0, error: 0, converged: true, swept: 0, overlap: 0 };
}

export function clearReport(report: ContactReport): void {
  Object.assign(report, { contacts: 0, iterations: 0, error: 0, converged: true, swept: 0, overlap: 0 });
  report.worst = undefined;
}

/** Adds the report of a substep to that of the substeps before it. */
export function addReport(report: ContactReport, substep: ContactReport): void {
  if (substep.worst && (!report.worst || substep.error > report.error)) report.worst = substep.worst;
  report.contacts = substep.contacts;
  report.iterations = Math.max(report.iterations, substep.iterations);
  report.error = Math.max(report.error, substep.error);
  report.converged &&= substep.converged;
  report.swept += substep.swept;
  report.overlap = Math.max(report.overlap, substep.overlap);
}

/** Contacts that carry force, with the impulses of a step dt and the given gaps. */
export function listForces(
  set: ContactSet,
  rods: readonly Rod[],
  colliders: readonly Collider[],
  dt: number,
): ContactForce[] {
  const list: ContactForce[] = [];
  for (let c = 0; c < set.count; c++) {
    const o = 3 * c;
    const [x, y, z] = [set.impulse[o] / dt, set.impulse[o + 1] / dt, set.impulse[o + 2] / dt];
    if (x === 0 && y === 0 && z === 0) continue;
    const collider = set.collider[c];
    list.push({
      rod: rods[set.rodA[c]].id,
      other: collider >= 0 ? colliders[collider].id : rods[set.rodB[c]].id,
      kind: collider >= 0 ? 'collider' : 'rod',
      edge: set.edgeA[c],
      weight: set.weightA[c],
      ...(collider < 0 && { otherEdge: set.edgeB[c], otherWeight: set.weightB[c] }),
      force: [x, y, z],
      normal: [set.normal[o], set.normal[o + 1], set.normal[o + 2]],
      gap: set.gap[c],
      sliding: set.slides[c] === 1,
    });
  }
  return list;
}

/** All links, in the scene's order. */
export function listLinkForces(links: Links, rods: readonly Rod[]): LinkForce[] {
  return links.plans.map((plan) => {
    const { force, strain } = memoryOf(links, plan);
    const acts = links.broken[plan.index] === 1 ? 0 : 1;
    const { id, rodA, rodB, edgeA, weightA, about } = plan;
    return {
      id,
      rod: rods[rodA].id,
      edge: edgeA,
      weight: weightA,
      ...(rodB >= 0 && { other: rods[rodB].id }),
      force: [acts * force[0], acts * force[1], acts * force[2]],
      stretch: hypot(strain[0], strain[1], strain[2]),
      ...(about !== 'none' && { torque: acts * hypotOf(force.subarray(3)), angle: hypotOf(strain.subarray(3)) }),
    };
  });
}
