/**
 * Forces as arrows, over everything else. One length a newton for all lanes and kinds, so that arrows can be compared; the
 * largest takes a fifth of the picture however far the camera is, and the legend says what an arrow of a given length means.
 */
import {
  Color,
  ConeGeometry,
  CylinderGeometry,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  Vector3,
} from 'three';
import { type ForceKind, forceKinds, forceStride } from '../protocol.ts';
import { roundLength } from './frameCamera.ts';

/** Told apart from each other by colour-blind eyes, and from the colours of rods. */
export const forceColors: Readonly<Record<ForceKind, { readonly light: string; readonly dark: string }>> = {
  contact: { light: '#d3223c', dark: '#ff7a80' },
  pin: { light: '#1462c4', dark: '#7ab8ff' },
  link: { light: '#0c8276', dark: '#4fd6c2' },
  load: { light: '#8433c9', dark: '#cf9bff' },
};

/** Of an arrow [pixels]. */
const shaftRadius = 1.25;
const headRadius = 4.4;
const headLength = 12;
/** Shorter ones are not drawn. */
const least = 2;
/** Room that an arrow of full width wants for itself: the side of a square [pixels]. */
const room = 60;
/** Many arrows on little room are this part as wide, so that they do not hide what they push. */
const thinnest = 0.4;
/** Of a shaft [pixels]: a thinner one is a row of dots. */
const leastRadius = 0.6;
/** The longest arrow as a part of the picture's smaller side. */
const share = 0.2;

export interface Arrows {
  readonly group: Group;
  /** As a frame carries them; undefined: none are known. */
  forces: Float32Array | undefined;
  /** `scale` [m/N], `pixel` [m], `width`: part of the full width. */
  place(scale: number, pixel: number, width: number, dark: boolean): void;
  dispose(): void;
}

const up = new Vector3(0, 1, 0);
const tail = new Vector3();
const direction = new Vector3();
const size = new Vector3();
const turn = new Quaternion();
const matrix = new Matrix4();
const colors = forceKinds.map(() => new Color());

/** How arrows are drawn: `scale` [m/N], `pixel` [m], `part` of the full width. */
interface ArrowStyle {
  readonly scale: number;
  readonly pixel: number;
  readonly part: number;
  readonly dark: boolean;
}

/** Writes an arrow for every force that is long enough to be seen; returns their number. */
function writeArrows(
  { shafts, heads }: Record<'shafts' | 'heads', InstancedMesh>,
  list: Float32Array,
  { scale, pixel, part, dark }: ArrowStyle,
): number {
  forceKinds.forEach((kind, k) => {
    colors[k].set(forceColors[kind][dark ? 'dark' : 'light']);
  });
  let count = 0;
  for (let o = 0; o < list.length; o += forceStride) {
    direction.set(list[o + 4], list[o + 5], list[o + 6]);
    const length = scale * direction.length();
    if (!(length >= least * pixel)) continue;
    direction.normalize();
    turn.setFromUnitVectors(up, direction);
    tail.set(list[o + 1], list[o + 2], list[o + 3]);
    // a short arrow is all head
    const tip = Math.min(headLength * part * pixel, 0.7 * length);
    const width = tip / headLength;
    const shaft = Math.min(headRadius * width, Math.max(shaftRadius * width, leastRadius * pixel));
    shafts.setMatrixAt(count, matrix.compose(tail, turn, size.set(shaft, length - tip, shaft)));
    tail.addScaledVector(direction, length - tip);
    heads.setMatrixAt(count, matrix.compose(tail, turn, size.set(headRadius * width, tip, headRadius * width)));
    shafts.setColorAt(count, colors[list[o]]);
    heads.setColorAt(count, colors[list[o]]);
    count++;
  }
  return count;
}

