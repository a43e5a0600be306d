/**
 * From a RodSpec to a Rod: shape, frames, natural strain, stiffness and mass on nodes, edges and half edges.
 *
 * On a closed rod the frame that is transported once round does not meet its start. `nodeTwist[0]` is the twist of the joint between the last
 * edge and edge 0 of the transported frame, so that the twists add up to that of the scene. The directors of the two edges differ
 * from it by the angle at which the ends were joined, which never changes.
 */
import type { FrameRule } from '../curve/framing.ts';
import type { Curve } from '../curve/shapes.ts';
import type { Vector } from '../curve/vector.ts';
import { add, addScaled, cross, distance, dot, scale, subtract } from '../curve/vector.ts';
import { SceneError } from '../errors.ts';
import { capabilitiesOf, defaultModel, modelsWith } from '../models/registry.ts';
import type { Allocate } from '../port.ts';
import type { Rod } from './compiled.ts';
import { warnDoubtful } from './doubts.ts';
import { applyHair } from './hair.ts';
import type { Layout } from './layout.ts';
import { createLayout, fractionOf, layNodes } from './layout.ts';
import { compileTwist, strainOfCurl, strainOfCurvature, strainOfTrace } from './natural.ts';
import { placeFrames, writeVector } from './placeFrames.ts';
import { type CompiledSection, compileSection } from './sections.ts';
import { createCurve, readPoints } from './shape.ts';
import { compileStrength } from './strength.ts';
import type { Trace } from './trace.ts';
import { framed, traceCurve, tracePolyline } from './trace.ts';
import type { FrameSpec, NaturalSpec, PinSpec, RodSpec, Scene, ShapeSpec } from './types.ts';
import type { Path } from './varying.ts';
import { compileVarying, gaussPoints, nonNegative } from './varying.ts';

export interface CompiledRod {
  readonly rod: Rod;
  readonly layout: Layout;
  readonly section: CompiledSection;
}

/** A pin of this rod with its place in the scene. */
export interface PlacedPin {
  readonly spec: PinSpec;
  readonly path: Path;
}

const defaultEdges = 50;
const mostEdges = 1_000_000;

/** A polyline has the fractions of its length at its points. */
interface Polyline {
  readonly points: readonly Vector[];
  readonly nodeU: readonly number[];
  readonly length: number;
}

type Outline = { readonly curve: Curve } | Polyline;

function measurePolyline(points: readonly Vector[], closed: boolean): Polyline {
  const nodeU = [0];
  const edges = closed ? points.length : points.length - 1;
  for (let j = 0; j < edges; j++) nodeU.push(nodeU[j] + distance(points[(j + 1) % points.length], points[j]));
  const length = nodeU[edges];
  for (let j = 1; j < edges; j++) nodeU[j] /= length;
  nodeU[edges] = 1;
  return { points, nodeU, length };
}

function lengthOf(outline: Outline): number {
  return 'curve' in outline ? outline.curve.length : outline.length;
}

function readEdges(spec: RodSpec, closed: boolean, path: Path): number {
  const { edges = defaultEdges } = spec;
  const least = closed ? 3 : 2;
  if (!Number.isInteger(edges) || edges < least || edges > mostEdges) {
    throw new SceneError(
      [...path, 'edges'],
      `edges is ${edges}; ${closed ? 'a closed rod needs' : 'to bend, a rod needs'} a whole number from ${least} to ${mostEdges}`,
    );
  }
  return edges;
}

function readOutline(spec: RodSpec, closed: boolean, path: Path): Outline {
  const at = [...path, 'shape'];
  if (spec.shape.type !== 'points' || spec.edges !== undefined)
    return { curve: createCurve(spec.shape, { closed }, at) };
  const points = readPoints(spec.shape.points, closed, at);
  if (points.length < 3)
    throw new SceneError([...at, 'points'], 'two points make one edge, which cannot bend; add points, or set edges');
  return measurePolyline(points, closed);
}

/** The natural shape of a closed rod may be open (a straight rod joined to a ring) or closed. */
function readNaturalOutline(shape: ShapeSpec, nodeCount: number | undefined, closed: boolean, path: Path): Outline {
  if (shape.type === 'points' && nodeCount !== undefined) {
    const points = readPoints(shape.points, closed, path);
    if (points.length === nodeCount) return measurePolyline(points, closed);
  }
  if (!closed || shape.type === 'ring') return { curve: createCurve(shape, { closed: false }, path) };
  try {
    return { curve: createCurve(shape, { closed: true }, path) };
  } catch {
    return { curve: createCurve(shape, { closed: false }, path) };
  }
}

