/**
 * Universal Scene Description as text (.usda): rods as BasisCurves with widths, normals and points that change in time,
 * bodies as Xforms with a shape, obstacles as meshes.
 *
 * An attribute of USD holds all its time samples together, so the recording is read once per attribute (points, normals) and object, one frame at a time;
 * extents are collected on the way. `groupRods` joins many strands into one object. Memory is that of one frame, however long the recording.
 *
 * Curves are `linear`: the polyline that was simulated, exactly. Numbers have the digits of the 32-bit floats
 * of a USD point.
 */

import type { SolidSpec } from '@tendril-sim/core';
import { log10, pow } from '@tendril-sim/core/math';
import { cutBroken } from './broken.ts';
import {
  type Footage,
  frameRate,
  groupColor,
  groupRods,
  nodeFrames,
  nodeRadius,
  type RodGroup,
  uniqueNames,
  upAxisOf,
} from './footage.ts';
import { type Obstacle, obstaclesOf } from './obstacles.ts';

/** Options of the USD export. */
export interface UsdaOptions {
  /** Said in the file's documentation string. */
  readonly title?: string;
}

/** Exports a recording as USD text. */
export function* exportUsda(recording: Footage, options: UsdaOptions = {}): Generator<string> {
  const { footage } = cutBroken(recording);
  const { header, frameCount } = footage;
  const rate = frameRate(footage);
  // rounded, so that 0.3 s at 10 frames a second is frame 3
  const codes = Array.from({ length: frameCount }, (_, k) =>
    round((footage.timeOf?.(k) ?? footage.frame(k).time) * rate, 1e6),
  );
  const round1 = rounder(header.rods);
  yield stageHead(header.scene.title ?? options.title ?? 'A recording of Tendril', rate, codes, upAxisOf(header.scene));
  const groups = groupRods(header);
  const bodies = header.bodies ?? [];
  const obstacles = obstaclesOf(header);
  const wanted = [...groups.map(({ name }) => name), ...bodies.map(({ id }) => id), ...obstacles.map(({ id }) => id)];
  const names = uniqueNames(wanted, identifier);
  for (let g = 0; g < groups.length; g++)
    yield* curves(footage, groups[g], names[g], codes, round1, groupColor(footage, g));
  for (let b = 0; b < bodies.length; b++) yield* body(footage, b, names[groups.length + b], codes);
  const after = groups.length + bodies.length;
  for (let k = 0; k < obstacles.length; k++) yield* obstacle(footage, obstacles[k], names[after + k], codes, round1);
  yield '}\n';
}

/** A name as USD allows it: letters, digits, underscores. */
export function identifier(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^_+|_+$/g, '');
  return plain === '' ? 'rod' : /^[0-9]/.test(plain) ? `_${plain}` : plain;
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replace(/\s+/g, ' ')}"`;
}

const round = (value: number, inverse: number): number => Math.round(value * inverse) / inverse;

/** Keeps a hundred-millionth of the longest rod: what a float can hold, and not more text than that. */
function rounder(rods: Footage['header']['rods']): (value: number) => number {
  const longest = Math.max(
    ...rods.map(({ edgeLengthRest }) => edgeLengthRest.reduce((sum, length) => sum + length, 0)),
  );
  const inverse = pow(10, Math.min(15, Math.max(3, Math.ceil(8 - log10(longest > 0 ? longest : 1)))));
  return (value) => round(value, inverse);
}

function stageHead(title: string, rate: number, codes: readonly number[], up: string): string {
  return `#usda 1.0
(
    defaultPrim = "tendril"
    doc = ${quoted(title)}
    endTimeCode = ${codes[codes.length - 1] ?? 0}
    framesPerSecond = ${rate}
    metersPerUnit = 1
    startTimeCode = ${codes[0] ?? 0}
    timeCodesPerSecond = ${rate}
    upAxis = "${up}"
)

def Xform "tendril" (
    kind = "component"
)
{
`;
}

function* curves(
  footage: Footage,
  group: RodGroup,
  name: string,
  codes: readonly number[],
  round1: (value: number) => number,
  color: readonly number[],
): Generator<string> {
  const rods = group.rods.map((k) => footage.header.rods[k]);
  yield `    def BasisCurves "${name}"
    {
        uniform token type = "linear"
        uniform token wrap = "${group.closed ? 'periodic' : 'nonperiodic'}"
        int[] curveVertexCounts = [${rods.map(({ nodeCount }) => nodeCount).join(', ')}]
        color3f[] primvars:displayColor = [(${color.join(', ')})]
        custom string[] userProperties:rods = [${rods.map(({ id }) => quoted(id)).join(', ')}]
        float[] widths = [`;
  for (let r = 0; r < rods.length; r++)
    yield `${r > 0 ? ', ' : ''}${Array.from(nodeRadius(rods[r]), (radius) => Number((2 * radius).toPrecision(7))).join(', ')}`;
  yield `] (\n            interpolation = "vertex"\n        )\n        point3f[] points.timeSamples = {\n`;
  const extents: string[] = [];
  for (let k = 0; k < codes.length; k++) {
    const frame = footage.frame(k);
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    yield `            ${codes[k]}: [`;
    for (let r = 0; r < rods.length; r++) {
      const x = frame.rods[group.rods[r]].nodePosition;
      const thickest = rods[r].edgeRadius.reduce((most, radius) => Math.max(most, radius), 0);
      for (let i = 0; i < x.length; i++) {
        low[i % 3] = Math.min(low[i % 3], x[i] - thickest);
        high[i % 3] = Math.max(high[i % 3], x[i] + thickest);
      }
      yield `${r > 0 ? ', ' : ''}${tuples(x, round1)}`;
    }
    yield '],\n';
    extents.push(`            ${codes[k]}: [(${low.map(round1).join(', ')}), (${high.map(round1).join(', ')})],\n`);
  }
  yield `        }\n        float3[] extent.timeSamples = {\n${extents.join('')}        }\n`;
  yield `        normal3f[] normals (\n            interpolation = "vertex"\n        )\n        normal3f[] normals.timeSamples = {\n`;
  for (let k = 0; k < codes.length; k++) {
    const frame = footage.frame(k);
    yield `            ${codes[k]}: [`;
    for (let r = 0; r < rods.length; r++) {
      const { d1 } = nodeFrames(rods[r], frame.rods[group.rods[r]]);
      yield `${r > 0 ? ', ' : ''}${tuples(d1, (value) => round(value, 1e5))}`;
    }
    yield '],\n';
  }
  yield '        }\n    }\n';
}

