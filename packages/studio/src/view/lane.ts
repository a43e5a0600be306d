/** One lane as objects: rods, bodies, pins, and on demand the initial shape, the material frames and the forces. */
import {
  type ColorMap,
  createHairObject,
  createRodObject,
  type HairObject,
  type RodFinish,
  type RodObject,
  type RodSamples,
} from '@tendril-sim/bridge/three';
import {
  BoxGeometry,
  type BufferGeometry,
  CylinderGeometry,
  Group,
  type LineSegments,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import { layoutOfLane, poseSize } from '../frameLayout.ts';
import type { LaneFrame, LaneInfo, Solid } from '../protocol.ts';
import { type Arrows, createArrows } from './arrows.ts';
import type { ColorBy } from './colormaps.ts';
import { mapOf, quantities } from './colormaps.ts';
import type { Ground } from './ground.ts';
import { createFrames, createGhost } from './laneLines.ts';

/** More rods than this are drawn as hair. */
const hairFrom = 150;
/** Of so many, more are drawn between them. */
const denseFrom = 1500;
const pinLimit = 80;

export interface LaneView {
  readonly info: LaneInfo;
  readonly group: Group;
  readonly casters: readonly Mesh[];
  readonly hair: HairObject | undefined;
  /** What is shown now, between two frames; positions of all nodes for picking. */
  readonly samples: readonly { readonly nodePosition: Float32Array; readonly edgeDirector: Float32Array }[];
  show(a: LaneFrame, b: LaneFrame, weight: number): void;
  /** Largest size of the quantity that is shown. */
  readonly largest: number;
  setColoring(coloring: Coloring): void;
  setThickness(factor: number): void;
  /** How much the edges of rods fade, 0…1, where there is no multisampling. */
  setSoftEdges(part: number): void;
  setExtras(ghost: boolean, frames: boolean, forces: boolean): void;
  /** Arrows of what is shown now. */
  readonly forces: Float32Array | undefined;
  /** `scale` [m/N], `pixel` [m], `width`: part of the full width. */
  drawForces(scale: number, pixel: number, width: number, dark: boolean): void;
  setFailed(rod: string | undefined): void;
  /** The quantity that is shown, at the nodes or edges of a rod. */
  valuesOf(rod: number): Float32Array | undefined;
  /** Pins that hold. */
  heldPins(): readonly {
    readonly rod: number;
    readonly node: number;
    readonly edge: number;
    readonly clamps: boolean;
  }[];
  /** Pins that were let go are not drawn. */
  setReleased(released: readonly boolean[]): void;
  /** Writes position and orientation w x y z of each collider that moves. */
  placeColliders(place: (collider: number, at: Float32Array) => void): void;
  dispose(): void;
}

/** Hairs that are drawn between those of a groomed head: by a graphics card, and by a processor. */
const strandCount = { card: 50_000, processor: 10_000 } as const;

function createHair(info: LaneInfo, isSoftware: boolean): HairObject {
  const count = isSoftware ? strandCount.processor : strandCount.card;
  const isGroomed = info.rods.length >= denseFrom && info.rods.length < count;
  return createHairObject(info.rods, {
    hashed: isSoftware,
    ...(isGroomed && { strands: { count, curves: info.rods } }),
  });
}

/** A lane as it is drawn. */
interface LaneState {
  readonly info: LaneInfo;
  readonly tubes: RodObject | undefined;
  readonly hair: HairObject | undefined;
  readonly layout: ReturnType<typeof layoutOfLane>;
  readonly samples: LaneView['samples'];
  /** Colours that the scene gives its rods; undefined if it gives none. */
  readonly own: OwnColors | undefined;
  /** The quantity that is shown, by rod: at nodes, and at edges. */
  readonly values: readonly Float32Array[];
  readonly edgeValues: readonly Float32Array[];
  readonly bodies: Bodies;
  readonly pins: readonly PinMark[];
  /** Poses of the colliders that move. */
  readonly poses: readonly Float32Array[];
  readonly ghost: LineSegments;
  readonly frames: ReturnType<typeof createFrames>;
  readonly arrows: Arrows;
  coloring: ColorBy;
  largest: number;
}

/** Colours of rods as a colour map, and for every rod the place of its colour in the map, at its nodes. */
interface OwnColors {
  readonly map: ColorMap;
  readonly values: readonly Float32Array[];
}

/** The colours that the scene gives its rods; the others get that of clay. Undefined if it gives none. */
function ownColors({ rods }: LaneInfo): OwnColors | undefined {
  if (!rods.some(({ color }) => color)) return undefined;
  const names = [...new Set(rods.map(({ color = '#b9b4ac' }) => color))];
  const channel = (name: string, k: number): number => Number.parseInt(name.slice(1 + 2 * k, 3 + 2 * k), 16);
  return {
    map: names.map((name) => [channel(name, 0), channel(name, 1), channel(name, 2)]),
    // the middle of a texel, where no neighbour is blended in
    values: rods.map(({ nodeCount, color = '#b9b4ac' }) =>
      new Float32Array(nodeCount).fill((names.indexOf(color) + 0.5) / names.length),
    ),
  };
}

function createState(info: LaneInfo, group: Group, ground: Ground, softEdges: boolean): LaneState {
  const own = ownColors(info);
  const asHair = info.rods.length > hairFrom && !own;
  return {
    info,
    tubes: asHair ? undefined : createRodObject(info.rods, { softEdges }),
    hair: asHair ? createHair(info, softEdges) : undefined,
    layout: layoutOfLane(info),
    samples: info.rods.map(({ nodeCount, edgeCount }) => ({
      nodePosition: new Float32Array(3 * nodeCount),
      edgeDirector: new Float32Array(3 * edgeCount),
    })),
    own,
    values: info.rods.map(({ nodeCount }) => new Float32Array(nodeCount)),
    edgeValues: info.rods.map(({ edgeCount }) => new Float32Array(edgeCount)),
    bodies: createBodies(info, group, ground),
    pins: createPins(info, group),
    poses: info.moving.map(() => Float32Array.of(0, 0, 0, 1, 0, 0, 0)),
    ghost: createGhost(info),
    frames: createFrames(info),
    arrows: createArrows(),
    coloring: 'plain',
    largest: 0,
  };
}

export function createLaneView(info: LaneInfo, ground: Ground, softEdges: boolean): LaneView {
  const group = new Group();
  const state = createState(info, group, ground, softEdges);
  const { tubes, hair, samples, values, edgeValues, bodies, pins, poses, ghost, frames, arrows } = state;
  const drawn = (tubes ?? hair) as RodObject | HairObject;
  group.add(drawn.object, ghost, frames.object, arrows.group);
  if (tubes) castShadows(tubes.object as Mesh);
  const casters: readonly Mesh[] = [ground.castRods(drawn.records, drawn.uniforms), ...bodies.shadows];
  ghost.visible = false;
  frames.object.visible = false;
  return {
    info,
    group,
    casters,
    hair,
    samples,
    get largest() {
      return state.largest;
    },
    get forces() {
      return arrows.forces;
    },
    show: (a, b, w) => show(state, a, b, w),
    setColoring(coloring) {
      state.coloring = coloring.by;
      colorRods(state, coloring);
    },
    setThickness(factor) {
      drawn.setThickness(factor);
      for (const { mesh } of pins) mesh.scale.setScalar(factor);
    },
    setSoftEdges: (part) => tubes?.setSoftEdges(part),
    setExtras(showGhost, showFrames, showForces) {
      ghost.visible = showGhost;
      arrows.group.visible = showForces;
      frames.object.visible = showFrames;
      if (showFrames) frames.update(samples);
    },
    drawForces: arrows.place.bind(arrows),
    valuesOf: (rod) =>
      state.coloring === 'plain' ? undefined : (state.coloring === 'tension' ? edgeValues : values)[rod],
    heldPins: () => pins.filter(({ mesh }) => mesh.visible),
    setReleased(released) {
      for (const { mesh, pin } of pins) mesh.visible = !released[pin];
    },
    placeColliders(place) {
      info.moving.forEach((collider, k) => {
        place(collider, poses[k]);
      });
    },
    setFailed(rod) {
      const index = rod === undefined ? -1 : info.rods.findIndex(({ id }) => id === rod);
      tubes?.setFailed(index < 0 ? undefined : index);
    },
    dispose: () => dispose(state, casters),
  };
}

/** Shows the state between two frames, w from the first to the second, 0…1. */
function show(state: LaneState, a: LaneFrame, b: LaneFrame, w: number): void {
  const { info, tubes, hair, layout, samples, bodies, pins, poses, frames, arrows } = state;
  for (let r = 0; r < info.rods.length; r++) {
    mix(samples[r].nodePosition, a.data, b.data, layout.rods[r].position, w);
    mix(samples[r].edgeDirector, a.data, b.data, layout.rods[r].director, w);
  }
  readValues(state, a, b, w);
  // contacts come and go: arrows are those of the nearer frame
  arrows.forces = (w < 0.5 ? a : b).forces;
  (tubes ?? hair)?.update(samples as readonly RodSamples[]);
  bodies.place(a, b, w, layout.bodies);
  placePins(pins, samples);
  poses.forEach((pose, k) => {
    // near enough to each other that components may be blended
    mix(pose, a.data, b.data, layout.colliders + poseSize * k, w);
  });
  if (frames.object.visible) frames.update(samples);
}

/** Reads the quantity that colours the rods, and its largest magnitude. */
function readValues(state: LaneState, a: LaneFrame, b: LaneFrame, w: number): void {
  const { coloring, tubes, info, layout, values, edgeValues } = state;
  if (coloring === 'plain' || !tubes) return;
  const shown = coloring === 'tension' ? edgeValues : values;
  state.largest = 0;
  for (let r = 0; r < info.rods.length; r++) {
    mix(shown[r], a.data, b.data, layout.rods[r][coloring], w);
    for (let k = 0; k < shown[r].length; k++) state.largest = Math.max(state.largest, Math.abs(shown[r][k]));
  }
  tubes.setValues(shown);
}

function dispose({ tubes, hair, arrows, bodies, ghost, frames, pins }: LaneState, casters: readonly Mesh[]): void {
  tubes?.dispose();
  hair?.dispose();
  arrows.dispose();
  bodies.dispose();
  ghost.geometry.dispose();
  frames.object.geometry.dispose();
  for (const { mesh } of pins) mesh.geometry.dispose();
  for (const caster of casters) caster.geometry.dispose();
}

/** Rods shade each other and themselves; their caps are too small to matter. */
function castShadows(rods: Mesh): void {
  rods.castShadow = true;
  rods.traverse((part) => {
    part.receiveShadow = true;
  });
}

/** Interpolates numbers of two frames, from index o on. */
function mix(out: Float32Array, a: Float32Array, b: Float32Array, o: number, w: number): void {
  if (w === 0) out.set(a.subarray(o, o + out.length));
  else for (let k = 0; k < out.length; k++) out[k] = a[o + k] + w * (b[o + k] - a[o + k]);
}

export interface Coloring {
  readonly by: ColorBy;
  readonly range: number;
  readonly plain: string;
  readonly stripe: boolean;
  readonly finish: RodFinish;
  readonly dark: boolean;
}

function colorRods({ tubes, hair, own }: LaneState, { by, range, plain, stripe, finish, dark }: Coloring): void {
  tubes?.setFinish(finish);
  if (by === 'plain' && tubes && own) {
    tubes.setValues(own.values);
    tubes.setColorMap(own.map, 0, 1);
    tubes.setStripe(false);
    return;
  }
  const low = by !== 'plain' && quantities[by].signed ? -range : 0;
  tubes?.setColorMap(mapOf(by, dark), low, range);
  tubes?.setColor(plain);
  // strands that wind about the rod show its twist themselves
  tubes?.setStripe(stripe && finish !== 'rope' && finish !== 'yarn', dark ? '#fff6e6' : '#ffffff');
  hair?.setColor(plain);
}

interface Bodies {
  readonly shadows: readonly Mesh[];
  /** Moves the bodies to their poses between two frames, which begin at index `first`. */
  place(a: LaneFrame, b: LaneFrame, w: number, first: number): void;
  dispose(): void;
}

function createBodies(info: LaneInfo, group: Group, ground: Ground): Bodies {
  const material = new MeshStandardMaterial({ color: '#8f959e', roughness: 0.55, metalness: 0.1 });
  // a body of which only the inertia is known: a core, and a veil as large as the inertia suggests
  const veil = new MeshStandardMaterial({
    color: '#9aa4b4',
    roughness: 0.35,
    transparent: true,
    opacity: 0.1,
    depthWrite: false,
  });
  const bodies = info.bodies.map(({ solid, assumed }) => {
    if (!solid) return undefined;
    const mesh = new Mesh(solidGeometry(solid), assumed ? veil : material);
    if (assumed) mesh.add(new Mesh(new SphereGeometry(0.22 * solidRadius(solid), 32, 20), material));
    const shadow = ground.castBall((assumed ? 0.3 : 1) * solidRadius(solid));
    group.add(mesh);
    mesh.castShadow = !assumed;
    mesh.receiveShadow = true;
    return { mesh, shadow };
  });
  return {
    shadows: bodies.flatMap((body) => (body ? [body.shadow] : [])),
    place({ data: a }, { data: b }, w, first) {
      bodies.forEach((body, k) => {
        if (!body) return;
        const o = first + poseSize * k;
        const at = (i: number): number => a[o + i] + w * (b[o + i] - a[o + i]);
        body.mesh.position.set(at(0), at(1), at(2));
        body.mesh.quaternion.set(a[o + 4], a[o + 5], a[o + 6], a[o + 3]);
        if (w > 0) body.mesh.quaternion.slerp(turned.set(b[o + 4], b[o + 5], b[o + 6], b[o + 3]), w);
        body.shadow.position.copy(body.mesh.position);
      });
    },
    dispose() {
      material.dispose();
      veil.dispose();
      for (const body of bodies) body?.mesh.geometry.dispose();
    },
  };
}

const turned = new Quaternion();

function solidGeometry(solid: Solid): BufferGeometry {
  if (solid.type === 'sphere') return new SphereGeometry(solid.radius, 40, 24);
  if (solid.type === 'box') return new BoxGeometry(...solid.size.map((edge) => Math.max(edge, 1e-9)));
  // three's cylinder lies along y, the scene's along z
  return new CylinderGeometry(solid.radius, solid.radius, solid.height, 48).rotateX(Math.PI / 2);
}

function solidRadius(solid: Solid): number {
  if (solid.type === 'box') return Math.cbrt(solid.size[0] * solid.size[1] * solid.size[2]) / 2;
  return solid.radius;
}

interface PinMark {
  readonly mesh: Mesh;
  readonly clamps: boolean;
  readonly pin: number;
  readonly rod: number;
  readonly edge: number;
  readonly node: number;
}

const pinMaterial = new MeshStandardMaterial({ color: '#3a3f47', roughness: 0.5, metalness: 0.35 });

/** A collar where a frame is held, a bead where a place is. */
function createPins(info: LaneInfo, group: Group): PinMark[] {
  if (info.pins.length > pinLimit) return [];
  return info.pins.map(({ rod, node, clamps }, pin) => {
    const { edgeCount, edgeRadius, closed } = info.rods[rod];
    const edge = closed ? node : Math.min(node, edgeCount - 1);
    // a stout rod needs no collar of twice its width
    const slender = info.rods[rod].length / (80 * edgeRadius[edge]);
    const radius = (1.2 + 0.7 * Math.min(1, slender)) * edgeRadius[edge];
    const geometry = clamps
      ? new CylinderGeometry(radius, radius, (0.5 + Math.min(1, slender)) * radius, 32)
      : new SphereGeometry(0.9 * radius, 24, 16);
    const mesh = new Mesh(geometry, pinMaterial);
    group.add(mesh);
    return { mesh, clamps, pin, rod, node, edge };
  });
}

const upY = new Vector3(0, 1, 0);
const direction = new Vector3();

function placePins(pins: readonly PinMark[], samples: LaneView['samples']): void {
  for (const { mesh, rod, node, edge } of pins) {
    const x = samples[rod].nodePosition;
    const a = 3 * edge;
    const b = (a + 3) % x.length;
    direction.set(x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]).normalize();
    mesh.quaternion.setFromUnitVectors(upY, direction);
    mesh.position.set(x[3 * node], x[3 * node + 1], x[3 * node + 2]);
  }
}
