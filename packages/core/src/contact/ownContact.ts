/**
 * Contact of a world whose only bundle solves contact itself (`Bundle.ownContact`): obstacles of simple shapes, and pairs of rods. This file
 * describes the colliders to the bundle, rejects those that it does not support, and answers the same queries as contactWorld.ts.
 */
import { SceneError } from '../errors.ts';
import { hypot } from '../math/rounded/index.ts';
import type { Bundle, StepOutcome } from '../model.ts';
import type { OwnContact, OwnContactRow, RodPairs, Samples, SolidMotion, SolidScene, StepRequest } from '../port.ts';

import { gravityOf } from '../scene/loads.ts';
import type { ColliderSpec } from '../scene/types.ts';
import { checkSpec, warnOverlaps } from './check.ts';
import { createContactSet } from './contactSet.ts';
import type { ContactWorld, ContactWorldParts } from './contactWorld.ts';
import { createColliderSearch } from './detect/colliderSearch.ts';
import { findRoots, warnRoots } from './detect/embeddedRoots.ts';
import { createFinder, findContacts } from './detect/finder.ts';
import type { Root } from './detect/finderData.ts';
import { readRules } from './detect/rules.ts';
import { createLinks } from './links/links.ts';
import { type ContactForce, clearReport, createReport } from './report.ts';
import { type Collider, measureDistance, placeCollider } from './shapes/collider.ts';
import { tabulateShape } from './shapes/distanceTable.ts';

type Vector = readonly [number, number, number];

/** A collider's solid in the collider's axes: position and dimensions. */
interface LocalSolid extends Pick<SolidMotion, 'shape' | 'half' | 'rounding' | 'start' | 'counts'> {
  readonly center: Vector;
  /** Rotation from the axes of the solid to those of the collider, row by row. */
  readonly axes: readonly number[];
}

const same = [1, 0, 0, 0, 1, 0, 0, 0, 1];

/** A rotation that takes the z axis to a direction, row by row. */
function axesAlong(direction: ArrayLike<number>): number[] {
  const length = hypot(direction[0], direction[1], direction[2]);
  const z = [0, 1, 2].map((k) => direction[k] / length);
  const least = [0, 1, 2].reduce((best, k) => (Math.abs(z[k]) < Math.abs(z[best]) ? k : best), 0);
  const along = z[least];
  const x = z.map((one, k) => (k === least ? 1 : 0) - along * one);
  const size = hypot(x[0], x[1], x[2]);
  const [a, b, c] = x.map((one) => one / size);
  const y = [z[1] * c - z[2] * b, z[2] * a - z[0] * c, z[0] * b - z[1] * a];
  return [a, y[0], z[0], b, y[1], z[1], c, y[2], z[2]];
}

const noField = { start: 0, counts: [0, 0, 0] } as const;

/** Undefined for shapes that take a distance field. */
function describeSolid(spec: ColliderSpec): LocalSolid | undefined {
  const point = { shape: 'box', half: [0, 0, 0], center: [0, 0, 0], axes: same, ...noField } as const;
  if (spec.type === 'sphere') return { ...point, rounding: spec.radius };
  if (spec.type === 'plane')
    return { ...point, shape: 'plane', rounding: 0, axes: axesAlong(spec.normal ?? [0, 0, 1]) };
  if (spec.type === 'box') {
    const { size, rounding = 0 } = spec;
    return { ...point, half: [0.5 * size[0] - rounding, 0.5 * size[1] - rounding, 0.5 * size[2] - rounding], rounding };
  }
  if (spec.type !== 'capsule') return undefined;
  const { from, to, radius } = spec;
  const along = [0, 1, 2].map((k) => to[k] - from[k]);
  const length = hypot(along[0], along[1], along[2]);
  return {
    shape: 'box',
    half: [0, 0, 0.5 * length],
    rounding: radius,
    center: [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]), 0.5 * (from[2] + to[2])],
    axes: length > 0 ? axesAlong(along) : same,
    ...noField,
  };
}

