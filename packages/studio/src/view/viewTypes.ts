/** What the 3D view is given, and what it can be asked for. */
import type { RenderScene } from '@tendril-sim/bridge/render';
import type { RodFinish } from '@tendril-sim/bridge/three';
import type { Vector3 } from 'three';
import type { ColliderInfo, Frame, LaneInfo } from '../protocol.ts';
import type { Shape } from '../shapes.ts';
import type { ForceLegend } from './arrows.ts';
import type { ColorBy } from './colormaps.ts';
import type { Pick } from './pick.ts';

export interface ViewOptions {
  readonly colorBy: ColorBy;
  readonly stripe: boolean;
  readonly finish: RodFinish;
  readonly ghost: boolean;
  readonly frames: boolean;
  readonly forces: boolean;
  readonly dark: boolean;
  readonly grid: boolean;
  /** Lanes are drawn over each other, not side by side. */
  readonly overlay: boolean;
  /** Of hair, where it is the one thing that is shown. */
  readonly hairColor: string;
}

export interface ViewScene {
  readonly lanes: readonly LaneInfo[];
  readonly colliders: readonly ColliderInfo[];
  readonly gravity: readonly [number, number, number];
  /** Direction from which to look at it first. */
  readonly look?: readonly [number, number, number];
}

export interface Pull {
  readonly rod: number;
  readonly node: number;
  readonly target: Vector3;
}

export interface Legend {
  readonly by: ColorBy;
  readonly low: number;
  readonly high: number;
  /** Drawn thicker than they are, by this factor. */
  readonly thickness: number;
}

/** Where the camera stands and what it looks at [m], and the aspect of its picture, width over height. */
export interface CameraPose {
  readonly position: readonly [number, number, number];
  readonly target: readonly [number, number, number];
  readonly aspect: number;
}

/** What draws. */
export interface Drawer {
  /** In the words of the browser; empty where it keeps them to itself. */
  readonly name: string;
  /** A processor, in place of a graphics card. */
  readonly isSoftware: boolean;
}

export interface View {
  load(scene: ViewScene, { keepCamera }: { readonly keepCamera: boolean }): void;
  show(a: Frame, b: Frame, weight: number): void;
  setOptions(options: ViewOptions): void;
  setFailed(lane: number, rod: string | undefined): void;
  /** Of each lane and pin: whether it was let go. */
  setReleased(released: readonly (readonly boolean[])[]): void;
  /** Where a collider is drawn [m]. */
  colliderAt(collider: number): number[] | undefined;
  /** Draws if anything has changed; false where nothing had. */
  render(seconds: number): boolean;
  resize(): void;
  /** Keeps clear of what lies over the lower edge [pixels]. */
  setInset(pixels: number): void;
  focus(): void;
  /** Where someone has turned, shifted or zoomed the camera to; undefined where nobody has. */
  camera(): CameraPose | undefined;
  /** Looks from there, farther away if this picture is narrower than that of the pose. */
  setCamera(pose: CameraPose): void;
  /** The camera stays where it is, whatever the rods do. */
  holdCamera(): void;
  orbit(azimuth: number, polar: number): void;
  zoom(factor: number): void;
  pick(clientX: number, clientY: number): Pick | undefined;
  /** The place of hair, or of a thing in the way, that is in front under the cursor. */
  pickFront(clientX: number, clientY: number): Vector3 | undefined;
  /** Whether the cursor is on a thing in the way. */
  onCollider(clientX: number, clientY: number): Vector3 | undefined;
  /** The point under the cursor in the plane through `point` that faces the camera. */
  dragTarget(clientX: number, clientY: number, point: Vector3): Vector3 | undefined;
  /** A point as it is seen, in pixels of the page. */
  project(point: ArrayLike<number>, lane: number): { x: number; y: number };
  /** The rubber band from a node, of each lane its own, to where the hand is [m]. */
  setPull(pull: Pull | undefined): void;
  /** What a hand does once the camera is where it will be for the next picture; the camera follows only what it holds. */
  setHold(hold: (() => void) | undefined): void;
  /** A node as it was drawn last in the first lane, in pixels of the page. */
  drawnAt(rod: number, node: number): { x: number; y: number } | undefined;
  /** Both ends of the rubber band as they were drawn last [m]. */
  pulled(): { rod: number[]; hand: number[] } | undefined;
  setHover(at: ArrayLike<number> | undefined, radius?: number): void;
  legend(): Legend;
  forceLegend(): ForceLegend;
  scaleBar(): { pixels: number; label: string };
  picture(type: string): Promise<Blob | undefined>;
  /** As the scene of a path tracer. */
  still(size: { readonly width: number; readonly height: number }): Promise<RenderScene>;
  /** As vectors, for print. */
  shapes(): Promise<Shape[]>;
  /** Of the view [pixels]. */
  readonly size: { readonly width: number; readonly height: number };
  /** An opaque ground for films, during which the picture keeps its resolution; none: the page shows through. */
  setBackdrop(color: string | undefined): void;
  readonly laneRects: readonly { x: number; y: number; width: number; height: number }[];
  /** Size of the scene [m]. */
  readonly radius: number;
  /** Size of a pixel at the distance of what is looked at [m]. */
  readonly perPixel: number;
  /** Smoothed time from one drawn frame to the next [ms]. */
  readonly drawTime: number;
  /** Pictures in the mean that is shown; 0 while something moves. */
  readonly passes: number;
  readonly drawer: Drawer;
  dispose(): void;
}
