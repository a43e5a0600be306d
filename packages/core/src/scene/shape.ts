/** Converts the shapes of a scene to curves; errors name the field. */
import { integrate } from '../curve/quadrature.ts';
import type { Curve } from '../curve/shapes.ts';
import { createHelix, createParametric, createStraight, createThroughPoints, positionAt } from '../curve/shapes.ts';
import type { Vector } from '../curve/vector.ts';
import { addScaled, anyNormal, cross, distance, norm, normalize, normalPart, scale } from '../curve/vector.ts';
import { SceneError } from '../errors.ts';
import { parseExpression } from './expression.ts';
import { compileJet } from './jet.ts';
import type { ShapeSpec } from './types.ts';
import type { Path } from './varying.ts';
import { atPath } from './varying.ts';

/** Ends closer than this fraction of the length count as one point. */
const meeting = 1e-6;

function checkPositive(value: number, what: string, path: Path): void {
  if (!(value > 0)) throw new SceneError(path, `${what} is ${value}; it must be positive`);
}

function readDirection(value: Vector, what: string, path: Path): Vector {
  if (!(norm(value) > 0)) throw new SceneError(path, `${what} is the zero vector; give a direction`);
  return normalize(value);
}

function readNormal(value: Vector | undefined, to: Vector, what: string, toWhat: string, path: Path): Vector {
  if (value === undefined) return anyNormal(to);
  const normal = normalPart(value, to);
  if (!normal)
    throw new SceneError(
      path,
      `${what} [${value.join(', ')}] is parallel to ${toWhat} (or zero); give a direction across it`,
    );
  return normal;
}

/** Points of a polyline without the repeated first point of a closed one. */
export function readPoints(points: readonly Vector[], closed: boolean, path: Path): readonly Vector[] {
  const least = closed ? 3 : 2;
  const size = points.reduce((most, p) => Math.max(most, distance(p, points[0])), 0);
  const repeats = closed && points.length > least && distance(points[0], points[points.length - 1]) <= meeting * size;
  const kept = repeats ? points.slice(0, -1) : points;
  if (kept.length < least)
    throw new SceneError(
      [...path, 'points'],
      `${kept.length} points are given; a ${closed ? 'closed' : 'open'} rod needs at least ${least}`,
    );
  kept.forEach((point, i) => {
    const next = i + 1 < kept.length ? i + 1 : closed ? 0 : -1;
    // relative to the size of the rod: a shorter edge has no direction within rounding
    if (next >= 0 && distance(point, kept[next]) <= 1e-12 * size) {
      throw new SceneError(
        [...path, 'points', next],
        `point ${next} is the same as point ${i}; remove one, an edge needs a length`,
      );
    }
  });
  return kept;
}

/** A smooth curve for any shape; `points` become a spline through them. */
export function createCurve(spec: ShapeSpec, { closed }: { readonly closed: boolean }, path: Path): Curve {
  switch (spec.type) {
    case 'straight': {
      if (distance(spec.from, spec.to) === 0)
        throw new SceneError([...path, 'to'], "'to' is the same point as 'from'; the rod would have no length");
      return mustClose(createStraight(spec.from, spec.to), closed, path);
    }
    case 'arc':
      return mustClose(createArc(spec, closed, path), closed, path);
    case 'helix':
      return mustClose(createHelicalCurve(spec, closed, path), closed, path);
    case 'ring': {
      checkPositive(spec.radius, 'the radius', [...path, 'radius']);
      const axis = readDirection(spec.axis ?? [0, 0, 1], 'the axis', [...path, 'axis']);
      const e1 = readNormal(spec.start, axis, 'start', 'the axis', [...path, 'start']);
      const { center = [0, 0, 0], radius } = spec;
      return createHelix({ center, e1, e2: cross(axis, e1), axis, radius, angle: 2 * Math.PI, closed: true });
    }
    case 'formula':
      return createFormula(spec, closed, path);
    case 'points': {
      const points = readPoints(spec.points, closed, path);
      return createThroughPoints(points, { closed });
    }
  }
}

