/** Colliders on bodies with a path: they get the path themselves, so that readers of a collider do not need the body. */
import { SceneError } from '../errors.ts';
import { multiplyQuaternions, quaternionFromRotation, rotationFromQuaternion } from '../math/quaternion.ts';
import type { BodySpec, ColliderSpec, Scene } from './types.ts';

/** Returns the scene with colliders on bodies that have a path replaced by colliders with that path, about the body's position. */
export function carryColliders(scene: Scene): Scene {
  const { colliders, bodies } = scene;
  if (!colliders?.some(({ body }) => bodies?.some(({ id, path }) => id === body && path))) return scene;
  return {
    ...scene,
    colliders: colliders.map((spec, k) => {
      const body = bodies?.find(({ id }) => id === spec.body);
      return body?.path ? carry(spec, body, k) : spec;
    }),
  };
}

const q = new Float64Array(12);
const v = new Float64Array(3);

function carry({ body: _, ...spec }: ColliderSpec, body: BodySpec, k: number): ColliderSpec {
  for (const field of ['path', 'pivot'] as const)
    if (spec[field])
      throw new SceneError(
        ['colliders', k, field],
        `a collider rides on a body or moves by itself; remove '${field}' or 'body'`,
      );
  quaternionFromRotation(q, 0, body.rotation ?? [0, 0, 0], 0);
  quaternionFromRotation(q, 4, spec.rotation ?? [0, 0, 0], 0);
  multiplyQuaternions(q, 8, q, 0, q, 4);
  rotationFromQuaternion(v, 0, q, 8);
  const [x, y, z] = turn(q, spec.position ?? [0, 0, 0]);
  const [a, b, c] = body.position;
  return {
    ...spec,
    position: [a + x, b + y, c + z],
    rotation: [v[0], v[1], v[2]],
    pivot: body.position,
    path: body.path,
  };
}

/** A vector turned by the quaternion that begins `q`: v + 2 u × (u × v + w v). */
function turn([w, x, y, z]: Float64Array, [a, b, c]: readonly number[]): readonly [number, number, number] {
  const [tx, ty, tz] = [y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c];
  return [a + 2 * (y * tz - z * ty), b + 2 * (z * tx - x * tz), c + 2 * (x * ty - y * tx)];
}
