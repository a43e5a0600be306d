/**
 * The active contacts of a rod with obstacles, as a load for the searches of the rod's own model. A contact with gap g pushes with λ − k g along its normal,
 * and has the potential −λ g + ½ k g². λ is the contact's `impulse` in the list, along its normal [N].
 */
import type { LoadSource, Loads, Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { ContactSet } from '../contactSet.ts';
import type { ContactContext } from '../context.ts';
import { radiusAt } from '../detect/rodPoint.ts';
import { type Collider, findClosest, measureDistanceIn, placeCollider } from '../shapes/collider.ts';

export interface Touching {
  readonly rod: Rod;
  readonly source: LoadSource;
  /** k [N/m] */
  readonly stiffness: number;
  /** Replaces each force by λ − k g, and sets gaps, weights and normals. Returns the largest gap [m] and force [N], in size. */
  update(): { readonly gap: number; readonly force: number };
  /** Gap [m] of a contact of any list at the rod's current state. */
  measureGap(set: ContactSet, c: number): number;
  /** Place of the contact along the rod, in edges. */
  measurePlace(set: ContactSet, c: number): number;
}

/** A contact point: weight of the edge's second node, gap [m] and normal. */
interface Place {
  weight: number;
  gap: number;
  readonly normal: Float64Array;
  readonly point: Float64Array;
  readonly distance: Float64Array;
}

/** A point of the edge between the nodes at indices a and b of x. */
interface PointOfRod {
  readonly x: Float64Array;
  readonly a: number;
  readonly b: number;
  readonly weight: number;
  readonly radius: number;
}

/** λ: the force along the normal [N]. */
export function forceOf({ impulse, normal }: ContactSet, c: number): number {
  const o = 3 * c;
  return impulse[o] * normal[o] + impulse[o + 1] * normal[o + 1] + impulse[o + 2] * normal[o + 2];
}

/** Measures contacts of rod r of any list at positions x. */
interface Probe {
  readonly place: Place;
  /** Writes the contact's place; returns the indices of its edge's nodes in x. */
  measure(set: ContactSet, c: number, x: Float64Array): readonly [number, number];
}

function createProbe({ colliders, finder, rods }: ContactContext, r: number): Probe {
  const place: Place = {
    weight: 0,
    gap: 0,
    normal: new Float64Array(3),
    point: new Float64Array(3),
    distance: new Float64Array(4),
  };
  return {
    place,
    measure(set, c, x) {
      const edge = set.edgeA[c];
      const [a, b] = [3 * edge, 3 * ((edge + 1) % rods[r].nodeCount)];
      const radius = radiusAt(finder, finder.edgeOffset[r] + edge, set.weightA[c]);
      writePlace(place, colliders[set.collider[c]], { x, a, b, weight: set.weightA[c], radius });
      return [a, b];
    },
  };
}

interface SpringParts {
  readonly colliders: readonly Collider[];
  readonly rod: Rod;
  readonly active: ContactSet;
  readonly stiffness: number;
  readonly probe: Probe;
}

function createSprings({ colliders, rod, active, stiffness, probe: { place, measure } }: SpringParts): LoadSource {
  const push = new Float64Array(6);
  const pressureOf = (c: number): number => forceOf(active, c) - stiffness * place.gap;
  return {
    dependsOnState: true,
    addLoads({ nodeForce }: Loads, { nodePosition }: Samples, t) {
      for (const collider of colliders) if (collider.time !== t) placeCollider(collider, t, 0);
      for (let c = 0; c < active.count; c++) {
        const [a, b] = measure(active, c, nodePosition);
        writePush(push, place, pressureOf(c));
        for (let k = 0; k < 3; k++) {
          nodeForce[a + k] += push[k];
          nodeForce[b + k] += push[3 + k];
        }
      }
    },
    potential({ nodePosition }: Samples) {
      let sum = 0;
      for (let c = 0; c < active.count; c++) {
        measure(active, c, nodePosition);
        sum += place.gap * (0.5 * stiffness * place.gap - forceOf(active, c));
      }
      return sum;
    },
    addDerivative(add, { nodePosition }) {
      for (let c = 0; c < active.count; c++) {
        const [a, b] = measure(active, c, nodePosition);
        const factor = pressureOf(c);
        const unknowns = [a, a + 1, a + 2, b, b + 1, b + 2];
        writePush(push, place, 1);
        addOuter(add, unknowns, push, -stiffness);
        const evaluate = (out: Float64Array): void => {
          measure(active, c, nodePosition);
          writePush(out, place, 1);
        };
        const delta = (1e-5 * rod.length) / rod.edgeCount;
        addDifferences(add, { x: nodePosition, unknowns, delta, factor, evaluate });
      }
    },
  };
}

/** `active` may change between evaluations. */
export function createTouching(context: ContactContext, r: number, active: ContactSet, stiffness: number): Touching {
  const { colliders, rods, samples } = context;
  const { nodePosition } = samples[r];
  const probe = createProbe(context, r);
  const { place, measure } = probe;
  const rod = rods[r];
  return {
    rod,
    source: createSprings({ colliders, rod, active, stiffness, probe }),
    stiffness,
    update() {
      let [gap, force] = [0, 0];
      for (let c = 0; c < active.count; c++) {
        measure(active, c, nodePosition);
        const pressure = forceOf(active, c) - stiffness * place.gap;
        gap = Math.max(gap, Math.abs(place.gap));
        force = Math.max(force, Math.abs(pressure));
        active.gap[c] = place.gap;
        active.weightA[c] = place.weight;
        for (let k = 0; k < 3; k++) {
          active.normal[3 * c + k] = place.normal[k];
          active.impulse[3 * c + k] = pressure * place.normal[k];
        }
      }
      return { gap, force };
    },
    measureGap(set, c) {
      measure(set, c, nodePosition);
      return place.gap;
    },
    measurePlace(set, c) {
      measure(set, c, nodePosition);
      return set.edgeA[c] + place.weight;
    },
  };
}

/** A contact at a node stays there; one within an edge moves to the closest point. */
function writePlace(out: Place, collider: Collider, { x, a, b, weight, radius }: PointOfRod): void {
  const { point, distance, normal } = out;
  out.weight = weight > 0 && weight < 1 ? findClosest(collider, x, a, b) : weight;
  for (let k = 0; k < 3; k++) point[k] = x[a + k] + out.weight * (x[b + k] - x[a + k]);
  measureDistanceIn(distance, collider, collider.now, point, 0);
  out.gap = distance[0] - radius;
  for (let k = 0; k < 3; k++) normal[k] = distance[1 + k];
}

/** Forces on both nodes of the edge. */
function writePush(out: Float64Array, { weight, normal }: Place, pressure: number): void {
  for (let k = 0; k < 3; k++) {
    out[k] = (1 - weight) * pressure * normal[k];
    out[3 + k] = weight * pressure * normal[k];
  }
}

type Add = (row: number, column: number, value: number) => void;

function addOuter(add: Add, unknowns: readonly number[], v: Float64Array, factor: number): void {
  for (const [i, row] of unknowns.entries())
    for (const [j, column] of unknowns.entries()) if (v[i] * v[j] !== 0) add(row, column, factor * v[i] * v[j]);
}

interface Differences {
  readonly x: Float64Array;
  readonly unknowns: readonly number[];
  readonly delta: number;
  readonly factor: number;
  /** Writes the derivatives of the gap by the unknowns. */
  evaluate(out: Float64Array): void;
}

/** Adds the second derivatives of the gap. */
function addDifferences(add: Add, { x, unknowns, delta, factor, evaluate }: Differences): void {
  const n = unknowns.length;
  const [plus, minus] = [new Float64Array(n), new Float64Array(n)];
  unknowns.forEach((column) => {
    const before = x[column];
    x[column] = before + delta;
    evaluate(plus);
    x[column] = before - delta;
    evaluate(minus);
    x[column] = before;
    for (let i = 0; i < n; i++) {
      const value = (factor * (plus[i] - minus[i])) / (4 * delta);
      if (value === 0) continue;
      add(unknowns[i], column, value);
      add(column, unknowns[i], value);
    }
  });
}

/** Bending stiffness [N m²] between the softest and the stiffest of the rod: contacts are far stiffer than its soft modes, and rounding stays below its forces. */
export function meanStiffness({ halfEI1, halfEI2 }: Rod): number {
  let [softest, stiffest] = [Infinity, 0];
  for (let h = 0; h < halfEI1.length; h++) {
    softest = Math.min(softest, halfEI1[h], halfEI2[h]);
    stiffest = Math.max(stiffest, halfEI1[h], halfEI2[h]);
  }
  return Math.sqrt(softest * stiffest);
}
