/**
 * Meshes and curves of Alembic files in motion: vertices sampled in time, below transforms sampled in time. Values between two
 * samples are interpolated linearly. Axes are those of the file; Alembic specifies neither the up axis nor the unit.
 */
import { cos, sin } from '@tendril-sim/core/math';
import { InputError } from '../errors.ts';
import { type AbcObject, type AbcProperty, readAlembic } from './abcContainer.ts';
import { addBasisCurves } from './basisCurves.ts';
import { type Curves, createCurveBuilder, type UpAxis } from './curves.ts';
import { type FileUv, joinParts, type MeshFile, type MeshPart, triangulate } from './meshFile.ts';
import { compose, fromMatrix, fromQuaternion, identity, type Transform, transformAll } from './transform.ts';

/** A geometry of the file, and the transforms above it, outermost first. */
interface Geometry {
  readonly object: AbcObject;
  readonly properties: ReadonlyMap<string, AbcProperty>;
  readonly transforms: readonly ReadonlyMap<string, AbcProperty>[];
}

interface Found {
  readonly geometry: readonly Geometry[];
  readonly warnings: readonly string[];
}

function findGeometry(top: AbcObject, schema: RegExp): Found {
  const geometry: Geometry[] = [];
  let instances = 0;
  const visit = (object: AbcObject, above: Geometry['transforms']): void => {
    if (isHidden(object)) return;
    if (object.properties.has('.instanceSource')) instances++;
    const xform = object.properties.get('.xform')?.properties;
    const transforms = xform ? [...above, xform] : above;
    const properties = object.properties.get('.geom')?.properties;
    if (properties && schema.test(object.schema)) geometry.push({ object, properties, transforms });
    for (const child of object.children) visit(child, transforms);
  };
  visit(top, []);
  const warnings = instances > 0 ? [`${instances} instanced objects were omitted; export them as copies`] : [];
  return { geometry, warnings };
}

/** True if the object and all below it are never drawn: `visible` is 0; -1 defers to the parent. */
function isHidden({ properties }: AbcObject): boolean {
  const visible = properties.get('visible');
  if (!visible || visible.sampleCount === 0) return false;
  return Array.from({ length: visible.sampleCount }, (_, k) => visible.numbers(k)[0]).every((value) => value === 0);
}

/** Tendril writes the axes of its scenes; most other programs have y up. */
const upOf = (application: string): UpAxis => (application === 'Tendril' ? 'z' : 'y');

/** Values of a property at a time, linear between samples and constant outside. */
function valuesAt(property: AbcProperty, time: number): Float64Array {
  const last = property.sampleCount - 1;
  let k = 0;
  while (k < last && property.timeOf(k + 1) <= time) k++;
  const a = property.numbers(k);
  if (k === last || time <= property.timeOf(k)) return a;
  const b = property.numbers(k + 1);
  if (b.length !== a.length) return a;
  const t = (time - property.timeOf(k)) / (property.timeOf(k + 1) - property.timeOf(k));
  return a.map((value, i) => value + t * (b[i] - value));
}

/** Numbers that an operation of a transform takes, by its code: scale, translate, rotate, matrix, about x, y and z. */
const channels = [3, 3, 4, 16, 1, 1, 1];

function transformAt(xform: ReadonlyMap<string, AbcProperty>, time: number): Transform {
  const [ops, vals] = [xform.get('.ops'), xform.get('.vals')];
  if (!ops || !vals) return identity;
  const values = valuesAt(vals, time);
  let out: Transform = identity;
  let at = 0;
  for (const code of ops.numbers(0)) {
    // the low bits are hints for editors
    const kind = (code & 0xf0) >> 4;
    const count = channels[kind] ?? 0;
    if (at + count <= values.length) out = compose(out, operation(kind, values.subarray(at, at + count)));
    at += count;
  }
  return out;
}

function operation(kind: number, v: Float64Array): Transform {
  if (kind === 0) return [v[0], 0, 0, 0, v[1], 0, 0, 0, v[2], 0, 0, 0];
  if (kind === 1) return [1, 0, 0, 0, 1, 0, 0, 0, 1, v[0], v[1], v[2]];
  if (kind === 3) return fromMatrix(v);
  if (kind === 2) return rotation(v[3], [v[0], v[1], v[2]]);
  return rotation(v[0], [kind === 4 ? 1 : 0, kind === 5 ? 1 : 0, kind === 6 ? 1 : 0]);
}

/** By an angle [°] about an axis. */
function rotation(angle: number, [x, y, z]: readonly number[]): Transform {
  const size = Math.sqrt(x * x + y * y + z * z) || 1;
  const half = (angle * Math.PI) / 360;
  const s = sin(half) / size;
  return fromQuaternion(cos(half), s * x, s * y, s * z);
}