/** Arrows of one lane. */
export function createArrows(): Arrows {
  const group = new Group();
  group.visible = false;
  const material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.92 });
  const shaftShape = new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0);
  const headShape = new ConeGeometry(1, 1, 14).translate(0, 0.5, 0);
  let capacity = 0;
  let shafts: InstancedMesh | undefined;
  let heads: InstancedMesh | undefined;
  const create = (shape: ConeGeometry | CylinderGeometry): InstancedMesh => {
    const mesh = new InstancedMesh(shape, material, capacity);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.renderOrder = 4;
    group.add(mesh);
    return mesh;
  };
  const remove = (): void => {
    shafts?.dispose();
    heads?.dispose();
    group.clear();
  };
  const reserve = (count: number): void => {
    if (count <= capacity) return;
    remove();
    capacity = Math.max(64, 2 * count);
    shafts = create(shaftShape);
    heads = create(headShape);
  };
  return {
    group,
    forces: undefined,
    place(scale, pixel, part, dark) {
      const list = this.forces ?? new Float32Array(0);
      reserve(list.length / forceStride);
      if (!shafts || !heads) return;
      const count = writeArrows({ shafts, heads }, list, { scale, pixel, part, dark });
      for (const mesh of [shafts, heads]) {
        mesh.count = count;
        mesh.instanceMatrix.needsUpdate = true;
        if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
      }
    },
    dispose() {
      remove();
      material.dispose();
      shaftShape.dispose();
      headShape.dispose();
    },
  };
}

export interface ForceLegend {
  /** Of an arrow, and the force that it stands for [N]. */
  readonly pixels: number;
  readonly force: number;
  /** Kinds that there are now. */
  readonly kinds: readonly ForceKind[];
}

export interface ForceScale {
  /** Once a shown frame, with the arrows of all lanes. */
  watch(lanes: readonly (Float32Array | undefined)[]): void;
  /** As time passes before the screen; true where the scale has changed. */
  settle(seconds: number): boolean;
  /** [pixels/N] */
  perNewton(smallerSide: number): number;
  /** Of arrows, as a part of the full width, where rods take about a square of this side [pixels]. */
  width(side: number): number;
  legend(smallerSide: number): ForceLegend;
  reset(): void;
}

/** Rises at once and falls over a moment, so that arrows do not flicker, and an impact does not hide what comes after it. */
export function createForceScale(): ForceScale {
  let largest = 0;
  let present = 0;
  let crowd = 0;
  let kinds: readonly ForceKind[] = [];
  const perNewton = (side: number): number => (largest > 0 ? (share * side) / largest : 0);
  return {
    watch(lanes) {
      let most = 0;
      let count = 0;
      const seen = new Set<number>();
      for (const list of lanes) {
        count = Math.max(count, (list?.length ?? 0) / forceStride);
        for (let o = 0; list && o < list.length; o += forceStride) {
          most = Math.max(most, Math.hypot(list[o + 4], list[o + 5], list[o + 6]));
          seen.add(list[o]);
        }
      }
      kinds = forceKinds.filter((_, k) => seen.has(k));
      // like the colours' range: contacts come and go
      crowd = Math.max(count, crowd + 0.02 * (count - crowd));
      present = most;
      largest = Math.max(most, largest);
    },
    settle(seconds) {
      if (!(largest > present)) return false;
      // the last of it at once: nothing is drawn for what is not seen
      const next = present + (largest - present) * Math.exp(-seconds / 0.3);
      largest = next > 1.01 * present && present > 0 ? next : present;
      return true;
    },
    perNewton,
    width: (side) => Math.min(1, Math.max(thinnest, side / (room * Math.sqrt(Math.max(1, crowd))))),
    legend(side) {
      // a round force whose arrow is about half as long as the longest
      const force = largest > 0 ? roundLength(0.6 * largest) : 0;
      return { pixels: force * perNewton(side), force, kinds };
    },
    reset() {
      largest = 0;
      present = 0;
      crowd = 0;
    },
  };
}