/** Returns why a shape has no distance field; undefined if it has one. */
function refuseField({ shape }: Collider): string | undefined {
  if (shape.thin) return 'surfaces without an inside';
  if (shape.update || shape.surfaceVelocity) return 'colliders that change their shape';
  if (!shape.bounds.every(Number.isFinite)) return 'colliders without a bounding box';
  return undefined;
}

/** Error of a distance field up to which it is fine enough, in radii of the thinnest rod. */
const FIELD_ERROR = 0.25;

/** Rows of all distance fields at most: a GPU gets their numbers as floats. */
const MOST_ROWS = 2 ** 24;

/** Solids of all colliders, and the rows of their distance fields. Warns about fields that are coarse. */
function describeSolids({ scene, rods, colliders, warnings }: ContactWorldParts): {
  readonly local: readonly LocalSolid[];
  readonly fields: Float32Array;
} {
  let radius = Infinity;
  let longest = 0;
  for (const { edgeRadius, edgeLengthRest } of rods)
    for (let j = 0; j < edgeRadius.length; j++) {
      radius = Math.min(radius, edgeRadius[j]);
      longest = Math.max(longest, edgeLengthRest[j]);
    }
  const tables: Float32Array[] = [];
  let start = 0;
  const local = (scene.colliders ?? []).map((spec, k): LocalSolid => {
    const solid = describeSolid(spec);
    if (solid) return solid;
    // the search on an edge begins where one of its ends is closer than its length
    const { rows, error, ...field } = tabulateShape(colliders[k].shape, longest + 4 * radius, FIELD_ERROR * radius);
    if (error > FIELD_ERROR * radius)
      warnings.push(
        `collider '${colliders[k].id}' is a table of distances to this backend, whose surface is off by up to ${(1e3 * error).toPrecision(2)} mm (${(error / radius).toPrecision(2)} radii of the thinnest rod); use backend: standard where that matters`,
      );
    tables.push(rows);
    start += rows.length / 4;
    return { ...field, shape: 'field', rounding: 0, axes: same, start: start - rows.length / 4 };
  });
  if (start > MOST_ROWS)
    throw new SceneError(
      ['colliders'],
      `the tables of distances have ${start} points, and this backend can number ${MOST_ROWS}; use fewer meshes, or backend: standard`,
    );
  const fields = new Float32Array(new SharedArrayBuffer(16 * start));
  for (let k = 0, o = 0; k < tables.length; o += tables[k].length, k++) fields.set(tables[k], o);
  return { local, fields };
}

/** Throws SceneError for scenes that the bundle's contact does not support. */
function refuseScene({ scene, rods, links, welds, colliders }: ContactWorldParts, name: string): void {
  const refuse = (path: readonly (string | number)[], what: string): never => {
    throw new SceneError(path, `${name} has no ${what} yet; use solver.der.backend: batch or standard`);
  };
  const { contact } = scene;
  if (links.length > 0) refuse(['links'], 'links');
  if (welds.length > 0) refuse(['welds'], 'rods welded to bodies');
  if (contact?.between === 'continuum') refuse(['contact', 'between'], 'hair as a continuum');
  if (contact?.rolling) refuse(['contact', 'rolling'], 'friction that turns rods');
  if (contact?.solver && contact.solver !== 'admm') refuse(['contact', 'solver'], `solver '${contact.solver}'`);
  scene.colliders?.forEach((spec, k) => {
    const at = (field: string): (string | number)[] => ['colliders', k, field];
    const why = describeSolid(spec) ? undefined : refuseField(colliders[k]);
    if (why !== undefined) refuse(at('type'), why);
    if (spec.hollow) refuse(at('hollow'), 'hollow colliders');
    if (spec.rods) refuse(at('rods'), 'colliders that act on some rods only');
    if (colliders[k].ride && !colliders[k].ridePath) refuse(at('body'), 'colliders on bodies without a path');
    if (colliders[k].restitution > 0) refuse(at('restitution'), 'restitution');
    if (colliders[k].changingFriction) refuse(at('friction'), 'friction that changes in time');
    if (colliders[k].staticFriction !== colliders[k].dynamicFriction)
      refuse(at('friction'), 'static friction apart from dynamic friction');
  });
  rods.forEach(({ surface, edgeRadius, id }, r) => {
    if (surface) refuse(['rods', r], 'surface properties of rods');
    if (edgeRadius.some((radius) => !(radius > 0)))
      throw new SceneError(
        ['rods', r, 'section'],
        `${name} gives contact a radius, and rod '${id}' has no thickness; give its section a radius`,
      );
  });
}