const ruleOf = (frame: FrameSpec | undefined): FrameRule => ({ d1: frame?.d1, follow: frame?.follow });

function trace(
  outline: Outline,
  nodeU: readonly number[],
  closed: boolean,
  frame: FrameSpec | undefined,
  path: Path,
): Trace {
  const rule = ruleOf(frame);
  return framed(path, () =>
    'curve' in outline
      ? traceCurve(outline.curve, nodeU, closed, rule)
      : tracePolyline(outline.points, closed, rule, [...path, 'shape']),
  );
}

function readNatural(spec: RodSpec, path: Path): Exclude<NaturalSpec, string> | 'straight' {
  const { natural = 'initial' } = spec;
  if (natural === 'straight') return natural;
  if (natural === 'initial') return {};
  const at = [...path, 'natural'];
  if (natural === 'equilibrium') {
    if (!capabilitiesOf(spec).naturalEquilibrium)
      throw new SceneError(
        at,
        `natural: equilibrium is for the models ${modelsWith('naturalEquilibrium').join(', ')}; set one of them, or give another natural shape`,
      );
    return {};
  }
  const rival = natural.curl && (['shape', 'curvature', 'frame'] as const).find((field) => natural[field]);
  if (rival) throw new SceneError([...at, rival], `'${rival}' has no effect beside 'curl'; give one of them`);
  if (natural.curvature && natural.shape)
    throw new SceneError([...at, 'curvature'], "both 'shape' and 'curvature' are given; give one of them");
  if (natural.curvature && natural.frame)
    throw new SceneError(
      [...at, 'frame'],
      "'frame' has no effect with 'curvature', which is written in the material frame already; remove it",
    );
  if (natural.length !== undefined && !(natural.length > 0))
    throw new SceneError([...at, 'length'], `the rest length is ${natural.length} m; it must be positive`);
  return natural;
}

export function compileRod(
  written: RodSpec,
  scene: Scene,
  pins: readonly PlacedPin[],
  path: Path,
  warnings: string[],
  allocate: Allocate,
): CompiledRod {
  const spec = applyHair(written, path);
  if (spec.shape.type === 'ring' && spec.closed === false)
    throw new SceneError([...path, 'closed'], 'a ring is always closed; use an arc for an open circle');
  const closed = spec.closed ?? spec.shape.type === 'ring';
  const outline = readOutline(spec, closed, path);
  const natural = readNatural(spec, path);
  const naturalPath = [...path, 'natural'];

  // rest length and nodes
  const own = natural === 'straight' ? undefined : natural.shape;
  const nodeCount = 'points' in outline ? outline.points.length : undefined;
  const naturalOutline = own && readNaturalOutline(own, nodeCount, closed, [...naturalPath, 'shape']);
  const length = (natural === 'straight' ? undefined : natural.length) ?? lengthOf(naturalOutline ?? outline);
  const nodeU = placeNodes(spec, { outline, natural: naturalOutline, closed, length }, pins, path);
  const layout = createLayout(nodeU, closed, length);

  const initial = trace(outline, nodeU, closed, spec.frame, path);
  const rest = compileRest(
    { natural, initial, outline: naturalOutline ?? outline, hasOwnShape: naturalOutline !== undefined },
    layout,
    spec.frame,
    naturalPath,
    allocate,
  );
  const { edgeLengthRest } = rest;
  const section = compileSection(spec, scene, length, path);
  const inextensible = isInextensible(spec, section, path);
  const properties = distribute(section, layout, edgeLengthRest, inextensible, allocate);
  const rod: Rod = {
    id: spec.id,
    model: spec.model ?? defaultModel,
    closed,
    inextensible,
    ...(spec.natural === 'equilibrium' && { naturalFromEquilibrium: true }),
    nodeCount: layout.nodeCount,
    edgeCount: layout.edgeCount,
    length: sum(edgeLengthRest),
    ...placeFrames(initial, layout, compileTwist(spec.frame, length, path), allocate),
    nodeArc: nodeArcs(edgeLengthRest, layout.nodeCount, allocate),
    nodeVelocity: startVelocity(spec.velocity, initial.position, properties.nodeMass, allocate),
    // the material turns with the rod: the component of the angular velocity along the edge is its spin
    edgeSpin: initialSpin(spec, initial, layout.edgeCount, allocate),
    ...rest,
    ...properties,
    ...(spec.law && { law: spec.law }),
    ...(spec.break && { strength: compileStrength(spec.break, layout, [...path, 'break']) }),
    ...compileSurface(spec, layout, path),
  };
  warnSharp(rod, initial, warnings);
  warnDoubtful(rod, spec, warnings);
  return { rod, layout: { ...layout, length: rod.length }, section };
}