function createArc(spec: ShapeSpec & { readonly type: 'arc' }, closed: boolean, path: Path): Curve {
  checkPositive(spec.radius, 'the radius', [...path, 'radius']);
  checkPositive(spec.angle, 'the angle', [...path, 'angle']);
  const tangent = readDirection(spec.tangent, 'the tangent', [...path, 'tangent']);
  const normal = readNormal(spec.normal, tangent, 'the normal', 'the tangent', [...path, 'normal']);
  const center = addScaled(spec.from, normal, spec.radius);
  const outward = scale(normal, -1);
  const axis = cross(outward, tangent);
  return createHelix({ center, e1: outward, e2: tangent, axis, radius: spec.radius, angle: spec.angle, closed });
}

function createHelicalCurve(spec: ShapeSpec & { readonly type: 'helix' }, closed: boolean, path: Path): Curve {
  checkPositive(spec.radius, 'the radius', [...path, 'radius']);
  checkPositive(spec.turns, 'the number of turns', [...path, 'turns']);
  if (!(spec.pitch >= 0))
    throw new SceneError(
      [...path, 'pitch'],
      `the pitch is ${spec.pitch}; it must not be negative (for the other sense use handedness: left)`,
    );
  const axis = readDirection(spec.axis ?? [0, 0, 1], 'the axis', [...path, 'axis']);
  const e1 = readNormal(spec.start, axis, 'start', 'the axis', [...path, 'start']);
  const e2 = scale(cross(axis, e1), spec.handedness === 'left' ? -1 : 1);
  const rise = spec.pitch / (2 * Math.PI);
  const { center = [0, 0, 0], radius } = spec;
  return createHelix({ center, e1, e2, axis, radius, rise, angle: 2 * Math.PI * spec.turns, closed });
}

function createFormula(spec: ShapeSpec & { readonly type: 'formula' }, closed: boolean, path: Path): Curve {
  const axes = (['x', 'y', 'z'] as const).map((axis) =>
    atPath([...path, axis], () => compileJet(parseExpression(spec[axis], ['u']).root)),
  );
  const evaluate = (out: Float64Array, u: number): void => {
    for (let k = 0; k < 3; k++) {
      const [value, first, second] = axes[k](u);
      if (!Number.isFinite(value) || !Number.isFinite(first)) {
        const what = Number.isFinite(value) ? 'derivative' : 'value';
        throw new SceneError(
          [...path, 'xyz'[k]],
          `the ${what} of the formula is not finite at u = ${Number(u.toPrecision(6))}`,
        );
      }
      out[k] = value;
      out[3 + k] = first;
      // no Gauss point lies at an end, where the curvature may be infinite; zero is harmless there
      out[6 + k] = Number.isFinite(second) ? second : 0;
    }
  };
  // sixteen panels to begin with, so that no oscillation hides between the points of one
  const curve = createParametric(
    evaluate,
    Array.from({ length: 17 }, (_, k) => k / 16),
    closed,
  );
  if (!(curve.length > 0)) throw new SceneError(path, 'the formula gives a single point; the rod would have no length');
  checkConnected(curve, path);
  return mustClose(curve, closed, path);
}

/** A chord longer than its arc is a jump. */
function checkConnected(curve: Curve, path: Path): void {
  const jet = new Float64Array(9);
  const speed = (u: number): number => {
    curve.evaluate(jet, u);
    return norm([jet[3], jet[4], jet[5]]);
  };
  const pieces = 128;
  let before = positionAt(curve, 0);
  for (let k = 0; k < pieces; k++) {
    const after = positionAt(curve, (k + 1) / pieces);
    const arc = integrate(speed, k / pieces, (k + 1) / pieces);
    if (distance(before, after) > 1.01 * arc + 1e-9 * curve.length) {
      throw new SceneError(
        path,
        `the formula jumps near u = ${((k + 0.5) / pieces).toPrecision(3)}; the curve must be connected`,
      );
    }
    before = after;
  }
}

function mustClose(curve: Curve, closed: boolean, path: Path): Curve {
  if (!closed) return curve;
  const gap = distance(positionAt(curve, curve.parameter(0)), positionAt(curve, curve.parameter(curve.length)));
  if (gap > meeting * curve.length) {
    throw new SceneError(
      path,
      `the rod is closed, but the ends of its shape are ${gap.toPrecision(4)} m apart; let them meet, or drop 'closed'`,
    );
  }
  return curve;
}
