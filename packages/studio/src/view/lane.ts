/** One lane as objects: rods, bodies, pins, and on demand the initial shape, the material frames and the forces. */
import {
  createHairObject,
  createRodObject,
  type HairObject,
  type RodObject,
  type RodSamples,
} from '@tendril-sim/bridge/three';
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CylinderGeometry,
  DynamicDrawUsage,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import { layoutOfLane, poseSize } from '../frameLayout.ts';
import type { LaneFrame, LaneInfo, Solid } from '../protocol.ts';
import { createArrows } from './arrows.ts';
import type { ColorBy } from './colormaps.ts';
import { mapOf, quantities } from './colormaps.ts';
import type { Ground } from './ground.ts';

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
  setColoring(by: ColorBy, range: number, plain: string, stripe: boolean, dark: boolean): void;
  setThickness(factor: number): void;
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

export function createLaneView(info: LaneInfo, ground: Ground, softEdges: boolean): LaneView {
  const group = new Group();
  const asHair = info.rods.length > hairFrom;
  const tubes: RodObject | undefined = asHair ? undefined : createRodObject(info.rods, { softEdges });
  const hair: HairObject | undefined = asHair ? createHair(info, softEdges) : undefined;
  const rodMesh = (tubes ?? hair)?.object as Mesh;
  group.add(rodMesh);
  if (tubes) castShadows(rodMesh);
  const drawn = (tubes ?? hair) as RodObject | HairObject;
  const casters: Mesh[] = [ground.castRods(drawn.records, drawn.uniforms)];
  const layout = layoutOfLane(info);
  const samples = info.rods.map(({ nodeCount, edgeCount }) => ({
    nodePosition: new Float32Array(3 * nodeCount),
    edgeDirector: new Float32Array(3 * edgeCount),
  }));
  const values = info.rods.map(({ nodeCount }) => new Float32Array(nodeCount));
  const edgeValues = info.rods.map(({ edgeCount }) => new Float32Array(edgeCount));
  let coloring: ColorBy = 'plain';
  let largest = 0;

  const bodyMaterial = new MeshStandardMaterial({ color: '#8f959e', roughness: 0.55, metalness: 0.1 });
  // a body of which only the inertia is known: a core, and a veil as large as the inertia says
  const veil = new MeshStandardMaterial({
    color: '#9aa4b4',
    roughness: 0.35,
    transparent: true,
    opacity: 0.1,
    depthWrite: false,
  });
  const bodies = info.bodies.map(({ solid, assumed }) => {
    if (!solid) return undefined;
    const mesh = new Mesh(solidGeometry(solid), assumed ? veil : bodyMaterial);
    if (assumed) mesh.add(new Mesh(new SphereGeometry(0.22 * solidRadius(solid), 32, 20), bodyMaterial));
    const shadow = ground.castBall((assumed ? 0.3 : 1) * solidRadius(solid));
    casters.push(shadow);
    group.add(mesh);
    mesh.castShadow = !assumed;
    mesh.receiveShadow = true;
    return { mesh, shadow };
  });
  const pins = createPins(info, group);
  const poses = info.moving.map(() => Float32Array.of(0, 0, 0, 1, 0, 0, 0));
  const ghost = createGhost(info);
  const frames = createFrames(info);
  const arrows = createArrows();
  group.add(ghost, frames.object, arrows.group);
  ghost.visible = false;
  frames.object.visible = false;

  const mix = (out: Float32Array, a: Float32Array, b: Float32Array, o: number, w: number): void => {
    if (w === 0) out.set(a.subarray(o, o + out.length));
    else for (let k = 0; k < out.length; k++) out[k] = a[o + k] + w * (b[o + k] - a[o + k]);
  };

  const readValues = (a: LaneFrame, b: LaneFrame, w: number): void => {
    if (coloring === 'plain' || !tubes) return;
    largest = 0;
    for (let r = 0; r < info.rods.length; r++) {
      const place = layout.rods[r][coloring];
      const out = coloring === 'tension' ? edgeValues[r] : values[r];
      mix(out, a.data, b.data, place, w);
      for (let k = 0; k < out.length; k++) largest = Math.max(largest, Math.abs(out[k]));
    }
    tubes.setValues(coloring === 'tension' ? edgeValues : values);
  };

  return {
    info,
    group,
    casters,
    hair,
    samples,
    get largest() {
      return largest;
    },
    get forces() {
      return arrows.forces;
    },
    show(a, b, w) {
      for (let r = 0; r < info.rods.length; r++) {
        mix(samples[r].nodePosition, a.data, b.data, layout.rods[r].position, w);
        mix(samples[r].edgeDirector, a.data, b.data, layout.rods[r].director, w);
      }
      readValues(a, b, w);
      // contacts come and go: arrows are those of the nearer frame
      arrows.forces = (w < 0.5 ? a : b).forces;
      (tubes ?? hair)?.update(samples as readonly RodSamples[]);
      bodies.forEach((body, k) => {
        if (!body) return;
        const o = layout.bodies + poseSize * k;
        const at = (i: number): number => a.data[o + i] + w * (b.data[o + i] - a.data[o + i]);
        body.mesh.position.set(at(0), at(1), at(2));
        body.mesh.quaternion.set(a.data[o + 4], a.data[o + 5], a.data[o + 6], a.data[o + 3]);
        if (w > 0) {
          turned.set(b.data[o + 4], b.data[o + 5], b.data[o + 6], b.data[o + 3]);
          body.mesh.quaternion.slerp(turned, w);
        }
        body.shadow.position.copy(body.mesh.position);
      });
      placePins(pins, samples);
      poses.forEach((pose, k) => {
        // near enough to each other that components may be blended
        mix(pose, a.data, b.data, layout.colliders + poseSize * k, w);
      });
      if (frames.object.visible) frames.update(samples);
    },
    setColoring(by, range, plain, stripe, dark) {
      coloring = by;
      const low = by !== 'plain' && quantities[by].signed ? -range : 0;
      tubes?.setColorMap(mapOf(by, dark), low, range);
      tubes?.setColor(plain);
      tubes?.setStripe(stripe, dark ? '#fff6e6' : '#ffffff');
      hair?.setColor(plain);
    },
    setThickness(factor) {
      tubes?.setThickness(factor);
      hair?.setThickness(factor);
      for (const { mesh } of pins) mesh.scale.setScalar(factor);
    },
    setExtras(showGhost, showFrames, showForces) {
      ghost.visible = showGhost;
      arrows.group.visible = showForces;
      frames.object.visible = showFrames;
      if (showFrames) frames.update(samples);
    },
    drawForces: arrows.place.bind(arrows),
    valuesOf: (rod) => (coloring === 'plain' ? undefined : coloring === 'tension' ? edgeValues[rod] : values[rod]),
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
    dispose() {
      tubes?.dispose();
      hair?.dispose();
      arrows.dispose();
      bodyMaterial.dispose();
      veil.dispose();
      ghost.geometry.dispose();
      frames.object.geometry.dispose();
      for (const body of bodies) body?.mesh.geometry.dispose();
      for (const { mesh } of pins) mesh.geometry.dispose();
      for (const caster of casters) caster.geometry.dispose();
    },
  };
}