function isInextensible({ inextensible }: RodSpec, { hasEA }: CompiledSection, path: Path): boolean {
  if (inextensible === false && !hasEA)
    throw new SceneError(
      [...path, 'inextensible'],
      'an extensible rod needs EA in its stiffness section; add EA, or remove inextensible: false',
    );
  return inextensible ?? !hasEA;
}

/** Inputs of the natural shape of a rod. */
interface RestSource {
  readonly natural: ReturnType<typeof readNatural>;
  readonly initial: Trace;
  /** The natural shape if the scene gives one, else the initial shape. */
  readonly outline: Outline;
  readonly hasOwnShape: boolean;
}

/** Natural strain of half edges, and rest lengths of edges. */
function compileRest(
  { natural, initial, outline, hasOwnShape }: RestSource,
  layout: Layout,
  frame: FrameSpec | undefined,
  path: Path,
  allocate: Allocate,
): Pick<Rod, 'edgeLengthRest' | 'halfStrainRest'> {
  const { length, nodeU, closed, edgeCount } = layout;
  let halfStrainRest: Float64Array;
  let restTrace = initial;
  if (natural === 'straight') halfStrainRest = allocate(6 * edgeCount);
  else if (natural.curvature) halfStrainRest = strainOfCurvature(natural.curvature, layout, length, path, allocate);
  else if (natural.curl) halfStrainRest = strainOfCurl(natural.curl, layout, length, path, allocate);
  else {
    const rule = { d1: natural.frame?.d1 ?? frame?.d1, follow: natural.frame?.follow ?? frame?.follow };
    if (hasOwnShape || natural.frame) restTrace = trace(outline, nodeU, closed, rule, path);
    halfStrainRest = strainOfTrace(restTrace, layout, compileTwist(natural.frame, length, path), allocate);
  }
  // edge lengths in proportion to those of the shape
  const edgeLengthRest = allocate(edgeCount);
  edgeLengthRest.set(restTrace.edgeLength);
  if (natural !== 'straight' && natural.length !== undefined) {
    const stretch = natural.length / sum(edgeLengthRest);
    for (let j = 0; j < edgeCount; j++) edgeLengthRest[j] *= stretch;
  }
  return { edgeLengthRest, halfStrainRest };
}

/** Factors on friction and restitution at the middles of edges. */
function compileSurface(spec: RodSpec, layout: Layout, path: Path): Pick<Rod, 'surface'> {
  if (!spec.surface) return {};
  const { nodeU, edgeCount, length } = layout;
  const factors = (what: 'friction' | 'restitution'): Float64Array => {
    const profile = compileVarying(spec.surface?.[what] ?? 1, length, [...path, 'surface', what], nonNegative);
    return Float64Array.from({ length: edgeCount }, (_, j) => profile.at(0.5 * (nodeU[j] + nodeU[j + 1])));
  };
  return { surface: { edgeFriction: factors('friction'), edgeRestitution: factors('restitution') } };
}

function sum(values: Float64Array): number {
  let total = 0;
  for (let k = 0; k < values.length; k++) total += values[k];
  return total;
}

function nodeArcs(edgeLengthRest: Float64Array, nodeCount: number, allocate: Allocate): Float64Array {
  const out = allocate(nodeCount);
  for (let i = 1; i < nodeCount; i++) out[i] = out[i - 1] + edgeLengthRest[i - 1];
  return out;
}

interface RodOutline {
  readonly outline: Outline;
  readonly natural: Outline | undefined;
  readonly closed: boolean;
  /** Rest length [m]. */
  readonly length: number;
}

/** Nodes as fractions of the rest length: those of a polyline, or `edges` with a node at every pin. */
function placeNodes(
  spec: RodSpec,
  { outline, natural, closed, length }: RodOutline,
  pins: readonly PlacedPin[],
  path: Path,
): readonly number[] {
  if ('points' in outline) {
    // u is measured on the rest length: that of the natural polyline, if there is one
    return (natural && 'points' in natural ? natural : outline).nodeU;
  }
  const cuts = pins.map(({ spec: pin, path: at }) => fractionOf(pin.at, length, [...at, 'at']) ?? 0);
  return layNodes(readEdges(spec, closed, path), cuts, [...path, 'edges']);
}

