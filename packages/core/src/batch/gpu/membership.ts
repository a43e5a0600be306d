/** Which strands of a bundle a device moves, and in which groups; the reference moves the others. */
import { loadsDependOnState } from '../pose.ts';
import type { BatchRod } from '../rod.ts';
import type { RootKind } from '../strand.ts';

/** Strands that one program moves: they have the same number of nodes, kind of root, damping and air. */
export interface Members {
  readonly nodes: number;
  readonly root: RootKind;
  /** [1/s] and [s] */
  readonly massDamping: number;
  readonly stiffnessDamping: number;
  /** Number of the air around them among those of the bundle; -1: none. */
  readonly air: number;
  /** Indices in the bundle. */
  readonly rods: readonly number[];
}

export interface Membership {
  readonly groups: readonly Members[];
  /** Rods that the reference moves, with the reason, in words that continue "rod 'x'". */
  readonly others: readonly { readonly rod: number; readonly reason: string }[];
}

/** Damping per mass is a quotient of sums along the rod, so equal values differ by rounding. */
const ROUNDING = 1e-12;

function isConstant(values: Float64Array): boolean {
  return values.every((value) => Math.abs(value - values[0]) <= ROUNDING * Math.abs(values[0]));
}

/** Conditions under which a device can move strands. */
export interface Abilities {
  /** Number of obstacles around the strands. */
  readonly obstacles: number;
  /** True if it moves strands that are pinned, or free where there are no obstacles. */
  readonly looseRoots: boolean;
}

/** Why the device cannot move a strand now; undefined if it can. */
function findReason(batch: BatchRod, { obstacles, looseRoots }: Abilities): string | undefined {
  const { strand, drive } = batch;
  const { kind } = strand.root;
  if (kind !== 'clamped' && !looseRoots) return `is ${kind}, not clamped, at its first node`;
  if (kind === 'free' && obstacles > 0) return 'is free at its first node and may meet colliders';
  if ((drive.overrides ?? 0) > 0) return 'is held or loaded by hand';
  if (loadsDependOnState(batch))
    return 'has loads that depend on its motion or place (wind that varies from place to place, torques, followers, fields)';
  if (!isConstant(strand.nodeDamping) || !isConstant(strand.jointDamping)) return 'has damping that varies along it';
  if (obstacles > strand.edgeCount + 1) return 'has fewer nodes than there are colliders';
  return undefined;
}

/** Divides strands by their roots as last evaluated. */
export function divideStrands(strands: readonly BatchRod[], abilities: Abilities): Membership {
  const groups = new Map<string, Members & { readonly rods: number[] }>();
  const others: { rod: number; reason: string }[] = [];
  const fields: object[] = [];
  const airOf = ({ airSource }: BatchRod): number => {
    const field = airSource?.air?.field;
    if (field && !fields.includes(field)) fields.push(field);
    return field ? fields.indexOf(field) : -1;
  };
  strands.forEach((batch, rod) => {
    const reason = findReason(batch, abilities);
    if (reason !== undefined) {
      others.push({ rod, reason });
      return;
    }
    const { strand } = batch;
    const [nodes, massDamping, stiffnessDamping] = [
      strand.edgeCount + 1,
      strand.nodeDamping[0],
      strand.jointDamping[0],
    ];
    const root = strand.root.kind;
    const air = airOf(batch);
    const key = [nodes, root, massDamping.toPrecision(12), stiffnessDamping.toPrecision(12), air].join(' ');
    const group = groups.get(key) ?? { nodes, root, massDamping, stiffnessDamping, air, rods: [] };
    group.rods.push(rod);
    groups.set(key, group);
  });
  return { groups: [...groups.values()], others };
}
