/** The data of a picture: plain objects and typed arrays, so that threads can receive a scene as a message. */

/** Linear RGB, 0…1, or a position or direction. */
export type Triple = readonly [number, number, number];

/** How a surface reflects light. */
export type MaterialKind = 'rubber' | 'steel' | 'rope' | 'yarn' | 'plant' | 'hair' | 'clay' | 'skin';

/** All kinds of materials of rods, in the order in which they are listed to users. */
export const rodMaterials: readonly MaterialKind[] = ['rubber', 'steel', 'rope', 'yarn', 'plant', 'hair'];

/** A surface. */
export interface RenderMaterial {
  /** What the surface looks as if made of. */
  readonly kind: MaterialKind;
  /** Linear RGB, 0…1. */
  readonly color: Triple;
  /** Colour of a stripe along d1, linear RGB; none if it is missing. */
  readonly stripe?: Triple;
}

/** Surfaces of a picture, in units of the picture: centred, about 1 in size. */
export interface RenderGeometry {
  /** Round cones: x, y, z and radius at both ends, 8 per cone. */
  readonly cone: Float32Array;
  /** Tangent, d1 and arc length over radius at both ends of a cone, 14 per cone. */
  readonly coneFrame: Float32Array;
  /** Index of the material of each cone. */
  readonly coneMaterial: Uint16Array;
  /** Corners, 9 per triangle. */
  readonly triangle: Float32Array;
  /** Normals at the corners, 9 per triangle. */
  readonly triangleNormal: Float32Array;
  /** Index of the material of each triangle. */
  readonly triangleMaterial: Uint16Array;
  /** Materials, to which the indices refer. */
  readonly materials: readonly RenderMaterial[];
  /** Height of the floor along the up direction; none if it is missing. */
  readonly floor?: number;
}

/** A pinhole camera; lengths are in units of the picture. */
export interface RenderCamera {
  /** Position of the camera. */
  readonly eye: Triple;
  /** Point in the middle of the picture. */
  readonly target: Triple;
  /** Direction that is up in the picture. */
  readonly up: Triple;
  /** Full vertical angle of view [rad]. */
  readonly fov: number;
}

/** Arrangements of lights. */
export type LightName = 'studio' | 'sun' | 'overcast' | 'rim';

/** All arrangements of lights. */
export const lightNames: readonly LightName[] = ['studio', 'sun', 'overcast', 'rim'];

/** The light of a picture. */
export interface RenderLight {
  /** Which set of lights. */
  readonly name: LightName;
  /** Turn of the lights about the up direction [rad]. At 0 the key light is over the left shoulder of the viewer. */
  readonly turn: number;
  /** Factor on all light. */
  readonly brightness: number;
}

/** Everything that a picture shows. */
export interface RenderScene {
  /** Surfaces. */
  readonly geometry: RenderGeometry;
  /** Camera. */
  readonly camera: RenderCamera;
  /** Light. */
  readonly light: RenderLight;
  /** Direction against gravity, a unit vector. */
  readonly up: Triple;
  /** Colour behind everything, and of the floor where nothing shades it, linear RGB. */
  readonly background: Triple;
  /** Pixels. */
  readonly width: number;
  /** Height of the picture [pixels]. */
  readonly height: number;
  /** Most surfaces that a light path touches. */
  readonly bounces: number;
}

/** Rows of a picture: sums over samples, before tone mapping. */
export interface RenderRows {
  /** Linear RGB and the sum of squares of luminance, 4 per pixel. */
  readonly color: Float32Array;
  /** Albedo, normal and depth of what the camera sees, 7 per pixel. */
  readonly guide: Float32Array;
}