function worldAt(transforms: Geometry['transforms'], time: number): Transform {
  return transforms.reduce<Transform>((world, xform) => {
    const inherits = xform.get('.inherits')?.numbers(0)[0] !== 0;
    return compose(inherits ? world : identity, transformAt(xform, time));
  }, identity);
}

/** Times at which anything of the geometry changes; one value at most if nothing does. */
function timesOf({ properties, transforms }: Geometry): number[] {
  const moving = [properties.get('P'), ...transforms.flatMap((xform) => [xform.get('.vals'), xform.get('.ops')])];
  return moving.flatMap((property) =>
    property && property.sampleCount > 1
      ? Array.from({ length: property.sampleCount }, (_, k) => property.timeOf(k))
      : [],
  );
}

/** Opens the meshes of an Alembic file. Throws InputError. */
export function openAlembicMesh(bytes: Uint8Array, source: string): MeshFile {
  const { top, application } = readAlembic(bytes, source);
  const { geometry: found, warnings } = findGeometry(top, /^AbcGeom_(PolyMesh|SubD)_/);
  if (found.length === 0) throw new InputError(source, 'there is no visible mesh in it (PolyMesh or SubD)');
  const parts = found.map((geometry) => meshPart(geometry, source));
  const times = [...new Set(found.flatMap(timesOf))].sort((a, b) => a - b);
  return joinParts(parts, { source, unit: 1, up: upOf(application), times, warnings });
}

function meshPart({ object, properties, transforms }: Geometry, source: string): MeshPart {
  const [points, corners, counts] = ['P', '.faceIndices', '.faceCounts'].map((name) => {
    const property = properties.get(name);
    if (!property || property.sampleCount === 0)
      throw new InputError(source, `the mesh '${object.name}' has no ${name}`);
    return property;
  });
  if (corners.sampleCount > 1 || counts.sampleCount > 1)
    throw new InputError(
      source,
      `the faces of '${object.name}' change in time; hair needs a mesh whose vertices may move but whose faces do not change`,
    );
  const count = points.numbers(0).length / 3;
  return {
    name: object.name,
    count,
    ...triangulate(
      counts.numbers(0),
      corners.numbers(0),
      // Alembic winds faces clockwise seen from outside
      { count, name: object.name, source, clockwise: true },
      uvOf(properties.get('uv')),
    ),
    // at rest: as it is first
    positionsAt: (time = -Infinity) => transformAll(valuesAt(points, time), worldAt(transforms, time)),
  };
}

/** Texture coordinates are values alone, or values with indices. */
function uvOf(property: AbcProperty | undefined): FileUv | undefined {
  const values = property?.properties.get('.vals') ?? property;
  if (!values || values.sampleCount === 0) return undefined;
  const indices = property?.properties.get('.indices');
  return { values: values.numbers(0), ...(indices && indices.sampleCount > 0 && { index: indices.numbers(0) }) };
}

/** Bases by Alembic's number. */
const bases = ['linear', 'bezier', 'bspline', 'catmullRom'];

/** Curves of an Alembic file at its nth sample. Throws InputError. */
export function readAlembicCurves(bytes: Uint8Array, source: string, frame = 0): Curves {
  const { top, application } = readAlembic(bytes, source);
  const out = createCurveBuilder(source);
  const found = findGeometry(top, /^AbcGeom_Curve_/);
  const warnings = new Set<string>(found.warnings);
  for (const { object, properties, transforms } of found.geometry) {
    const [points, counts] = [properties.get('P'), properties.get('nVertices')];
    if (!points || !counts || points.sampleCount === 0 || counts.sampleCount === 0) continue;
    const sample = Math.min(points.sampleCount - 1, Math.max(0, frame < 0 ? points.sampleCount + frame : frame));
    const time = points.timeOf(sample);
    const [type = 1, periodic = 0, basis = 0] = properties.get('curveBasisAndType')?.numbers(0) ?? [];
    if (type !== 1 && !bases[basis])
      warnings.add('curves that are neither linear, Bézier, B-spline nor Catmull–Rom are read as polylines');
    addBasisCurves(out, source, {
      name: object.name,
      counts: valuesAt(counts, time),
      position: transformAll(points.numbers(sample), worldAt(transforms, time)),
      widths: widthsOf(properties.get('width')),
      basis: type === 1 ? 'linear' : (bases[basis] ?? 'linear'),
      wrap: periodic ? 'periodic' : 'nonperiodic',
    });
  }
  if (out.pointCount === 0) throw new InputError(source, 'there are no visible curves in it');
  return out.build({ unit: 1, up: upOf(application), warnings: [...warnings] });
}

/** Widths are values alone, or values with indices. */
function widthsOf(property: AbcProperty | undefined): Float64Array | undefined {
  const values = property?.properties.get('.vals') ?? property;
  if (!values || values.sampleCount === 0) return undefined;
  const indices = property?.properties.get('.indices')?.numbers(0);
  const list = values.numbers(0);
  return indices ? Float64Array.from(indices, (k) => list[k]) : list;
}
