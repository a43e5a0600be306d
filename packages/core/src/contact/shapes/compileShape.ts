/** Builds the shapes of colliders from their description in a scene. Throws SceneError for invalid shapes and says how to fix them. */

import { SceneError } from '../../errors.ts';
import { hypot, hypotOf } from '../../math/rounded/index.ts';
import { compileExpression } from '../../scene/expression.ts';
import type { ColliderSpec } from '../../scene/types.ts';
import { atPath, checkTimes, finite, type Path, type Track } from '../../scene/varying.ts';
import { makeSolid, type SolidMesh } from '../../surface/solid.ts';
import { createDeformation } from './deform.ts';
import { createFormulaShape, createGridShape } from './distanceField.ts';
import { createEllipsoid } from './ellipsoid.ts';
import { createMesh, findMeshFault, measureVolume } from './mesh.ts';
import { createBox, createCapsule, createPlane, createSphere, createTorus, type Shape } from './shape.ts';

function requirePositive(value: number, path: Path, what: string): number {
  if (!(value > 0)) throw new SceneError(path, `the ${what} is ${value}; it must be positive`);
  return value;
}

export function compileShape(spec: ColliderSpec, path: Path, warnings: string[]): Shape {
  switch (spec.type) {
    case 'plane':
      return compilePlane(spec, path);
    case 'sphere':
      return createSphere(requirePositive(spec.radius, [...path, 'radius'], 'radius'));
    case 'ellipsoid':
      spec.radii.forEach((radius, k) => {
        requirePositive(radius, [...path, 'radii', k], 'radius');
      });
      return createEllipsoid(spec.radii);
    case 'capsule':
      return createCapsule(spec.from, spec.to, requirePositive(spec.radius, [...path, 'radius'], 'radius'));
    case 'torus':
      return compileTorus(spec, path);
    case 'box':
      return compileBox(spec, path);
    case 'mesh':
      return compileMesh(spec, path, warnings);
    case 'formula':
      return compileFormula(spec, path);
    case 'grid':
      return compileGrid(spec, path);
  }
}

type SpecOf<Type extends ColliderSpec['type']> = Extract<ColliderSpec, { type: Type }>;

function compilePlane({ normal = [0, 0, 1] }: SpecOf<'plane'>, path: Path): Shape {
  const [x, y, z] = normal;
  const size = hypot(x, y, z);
  if (!(size > 0))
    throw new SceneError([...path, 'normal'], 'the normal is the zero vector; give a direction out of the ground');
  return createPlane(x / size, y / size, z / size);
}

function compileTorus(spec: SpecOf<'torus'>, path: Path): Shape {
  const ring = requirePositive(spec.ring, [...path, 'ring'], 'radius of the ring');
  const radius = requirePositive(spec.radius, [...path, 'radius'], 'radius');
  if (radius >= ring)
    throw new SceneError(
      [...path, 'radius'],
      `the radius is ${radius} m; it must be below that of the ring, ${ring} m`,
    );
  return createTorus(ring, radius);
}

function compileBox({ size, rounding = 0 }: SpecOf<'box'>, path: Path): Shape {
  const [a, b, c] = size;
  size.forEach((length, k) => {
    requirePositive(length, [...path, 'size', k], 'edge length');
  });
  const limit = 0.5 * Math.min(a, b, c);
  if (!(rounding >= 0 && rounding <= limit))
    throw new SceneError([...path, 'rounding'], `the rounding is ${rounding} m; it must be from 0 to ${limit} m`);
  return createBox(0.5 * a, 0.5 * b, 0.5 * c, rounding);
}

function compileFormula({ formula }: SpecOf<'formula'>, path: Path): Shape {
  const at = [...path, 'formula'];
  const evaluate = atPath(at, () => compileExpression(formula, ['x', 'y', 'z', 't']));
  const values = new Float64Array(4);
  return createFormulaShape(
    (x, y, z, t) => {
      values[0] = x;
      values[1] = y;
      values[2] = z;
      values[3] = t;
      return evaluate(values);
    },
    1,
    (value, place, t) => {
      finite(value, at, () => `x, y, z = ${place.join(', ')}, t = ${t}`);
    },
  );
}

function compileGrid(spec: SpecOf<'grid'>, path: Path): Shape {
  requirePositive(spec.spacing, [...path, 'spacing'], 'spacing');
  spec.count.forEach((n, k) => {
    if (!(Number.isInteger(n) && n >= 2))
      throw new SceneError([...path, 'count', k], `${n} grid points; it must be a whole number of at least 2`);
  });
  const expected = spec.count[0] * spec.count[1] * spec.count[2];
  if (spec.values.length !== expected) {
    const sizes = spec.count.join(' × ');
    throw new SceneError(
      [...path, 'values'],
      `${spec.values.length} values; a grid of ${sizes} points has ${expected}`,
    );
  }
  return createGridShape({ ...spec, values: Float64Array.from(spec.values) });
}