type Properties = Pick<
  Rod,
  | 'edgeEA'
  | 'edgeInertia'
  | 'edgeRadius'
  | 'nodeMass'
  | 'nodeDamping'
  | 'halfEI1'
  | 'halfEI2'
  | 'halfGJ'
  | 'halfDamping'
>;

/** Integrates the section over half edges with two Gauss points each. */
function distribute(
  section: CompiledSection,
  layout: Layout,
  edgeLengthRest: Float64Array,
  inextensible: boolean,
  allocate: Allocate,
): Properties {
  const { edgeCount: n, nodeCount, nodeU } = layout;
  const out: Properties = {
    edgeEA: allocate(n),
    edgeInertia: allocate(n),
    edgeRadius: allocate(n),
    nodeMass: allocate(nodeCount),
    nodeDamping: allocate(nodeCount),
    halfEI1: allocate(2 * n),
    halfEI2: allocate(2 * n),
    halfGJ: allocate(2 * n),
    halfDamping: allocate(2 * n),
  };
  for (let half = 0; half < 2 * n; half++) {
    const j = half >> 1;
    const size = (nodeU[j + 1] - nodeU[j]) / 2;
    const begin = nodeU[j] + (half % 2) * size;
    const node = (j + (half % 2)) % nodeCount;
    const quarter = edgeLengthRest[j] / 4;
    for (const point of gaussPoints) {
      const values = section.at(begin + point * size);
      out.halfEI1[half] += 0.5 / values.EI1;
      out.halfEI2[half] += 0.5 / values.EI2;
      out.halfGJ[half] += 0.5 / values.GJ;
      out.halfDamping[half] += 0.5 * values.dampingStiffness;
      out.edgeEA[j] += 0.25 / values.EA;
      out.edgeInertia[j] += quarter * values.inertiaPerLength;
      out.edgeRadius[j] += 0.25 * values.radius;
      out.nodeMass[node] += quarter * values.massPerLength;
      out.nodeDamping[node] += quarter * values.massPerLength * values.dampingMass;
    }
  }
  // means of compliance become stiffness
  for (let half = 0; half < 2 * n; half++) {
    out.halfEI1[half] = 1 / out.halfEI1[half];
    out.halfEI2[half] = 1 / out.halfEI2[half];
    out.halfGJ[half] = 1 / out.halfGJ[half];
  }
  for (let j = 0; j < n; j++) out.edgeEA[j] = inextensible ? Number.POSITIVE_INFINITY : 1 / out.edgeEA[j];
  for (let i = 0; i < nodeCount; i++) out.nodeDamping[i] /= out.nodeMass[i];
  return out;
}

/** Velocities of nodes, 3 per node, of a rod that is moved as a whole. */
export function startVelocity(
  velocity: RodSpec['velocity'],
  position: readonly Vector[],
  nodeMass: Float64Array,
  allocate: Allocate,
): Float64Array {
  const out = allocate(3 * nodeMass.length);
  if (!velocity) return out;
  const { linear = [0, 0, 0], angular = [0, 0, 0] } = velocity;
  let center: Vector = [0, 0, 0];
  nodeMass.forEach((m, i) => {
    center = addScaled(center, position[i], m);
  });
  center = scale(center, 1 / sum(nodeMass));
  for (let i = 0; i < nodeMass.length; i++)
    writeVector(out, i, add(linear, cross(angular, subtract(position[i], center))));
  return out;
}

function initialSpin(spec: RodSpec, initial: Trace, edgeCount: number, allocate: Allocate): Float64Array {
  const { angular = [0, 0, 0] } = spec.velocity ?? {};
  const out = allocate(edgeCount);
  for (let j = 0; j < edgeCount; j++) out[j] = dot(angular, initial.frames[2 * j + 1].tangent);
  return out;
}

function warnSharp(rod: Rod, initial: Trace, warnings: string[]): void {
  for (let i = 1; i < rod.edgeCount; i++) {
    if (dot(initial.frames[2 * i - 1].tangent, initial.frames[2 * i + 1].tangent) < 0) {
      warnings.push(`rod '${rod.id}' turns by more than 90° at node ${i}; use more edges`);
      return;
    }
  }
}
