/** Links of a scene, compiled: springs that join rods at crossings, or connect them to points. */
import { SceneError } from '../errors.ts';
import type { Rod } from './compiled.ts';
import { findPlace, type Layout } from './layout.ts';
import type { LinkSpec, Scene, Vec3 } from './types.ts';
import type { Path } from './varying.ts';

/** Pose of an edge at the start of the scene. */
export interface EdgePose {
  readonly from: Vec3;
  readonly to: Vec3;
  readonly director: Vec3;
}

/** A link of the scene. Its rest state is the start of the scene, even if the world starts elsewhere. */
export interface LinkPlan {
  readonly id: string;
  readonly rodA: number;
  readonly edgeA: number;
  readonly weightA: number;
  /** −1 for a point. */
  readonly rodB: number;
  readonly edgeB: number;
  readonly weightB: number;
  readonly point: Vec3;
  readonly together: boolean;
  readonly stiffness: number;
  readonly damping: number;
  /** Force at which it breaks [N]; infinite if it does not. */
  readonly strength: number;
  readonly about: 'none' | 'normal' | 'all';
  readonly turnStiffness: number;
  readonly turnDamping: number;
  /** Rods at the start of the scene. A cloth has millions of links, so data that they share is stored once. */
  readonly starts: readonly Rod[];
  /** Its number in the scene. */
  readonly index: number;
}

/** Path of a link in the scene. */
export const pathOfLink = ({ index }: LinkPlan): Path => ['links', index];

const ORIGIN: Vec3 = [0, 0, 0];

/** Compiles the links of a scene; a component of contact, without which a world has no links. */
export function compileLinks(
  { links = [], contact }: Scene,
  findRod: (id: string, path: Path) => number,
  layoutOf: (rod: number) => Layout,
  rods: readonly Rod[],
): LinkPlan[] {
  if (links.length > 0 && contact?.solver !== undefined && contact.solver !== 'admm')
    throw new SceneError(
      ['contact', 'solver'],
      `${contact.solver} does not support links; use admm, or remove 'links'`,
    );
  const names = new Map<string, number>();
  return links.map((spec, k) => {
    const path: Path = ['links', k];
    const { id = `link ${k}`, stiffness, damping = 0, rotation, to } = spec;
    const first = names.get(id);
    if (first !== undefined)
      throw new SceneError([...path, 'id'], `the id '${id}' is taken by link ${first}; ids must differ`);
    names.set(id, k);
    checkNumbers(spec, path);
    const rodA = findRod(spec.rod, [...path, 'rod']);
    const placeA = findPlace(spec.at, layoutOf(rodA), [...path, 'at']);
    const rodB = 'rod' in to ? findRod(to.rod, [...path, 'to', 'rod']) : -1;
    refuseBreaking(spec, [rods[rodA], rods[rodB]], path);
    const placeB = 'rod' in to ? findPlace(to.at, layoutOf(rodB), [...path, 'to', 'at']) : undefined;
    if (rodB === rodA && placeB?.edge === placeA.edge)
      throw new SceneError([...path, 'to'], 'the link joins an edge to itself; name another place, or another rod');
    if (rodB < 0 && rotation?.about === 'normal')
      throw new SceneError(
        [...path, 'rotation', 'about'],
        'a point has no direction, and with it no normal; use about: all, or link the rod to another',
      );
    return {
      id,
      rodA,
      edgeA: placeA.edge,
      weightA: placeA.fraction,
      rodB,
      edgeB: placeB?.edge ?? 0,
      weightB: placeB?.fraction ?? 0,
      point: 'point' in to ? to.point : ORIGIN,
      together: spec.rest === 'together',
      stiffness,
      damping,
      strength: spec.break?.force ?? Infinity,
      about: rotation ? (rotation.about ?? 'all') : 'none',
      turnStiffness: rotation?.stiffness ?? 0,
      turnDamping: rotation?.damping ?? 0,
      starts: rods,
      index: k,
    };
  });
}

function checkNumbers({ stiffness, damping = 0, rotation }: LinkSpec, path: Path): void {
  if (!(stiffness > 0))
    throw new SceneError([...path, 'stiffness'], `the stiffness is ${stiffness} N/m; it must be positive`);
  if (!(damping >= 0))
    throw new SceneError([...path, 'damping'], `the damping is ${damping} N s/m; it must be zero or more`);
  if (!rotation) return;
  if (!(rotation.stiffness > 0))
    throw new SceneError(
      [...path, 'rotation', 'stiffness'],
      `the stiffness is ${rotation.stiffness} N m; it must be positive, or leave 'rotation' out`,
    );
  if (!((rotation.damping ?? 0) >= 0))
    throw new SceneError(
      [...path, 'rotation', 'damping'],
      `the damping is ${rotation.damping} N m s; it must be zero or more`,
    );
}

/** Links that hold the angle between rods are kept as records without a state of their own: they do not break, nor do their rods. */
function refuseBreaking({ break: strength, rotation }: LinkSpec, rods: readonly (Rod | undefined)[], path: Path): void {
  if (strength && !(strength.force > 0))
    throw new SceneError([...path, 'break', 'force'], `the force is ${strength.force} N; it must be positive`);
  if (rotation?.about !== 'normal') return;
  const rod = rods.find((one) => one?.strength);
  if (!strength && !rod) return;
  throw new SceneError(
    [...path, 'rotation', 'about'],
    `a link with about: normal does not break${rod ? `, and rod '${rod.id}' does` : ''}; use about: all, or remove 'break'`,
  );
}
