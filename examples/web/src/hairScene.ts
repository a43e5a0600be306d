/** Hair on a mesh: guides grown on the head, as rods whose pins turn with it. Page and worker build the same scene from the same file. */
import { createSurface, growHairstyle, type PinSpec, rodsOfHairstyle, type Scene, type Vec3 } from '@tendril-sim/core';
import { readMesh } from '@tendril-sim/io';

/** Angle of the head about the z axis [rad] at a time [s]. */
export const angleAt = (time: number): number => 0.7 * Math.sin(1.6 * time) ** 3;

export function makeHair(file: Uint8Array): Scene {
  // metres with z up: glTF says that y is up, and the reader turns it
  const surface = createSurface(readMesh(file, 'head.glb'));
  const { style } = growHairstyle(surface, {
    guides: { count: 140, spread: true, density: ({ normal }) => (normal[2] > 0.15 ? 1 : 0) },
    length: () => 0.14,
    hair: 'wavy',
    lean: [0, 0, -0.4],
  });
  const { rods, pins } = rodsOfHairstyle(style);
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods,
    pins: pins.map((pin, k) => turning(pin, style.guideRoots.position.subarray(3 * k, 3 * k + 3))),
    colliders: [{ id: 'head', type: 'sphere', radius: 0.095, friction: 0.3 }],
    contact: { between: 'none' },
    time: { duration: 12, step: 1 / 120 },
  };
}

/** The pin on a path that turns its root about the z axis. */
function turning(pin: PinSpec, [x, y]: Float64Array): PinSpec {
  const keys = Array.from({ length: 241 }, (_, k) => {
    const angle = angleAt(k / 20);
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const offset: Vec3 = [c * x - s * y - x, s * x + c * y - y, 0];
    const rotation: Vec3 = [0, 0, angle];
    return { time: k / 20, offset, rotation };
  });
  return { ...pin, path: { keys } };
}