/** Settings of contact between rods; undefined if there is none. */
function readPairs({ scene, rods, drives, welds, links }: ContactWorldParts, name: string): RodPairs | undefined {
  const rules = readRules({ scene, rods, drives, welds, links });
  const { pairs, self, staticFriction, dynamicFriction, radius } = rules;
  if (!pairs) return undefined;
  if (rules.changingFriction)
    throw new SceneError(
      ['contact', 'friction', 'factor'],
      `${name} has no friction that changes in time; use solver.der.backend: standard`,
    );
  if (staticFriction !== dynamicFriction)
    throw new SceneError(
      ['contact', 'friction'],
      `${name} has no static friction apart from dynamic friction yet; use solver.der.backend: batch or standard`,
    );
  const radii = rods.map(({ edgeRadius }) => (radius > 0 ? edgeRadius.map(() => radius) : edgeRadius));
  return { friction: dynamicFriction, self, radiusOf: (rod) => radii[rod] };
}

function multiply(a: ArrayLike<number>, b: ArrayLike<number>): Float64Array {
  return Float64Array.from({ length: 9 }, (_, k) => {
    const [i, j] = [3 * Math.floor(k / 3), k % 3];
    return a[i] * b[j] + a[i + 1] * b[3 + j] + a[i + 2] * b[6 + j];
  });
}

const transpose = (a: ArrayLike<number>): number[] => [a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]];

/** Sets the poses at t and at t + dt, also on a body that moves on a path: the world moves such bodies between steps only. */
function placeOverStep(collider: Collider, t: number, dt: number): void {
  const { ride, ridePath, next } = collider;
  placeCollider(collider, t, dt);
  if (!ride || !ridePath) return;
  ridePath.evaluate(ride, t + dt);
  collider.evaluate(next, t + dt);
  ridePath.evaluate(ride, t);
  collider.evaluate(collider.now, t);
}

/** The solid over the step for which the collider is placed. */
function moveSolid({ center, axes, ...solid }: LocalSolid, { now, next, dynamicFriction }: Collider): SolidMotion {
  const place = ({ position, rotation: r }: Collider['now']): Vector => {
    const at = (k: number): number =>
      position[k] + r[3 * k] * center[0] + r[3 * k + 1] * center[1] + r[3 * k + 2] * center[2];
    return [at(0), at(1), at(2)];
  };
  const [position, end] = [place(now), place(next)];
  return {
    ...solid,
    position,
    axes: multiply(now.rotation, axes),
    friction: dynamicFriction,
    shift: [end[0] - position[0], end[1] - position[1], end[2] - position[2]],
    turn: multiply(next.rotation, transpose(now.rotation)),
  };
}

/** Number of edges, from the first on, that a collider ignores, by rod and collider; warns about them and about overlaps at the start. */
function findSpared(parts: ContactWorldParts, samples: readonly Samples[]): (rod: number, collider: number) => number {
  const { scene, rods, colliders, drives, welds, links, warnings, time } = parts;
  const rules = readRules({ scene, rods, drives, welds, links });
  const finder = createFinder({ rods, samples, colliders, rules, gravity: gravityOf(scene) });
  finder.roots = findRoots(finder, time);
  warnRoots(finder, warnings);
  const search = createColliderSearch(finder);
  for (const collider of colliders) placeCollider(collider, time, 1e-9);
  search.gather();
  const found = createContactSet();
  findContacts(finder, found, time, 1e-9, search.find);
  warnOverlaps(found, rods, colliders, warnings);
  const spared = new Map<string, number>();
  const edgesOf = ({ nodes, rod }: Root): number => Math.max(...nodes) - finder.nodeOffset[rod] + 1;
  for (const root of finder.roots) spared.set(`${root.rod} ${root.collider}`, edgesOf(root));
  return (rod, collider) => Math.min(spared.get(`${rod} ${collider}`) ?? 0, rods[rod].edgeCount);
}

