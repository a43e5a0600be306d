/** Heads for pictures: colliders that touch nothing, so that a viewer sees what the rods belong to. */
import { cos, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';

type Collider = NonNullable<SceneInput['colliders']>[number];
type Vector = [number, number, number];

/** Where a drawn thing is, and how it moves. */
export interface Placing {
  /** Origin of its own axes, of which x points forwards [m]. */
  readonly at: Vector;
  /** Angle about z from the x axis of the scene to its own [rad]. */
  readonly facing?: number;
  /** Motion about `pivot`, as of a pin. */
  readonly path?: Collider['path'];
  readonly pivot?: Vector;
  /** Factor on all sizes. Default 1. */
  readonly size?: number;
}

/** Parts in their own axes. */
interface Part {
  readonly color: string;
  /** Semi-axes and place of an ellipsoid, or ends and radius of a capsule [m]. */
  readonly radii?: Vector;
  readonly from: Vector;
  readonly to?: Vector;
  readonly radius?: number;
  /** False: stays where it is. */
  readonly moves?: boolean;
}

function draw(name: string, parts: readonly Part[], { at, facing = 0, path, pivot, size = 1 }: Placing): Collider[] {
  const [c, s] = [cos(facing), sin(facing)];
  const place = ([x, y, z]: Vector): Vector => [
    at[0] + size * (c * x - s * y),
    at[1] + size * (s * x + c * y),
    at[2] + size * z,
  ];
  return parts.map(({ color, radii, from, to, radius, moves = true }, k) => ({
    id: `${name} ${k + 1}`,
    rods: [],
    color,
    ...(radii
      ? {
          type: 'ellipsoid' as const,
          radii: radii.map((x) => size * x) as Vector,
          position: place(from),
          rotation: [0, 0, facing] as Vector,
        }
      : { type: 'capsule' as const, from: place(from), to: place(to ?? from), radius: size * (radius ?? 0) }),
    ...(path && moves && { path, pivot: pivot ?? at }),
  }));
}

const both = (y: number, part: (y: number) => Part): Part[] => [part(y), part(-y)];

const skin = '#d9a982';
const dark = '#2b1d16';

/** A person's head, 16 cm from ear to ear, on neck and shoulders; the origin is in the middle of the skull. */
export function drawPerson(name: string, placing: Placing): Collider[] {
  return draw(
    name,
    [
      { color: skin, radii: [0.092, 0.076, 0.098], from: [0, 0, 0] },
      { color: skin, radii: [0.062, 0.056, 0.075], from: [0.032, 0, -0.062] },
      { color: skin, from: [0.088, 0, -0.012], to: [0.103, 0, -0.042], radius: 0.009 },
      { color: '#b0605a', radii: [0.008, 0.02, 0.006], from: [0.089, 0, -0.077] },
      ...both(0.031, (y) => ({ color: '#f4f0ea', radii: [0.01, 0.014, 0.009], from: [0.08, y, -0.014] })),
      ...both(0.031, (y) => ({ color: dark, radii: [0.006, 0.006, 0.007], from: [0.087, y, -0.014] })),
      ...both(0.076, (y) => ({ color: skin, radii: [0.017, 0.008, 0.028], from: [-0.004, y, -0.026] })),
      { color: skin, from: [-0.012, 0, -0.08], to: [-0.02, 0, -0.18], radius: 0.045 },
      { color: '#4a6a86', from: [-0.03, -0.13, -0.25], to: [-0.03, 0.13, -0.25], radius: 0.062 },
    ],
    placing,
  );
}

/** A donkey's head that looks forwards and down, on its neck; the origin is the root of an ear. */
export function drawDonkey(name: string, placing: Placing): Collider[] {
  const coat = '#8f8378';
  const pale = '#e0d8cc';
  return draw(
    name,
    [
      { color: coat, radii: [0.13, 0.085, 0.11], from: [0.06, -0.04, -0.1] },
      { color: coat, from: [0.14, -0.04, -0.12], to: [0.3, -0.04, -0.25], radius: 0.066 },
      { color: pale, radii: [0.075, 0.068, 0.07], from: [0.33, -0.04, -0.28] },
      ...[0.04, -0.12].map((y) => ({
        color: pale,
        radii: [0.036, 0.02, 0.034] as Vector,
        from: [0.13, y, -0.07] as Vector,
      })),
      ...[0.05, -0.13].map((y) => ({
        color: dark,
        radii: [0.02, 0.017, 0.02] as Vector,
        from: [0.138, y, -0.07] as Vector,
      })),
      ...[-0.005, -0.075].map((y) => ({
        color: dark,
        radii: [0.012, 0.009, 0.013] as Vector,
        from: [0.393, y, -0.262] as Vector,
      })),
      { color: coat, from: [0.02, -0.04, -0.14], to: [-0.2, -0.04, -0.5], radius: 0.085, moves: false },
      // the mane
      { color: dark, from: [-0.03, -0.04, -0.02], to: [-0.26, -0.04, -0.42], radius: 0.02, moves: false },
    ],
    placing,
  );
}
