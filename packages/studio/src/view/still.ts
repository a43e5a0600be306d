/** What is seen, as the scene of a path tracer: rods with the material that they are shown in, hair, solids, and the ground. */
import {
  createGeometry,
  type Framing,
  type GeometryBuilder,
  type MaterialKind,
  parseColor,
  type RenderMaterial,
  type RenderScene,
  type Triple,
} from '@tendril-sim/bridge/render';
import type { RodFinish } from '@tendril-sim/bridge/three';
import { InstancedBufferGeometry, Mesh, MeshStandardMaterial, type Object3D, Vector3 } from 'three';
import type { RodInfo } from '../protocol.ts';
import { skinColor } from '../skin.ts';
import { baseColor } from './drawing.ts';
import type { LaneView } from './lane.ts';
import { perPixelOf, type ViewState } from './viewState.ts';

export interface StillSize {
  readonly width: number;
  readonly height: number;
}

const kinds: Readonly<Record<RodFinish, MaterialKind>> = {
  rubber: 'rubber',
  steel: 'steel',
  rope: 'rope',
  yarn: 'yarn',
  wood: 'plant',
};
const plainColors: Readonly<Record<RodFinish, string>> = {
  rubber: '#b5532a',
  steel: '#c9ccd1',
  rope: '#b08c5a',
  yarn: '#a33b3b',
  wood: '#8a6a45',
};
const grounds = { light: '#f4f1ec', dark: '#1b212b' } as const;

/** Flatter sections are drawn less flat, as in the view. */
const flatnessLimit = 12;

const colorOf = (text: string): Triple => parseColor(text) ?? [0.5, 0.5, 0.5];
const triple = ({ x, y, z }: Vector3): Triple => [x, y, z];

/** The scene of the lanes that share the first one's place in the view. */
export function stillOf(view: ViewState, size: StillSize): RenderScene {
  const { man, options, ground, colliders } = view;
  const lanes = options.overlay ? view.lanes : view.lanes.slice(0, 1);
  const framing: Framing = { center: triple(man.seen.getCenter(new Vector3())), scale: 1 / man.framed };
  const materials = materialsOf(view, lanes);
  const builder = createGeometry(materials.list, framing);
  const pixel = perPixelOf(view) * (view.height / size.height);
  lanes.forEach((lane, k) => {
    addRods(builder, lane, { thickness: view.thickness, pixel, materialOf: (rod) => materials.ofRod(k, rod) });
    addSolids(builder, lane.group, materials.ofSolid);
  });
  if (colliders) addSolids(builder, colliders.group, materials.ofSolid);
  const up = new Vector3().setFromMatrixColumn(ground.object.matrix, 2).normalize();
  const floor = new Vector3().setFromMatrixPosition(ground.object.matrix);
  const height = framing.scale * floor.sub(man.seen.getCenter(new Vector3())).dot(up);
  return {
    geometry: builder.finish(height),
    camera: cameraOf(view, framing),
    light: { name: 'studio', turn: 0, brightness: 1 },
    up: triple(up),
    background: colorOf(grounds[options.dark ? 'dark' : 'light']),
    ...size,
    bounces: 8,
  };
}

/** The camera of the view; nearer where something lies over the view, which a still has not. */
function cameraOf({ man, inset, height }: ViewState, { center, scale }: Framing): RenderScene['camera'] {
  const { camera, distance } = man;
  const towards = camera.getWorldDirection(new Vector3());
  const target = camera.position.clone().addScaledVector(towards, distance);
  const toPicture = (at: Vector3): Triple => triple(at.sub(new Vector3(...center)).multiplyScalar(scale));
  return {
    eye: toPicture(target.clone().addScaledVector(towards, -distance * (1 - inset / height))),
    target: toPicture(target),
    up: triple(camera.up),
    fov: (camera.fov * Math.PI) / 180,
  };
}

interface Materials {
  readonly list: readonly RenderMaterial[];
  ofRod(lane: number, rod: number): number;
  ofSolid(color: string): number;
}