/** Current position of a point of an edge [m]. */
function placeOf(edge: number, weight: number, x: Float64Array): Vector {
  const at = (k: number): number => (1 - weight) * x[3 * edge + k] + weight * x[3 * edge + 3 + k];
  return [at(0), at(1), at(2)];
}

/** The other side of a contact, for the list of contacts. */
type OtherPart = Pick<ContactForce, 'other' | 'kind' | 'gap' | 'otherEdge' | 'otherWeight'>;

function describeCollider(row: OwnContactRow, { rods, colliders }: ContactWorldParts, x: Float64Array): OtherPart {
  const found = new Float64Array(4);
  const collider = colliders[row.obstacle];
  measureDistance(found, collider, ...placeOf(row.edge, row.weight, x));
  return { other: collider.id, kind: 'collider', gap: found[0] - rods[row.rod].edgeRadius[row.edge] };
}

/** `pairs`: radii at which rods meet. */
function describeRod(
  { rod, edge, weight, other }: OwnContactRow,
  { rods }: ContactWorldParts,
  samples: readonly Samples[],
  pairs: RodPairs,
): OtherPart | undefined {
  if (!other) return undefined;
  const [a, b] = [
    placeOf(edge, weight, samples[rod].nodePosition),
    placeOf(other.edge, other.weight, samples[other.rod].nodePosition),
  ];
  return {
    other: rods[other.rod].id,
    kind: 'rod',
    otherEdge: other.edge,
    otherWeight: other.weight,
    gap:
      hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) - pairs.radiusOf(rod)[edge] - pairs.radiusOf(other.rod)[other.edge],
  };
}

/** True if the row is the second side of a contact between rods: the list has each contact once. */
function isSecondSide({ rod, edge, other }: OwnContactRow): boolean {
  return other !== undefined && (other.rod < rod || (other.rod === rod && other.edge < edge));
}

function listForces(own: OwnContact, parts: ContactWorldParts, samples: readonly Samples[], t: number): ContactForce[] {
  for (const collider of parts.colliders) placeCollider(collider, t, 0);
  const pairs = readPairs(parts, own.name);
  return own.listContacts().flatMap((row): ContactForce[] => {
    const { rod, edge, obstacle, weight, force, normal } = row;
    const along = force[0] * normal[0] + force[1] * normal[1] + force[2] * normal[2];
    if (!(along > 0) || isSecondSide(row)) return [];
    const across = hypot(...([0, 1, 2].map((k) => force[k] - along * normal[k]) as [number, number, number]));
    const friction = obstacle >= 0 ? parts.colliders[obstacle].dynamicFriction : (pairs?.friction ?? 0);
    const other =
      (pairs && describeRod(row, parts, samples, pairs)) ?? describeCollider(row, parts, samples[rod].nodePosition);
    const sliding = across > (1 - 1e-4) * friction * along;
    return [{ rod: parts.rods[rod].id, edge, weight, force, normal, sliding, ...other }];
  });
}

/** Numbers per row in a saved state. A contact between rods has two rows; the second has the point on the other rod. */
const SAVED = 12;

function saveRows(rows: readonly OwnContactRow[]): Float64Array {
  return Float64Array.from(
    rows.flatMap(({ rod, edge, obstacle, other, place, age, weight, force, normal }) => [
      ...[rod, edge, obstacle, place, age, weight],
      ...force,
      ...normal,
      ...(other ? [other.rod, other.edge, other.weight, 0, 0, 0, 0, 0, 0, 0, 0, 0] : []),
    ]),
  );
}