/** Rods shade each other and themselves; their caps are too small to matter. */
function castShadows(rods: Mesh): void {
  rods.castShadow = true;
  rods.traverse((part) => {
    part.receiveShadow = true;
  });
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
    const radius = 1.9 * edgeRadius[edge];
    const geometry = clamps
      ? new CylinderGeometry(radius, radius, 1.5 * radius, 32)
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

/** The initial shape as thin lines. */
function createGhost(info: LaneInfo): LineSegments {
  const points: number[] = [];
  for (const { nodePosition: x, edgeCount, nodeCount } of info.rods) {
    for (let j = 0; j < edgeCount; j++) {
      const b = 3 * ((j + 1) % nodeCount);
      points.push(x[3 * j], x[3 * j + 1], x[3 * j + 2], x[b], x[b + 1], x[b + 2]);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
  return new LineSegments(geometry, new LineBasicMaterial({ color: '#8a93a3', transparent: true, opacity: 0.7 }));
}

/** d1 and d2 as ticks at the edges' middles. */
function createFrames(info: LaneInfo): { object: LineSegments; update(samples: LaneView['samples']): void } {
  const edges = info.rods.reduce((sum, { edgeCount }) => sum + edgeCount, 0);
  const position = new Float32Array(12 * edges);
  const color = new Float32Array(12 * edges);
  for (let k = 0; k < edges; k++) {
    color.set([0.95, 0.62, 0.2, 0.95, 0.62, 0.2, 0.25, 0.62, 0.9, 0.25, 0.62, 0.9], 12 * k);
  }
  const geometry = new BufferGeometry();
  const attribute = new BufferAttribute(position, 3);
  attribute.setUsage(DynamicDrawUsage);
  geometry.setAttribute('position', attribute);
  geometry.setAttribute('color', new BufferAttribute(color, 3));
  const object = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true }));
  object.frustumCulled = false;
  return {
    object,
    update(samples) {
      let o = 0;
      info.rods.forEach(({ edgeCount, nodeCount, edgeRadius, length }, r) => {
        const { nodePosition: x, edgeDirector: d } = samples[r];
        for (let j = 0; j < edgeCount; j++) {
          const a = 3 * j;
          const b = 3 * ((j + 1) % nodeCount);
          const size = Math.max(3.2 * edgeRadius[j], 0.012 * length);
          const tx = x[b] - x[a];
          const ty = x[b + 1] - x[a + 1];
          const tz = x[b + 2] - x[a + 2];
          const norm = Math.hypot(tx, ty, tz) || 1;
          const e = [
            (ty * d[a + 2] - tz * d[a + 1]) / norm,
            (tz * d[a] - tx * d[a + 2]) / norm,
            (tx * d[a + 1] - ty * d[a]) / norm,
          ];
          for (let k = 0; k < 3; k++) {
            const middle = 0.5 * (x[a + k] + x[b + k]);
            position[o + k] = middle;
            position[o + 3 + k] = middle + size * d[a + k];
            position[o + 6 + k] = middle;
            position[o + 9 + k] = middle + size * e[k];
          }
          o += 12;
        }
      });
      attribute.needsUpdate = true;
    },
  };
}