function tuples(values: Float64Array, rounded: (value: number) => number): string {
  let out = '';
  for (let i = 0; i < values.length; i += 3)
    out += `${i > 0 ? ', ' : ''}(${rounded(values[i])}, ${rounded(values[i + 1])}, ${rounded(values[i + 2])})`;
  return out;
}

function* body(footage: Footage, index: number, name: string, codes: readonly number[]): Generator<string> {
  const { header } = footage;
  const { id, radius } = (header.bodies ?? [])[index];
  const solid = header.scene.bodies?.find((spec) => spec.id === id)?.solid;
  yield `    def Xform "${name}"\n    {\n        double3 xformOp:translate.timeSamples = {\n`;
  const turns: string[] = [];
  for (let k = 0; k < codes.length; k++) {
    const pose = footage.frame(k).bodies?.[index];
    if (!pose) continue;
    yield `            ${codes[k]}: (${Array.from(pose.position).join(', ')}),\n`;
    const orientation = Array.from(pose.orientation, (value) => round(value, 1e8));
    turns.push(`            ${codes[k]}: (${orientation.join(', ')}),\n`);
  }
  yield `        }\n        quatf xformOp:orient.timeSamples = {\n${turns.join('')}        }\n`;
  yield '        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]\n';
  yield `${bodyShape(solid, radius)}    }\n`;
}

function* obstacle(
  footage: Footage,
  { position, triangle, moves, place, shapeAt }: Obstacle,
  name: string,
  codes: readonly number[],
  round1: (value: number) => number,
): Generator<string> {
  const at = new Float64Array(12);
  // rows are the images of the axes, then the origin
  const matrix = (k: number): string => {
    place(at, footage.frame(k));
    const row = (r: number): string =>
      `(${Array.from(at.subarray(3 * r, 3 * r + 3), (value) => round(value, 1e9)).join(', ')}, ${r === 3 ? 1 : 0})`;
    return `( ${[0, 1, 2, 3].map(row).join(', ')} )`;
  };
  yield `    def Mesh "${name}"\n    {\n        uniform token subdivisionScheme = "none"\n`;
  yield `        int[] faceVertexCounts = [${new Array(triangle.length / 3).fill(3).join(', ')}]\n`;
  yield `        int[] faceVertexIndices = [${triangle.join(', ')}]\n`;
  if (shapeAt && codes.length > 0) {
    yield '        point3f[] points.timeSamples = {\n';
    for (let k = 0; k < codes.length; k++)
      yield `            ${codes[k]}: [${tuples(shapeAt(footage.frame(k).time), round1)}],\n`;
    yield '        }\n';
  } else yield `        point3f[] points = [${tuples(position, round1)}]\n`;
  if (moves) {
    yield '        matrix4d xformOp:transform.timeSamples = {\n';
    for (let k = 0; k < codes.length; k++) yield `            ${codes[k]}: ${matrix(k)},\n`;
    yield '        }\n';
  } else if (codes.length > 0) yield `        matrix4d xformOp:transform = ${matrix(0)}\n`;
  yield '        uniform token[] xformOpOrder = ["xformOp:transform"]\n    }\n';
}

function bodyShape(solid: SolidSpec | undefined, radius: number): string {
  const shape = (type: string, lines: readonly string[]): string =>
    `        def ${type} "shape"\n        {\n${lines.map((line) => `            ${line}\n`).join('')}        }\n`;
  if (solid?.type === 'box') {
    return shape('Cube', [
      'double size = 1',
      `double3 xformOp:scale = (${solid.size.join(', ')})`,
      'uniform token[] xformOpOrder = ["xformOp:scale"]',
    ]);
  }
  if (solid?.type === 'cylinder')
    return shape('Cylinder', [
      'uniform token axis = "Z"',
      `double radius = ${solid.radius}`,
      `double height = ${solid.height}`,
    ]);
  return radius > 0 ? shape('Sphere', [`double radius = ${radius}`]) : '';
}