/** Materials of rods as they are shown, and of solids by their colour; the list grows as they are asked for. */
function materialsOf(view: ViewState, lanes: readonly LaneView[]): Materials {
  const { finish, stripe, colorBy, hairColor } = view.options;
  const list: RenderMaterial[] = [];
  const known = new Map<string, number>();
  const indexOf = (material: RenderMaterial): number => {
    const key = JSON.stringify(material);
    const found = known.get(key) ?? list.push(material) - 1;
    known.set(key, found);
    return found;
  };
  const isHead = lanes[0]?.hair !== undefined;
  return {
    list,
    ofRod(k, rod) {
      const lane = lanes[k];
      const own = lane.info.rods[rod].color;
      if (lane.hair) return indexOf({ kind: 'hair', color: colorOf(hairColor) });
      const byModel = colorBy === 'plain' ? baseColor(view, k) : plainColors[finish];
      return indexOf({
        kind: kinds[finish],
        color: colorOf(own ?? byModel),
        ...(stripe && finish === 'rubber' && !own && { stripe: colorOf('#f6efe4') }),
      });
    },
    ofSolid: (color) => indexOf({ kind: isHead ? 'skin' : 'clay', color: colorOf(isHead ? skinColor : color) }),
  };
}

interface RodStyle {
  readonly thickness: number;
  /** Size of a pixel of the still [m]. */
  readonly pixel: number;
  materialOf(rod: number): number;
}

function addRods(builder: GeometryBuilder, { info, samples, hair }: LaneView, style: RodStyle): void {
  // rays miss what is much thinner than a pixel; many hairs cover each other
  const least = (0.6 * style.pixel) / Math.sqrt(Math.max(1, info.rods.length / 1500));
  info.rods.forEach((rod, r) => {
    const { nodePosition, edgeDirector } = samples[r];
    const atNodes = (edges: (edge: number) => number): Float64Array => meansAtNodes(rod, edges);
    const wide = (edge: number): number => Math.max(least, style.thickness * rod.edgeRadius[edge]);
    const director = new Float64Array(3 * rod.nodeCount);
    for (let c = 0; c < 3; c++)
      atNodes((edge) => edgeDirector[3 * edge + c]).forEach((value, i) => {
        director[3 * i + c] = value;
      });
    const isRound = hair !== undefined || (!rod.square && Math.abs(flatness(rod, 0) - 1) < 1e-3);
    // a rectangle of the same area
    const share = rod.square ? Math.sqrt(Math.PI) / 2 : 1;
    builder.addRod({
      closed: rod.closed,
      position: nodePosition,
      director,
      radius: atNodes(wide),
      material: style.materialOf(r),
      // along d1, and across it: their product is the square of the radius
      ...(!isRound && {
        section: {
          shape: rod.square ? 'rectangle' : 'ellipse',
          halfWidth: atNodes((edge) => share * wide(edge) * flatness(rod, edge)),
          halfHeight: atNodes((edge) => (share * wide(edge)) / flatness(rod, edge)),
        },
      }),
    });
  });
}

/** Half width along d1 over the radius of the circle of equal area, as both bending stiffnesses tell; within the limits of the view. */
function flatness({ halfEI1, halfEI2 }: RodInfo, edge: number): number {
  const ratio = Math.sqrt(halfEI2[2 * edge] / halfEI1[2 * edge]);
  return Math.sqrt(Math.min(flatnessLimit, Math.max(1 / flatnessLimit, ratio)));
}

/** The mean of the edges at each node. */
function meansAtNodes({ nodeCount, edgeCount, closed }: RodInfo, value: (edge: number) => number): Float64Array {
  return Float64Array.from({ length: nodeCount }, (_, i) => {
    const before = closed ? (i + edgeCount - 1) % edgeCount : Math.max(0, i - 1);
    const after = closed ? i : Math.min(edgeCount - 1, i);
    return 0.5 * (value(before) + value(after));
  });
}

/** A level plane is transparent in the view, and a table in a still. */
const isSolid = (mesh: Mesh, material: MeshStandardMaterial): boolean =>
  !material.transparent || mesh.geometry.type === 'CircleGeometry';

function addSolids(builder: GeometryBuilder, group: Object3D, materialOf: (color: string) => number): void {
  group.updateWorldMatrix(true, true);
  group.traverseVisible((object) => {
    if (!(object instanceof Mesh) || object.geometry instanceof InstancedBufferGeometry) return;
    const { material } = object;
    if (!(material instanceof MeshStandardMaterial) || !isSolid(object, material)) return;
    const geometry = (object.geometry.index ? object.geometry.toNonIndexed() : object.geometry.clone()).applyMatrix4(
      object.matrixWorld,
    );
    const { position, normal } = geometry.attributes;
    if (position && normal)
      builder.addTriangles(position.array, normal.array, materialOf(`#${material.color.getHexString()}`));
    geometry.dispose();
  });
}