function readRows(saved: Float64Array): OwnContactRow[] {
  const rows: OwnContactRow[] = [];
  for (let o = 0; o < saved.length; o += SAVED) {
    const [rod, edge, obstacle, place, age, weight, a, b, c, x, y, z] = saved.subarray(o, o + SAVED);
    const row = { rod, edge, obstacle, place, age, weight, force: [a, b, c], normal: [x, y, z] } as const;
    if (obstacle >= 0) rows.push(row);
    else {
      o += SAVED;
      rows.push({ ...row, other: { rod: saved[o], edge: saved[o + 1], weight: saved[o + 2] } });
    }
  }
  return rows;
}

/** What a rod touches whose contacts did not converge. */
function findOther(own: OwnContact, { rods, colliders, scene }: ContactWorldParts, rod: number): string {
  // reading contacts back from a GPU takes time
  if (colliders.length > 0 && (!scene.contact || scene.contact.between === 'none')) return colliders[0].id;
  const [row] = own.listContacts(rod);
  if (!row) return rods[rod].id;
  return row.other ? rods[row.other.rod].id : colliders[row.obstacle].id;
}

/** Advances the bundle and adds its report to that of the world's step. */
function advanceOwn(bundle: Bundle, own: OwnContact, parts: ContactWorldParts, report: ContactWorld['report']) {
  return (step: StepRequest): StepOutcome => {
    const { dt } = step;
    const outcome = bundle.advance(step);
    if (!outcome.ok) return outcome;
    const { contacts, iterations, error, unsettled, firstUnsettled, overlap } = own.report;
    report.contacts = contacts;
    report.iterations = Math.max(report.iterations, iterations);
    report.overlap = Math.max(report.overlap, overlap);
    if (unsettled > 0 && (report.converged || error / dt > report.error))
      report.worst = { rod: parts.rods[firstUnsettled].id, other: findOther(own, parts, firstUnsettled) };
    report.error = Math.max(report.error, error / dt);
    report.converged &&= unsettled === 0;
    return outcome;
  };
}

export function createOwnContactWorld(parts: ContactWorldParts, bundle: Bundle, own: OwnContact): ContactWorld {
  const { scene, rods, colliders, bundles } = parts;
  if (bundles.length > 1)
    throw new SceneError(
      ['colliders'],
      `${own.name} meets colliders only where all rods are of model '${bundle.model}'; use solver.der.backend: batch`,
    );
  checkSpec(scene);
  refuseScene(parts, own.name);
  const { samples } = bundle;
  const pairs = readPairs(parts, own.name);
  const { local, fields } = describeSolids(parts);
  const solids: SolidScene = {
    count: colliders.length,
    at(t, dt) {
      for (const collider of colliders) placeOverStep(collider, t, dt);
      return colliders.map((collider, k) => moveSolid(local[k], collider));
    },
    countSpared: findSpared(parts, samples),
    fields,
    ...(pairs && { pairs }),
  };
  own.open(solids);
  const report = createReport();
  const noModes = (): never => {
    throw new SceneError(['colliders'], 'modes and matrices do not support contact; remove the colliders');
  };
  return {
    links: createLinks([], rods, samples),
    report,
    begin: () => clearReport(report),
    advance: advanceOwn(bundle, own, parts, report),
    findImpact: () => 0,
    forces: (t) => listForces(own, parts, samples, t),
    applyContactForces: () => own.applyForces(),
    energy: () => 0,
    linkForces: () => [],
    createLinkedRest: () => undefined,
    refineRest: () => undefined,
    followContacts() {
      throw new SceneError(
        ['colliders'],
        'follow: branch does not support contact with this backend; use solver.der.backend: standard',
      );
    },
    holdContacts: noModes,
    joinMatrices: noModes,
    findModes: noModes,
    save: () => saveRows(own.listContacts()),
    restore: (saved) => own.restoreContacts(readRows(saved ?? new Float64Array(0))),
  };
}