type MeshSpec = SpecOf<'mesh'>;

function compileMesh(spec: MeshSpec, path: Path, warnings: string[]): Shape {
  const count = spec.vertices.length;
  const vertices = Float64Array.from(spec.vertices.flat());
  const triangles: number[] = [];
  spec.faces.forEach((face, f) => {
    const at = [...path, 'faces', f];
    if (face.length < 3) throw new SceneError(at, `a face of ${face.length} vertices; it needs three or more`);
    face.forEach((index, k) => {
      if (!(Number.isInteger(index) && index >= 0 && index < count))
        throw new SceneError([...at, k], `vertex ${index} does not exist; the mesh has vertices 0 to ${count - 1}`);
    });
    for (let k = 2; k < face.length; k++) triangles.push(face[0], face[k - 1], face[k]);
  });
  if (triangles.length === 0) throw new SceneError([...path, 'faces'], 'the mesh has no faces');
  const list = Int32Array.from(triangles);
  if (spec.solid === false && spec.hollow)
    throw new SceneError(
      [...path, 'hollow'],
      "a surface that is not solid has no inside; remove 'hollow' or 'solid: false'",
    );
  const made =
    spec.solid === false
      ? asItIs(vertices, list, { solid: false })
      : makeSolidMesh(spec, vertices, list, path, warnings);
  const flat = countFlat(made.vertices, made.triangles);
  if (flat > 0) warnings.push(`${path.join('.')}: ${flat} faces have no area; they act as edges`);
  return createMesh(made.vertices, made.triangles, { solid: made.solid }, compileDeform(spec, made, path));
}

/** Vertices in time; undefined: rigid. */
function compileDeform(spec: MeshSpec, { arrange }: Prepared, path: Path): Track | undefined {
  const { deform, blend, vertices } = spec;
  if (!deform && !blend) return undefined;
  if (deform && blend)
    throw new SceneError([...path, 'blend'], "a mesh deforms by 'deform' or by 'blend'; remove one of them");
  const checkCount = (list: readonly unknown[], at: Path): void => {
    if (list.length !== vertices.length)
      throw new SceneError(at, `${list.length} vertices; the mesh has ${vertices.length}`);
  };
  const keys = deform ?? blend?.keys ?? [];
  const field = [...path, ...(deform ? ['deform'] : ['blend', 'keys'])];
  checkTimes(
    keys.map(({ time }) => time),
    field,
    (i) => [i, 'time'],
  );
  deform?.forEach((key, i) => {
    checkCount(key.vertices, [...field, i, 'vertices']);
  });
  blend?.shapes.forEach((shape, i) => {
    checkCount(shape, [...path, 'blend', 'shapes', i]);
  });
  blend?.keys.forEach(({ weights }, i) => {
    if (weights.length !== blend.shapes.length || !weights.every(Number.isFinite))
      throw new SceneError([...field, i, 'weights'], `expected ${blend.shapes.length} numbers, one per shape`);
  });
  return createDeformation(spec, arrange);
}

type Prepared = Omit<SolidMesh, 'changes'>;

function asItIs(vertices: Float64Array, triangles: Int32Array, { solid }: { readonly solid: boolean }): Prepared {
  return { vertices, triangles, solid, arrange: (input) => Float64Array.from(input) };
}

/** Leaves a closed mesh with outward normals unchanged; repairs any other and warns how. */
function makeSolidMesh(
  spec: MeshSpec,
  vertices: Float64Array,
  triangles: Int32Array,
  path: Path,
  warnings: string[],
): Prepared {
  if (!findMeshFault(vertices, triangles) && measureVolume(vertices, triangles) > 0)
    return asItIs(vertices, triangles, { solid: true });
  const made = makeSolid(vertices, triangles, { wanted: spec.solid }, [...path, 'faces']);
  if (!made.solid && (spec.solid || spec.hollow))
    throw new SceneError(
      [...path, spec.hollow ? 'hollow' : 'solid'],
      `the mesh has no inside: ${made.changes.join('; ')}; mend it, or remove '${spec.hollow ? 'hollow' : 'solid'}'`,
    );
  warnings.push(`${path.join('.')}: ${made.changes.join('; ')}`);
  return made;
}

function countFlat(vertices: Float64Array, triangles: Int32Array): number {
  let flat = 0;
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [3 * triangles[i], 3 * triangles[i + 1], 3 * triangles[i + 2]];
    const u = [0, 1, 2].map((k) => vertices[b + k] - vertices[a + k]);
    const v = [0, 1, 2].map((k) => vertices[c + k] - vertices[a + k]);
    const area = hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
    if (!(area > 1e-14 * (hypotOf(u) * hypotOf(v)))) flat++;
  }
  return flat;
}
