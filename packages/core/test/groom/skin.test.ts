import { describe, expect, it } from 'vitest';
import { rotate, type Vector } from '../../src/curve/vector.ts';
import { createHairs, writeHairs } from '../../src/groom/hairs.ts';
import type { Roots } from '../../src/groom/roots.ts';
import { bindRoots, poseRoots, rideSkin, type SkinFrame, type SkinMesh } from '../../src/groom/skin.ts';

/** Two triangles of a square in the plane z = 0, and a needle without area beside them. */
const skin: SkinMesh = {
  position: Float64Array.from([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 5, 5, 0]),
  triangle: [0, 1, 2, 0, 2, 3, 4, 4, 4],
};

function moved(time: number, move: (x: Vector) => Vector): SkinFrame {
  const { position: p } = skin;
  return {
    time,
    position: Float64Array.from([0, 1, 2, 3, 4].flatMap((k) => move([p[3 * k], p[3 * k + 1], p[3 * k + 2]]))),
  };
}

describe('roots on a skin', () => {
  it('bind to the nearest point of a triangle that has an area', () => {
    const bound = bindRoots(skin, [
      [0.75, 0.25, 0],
      [0.25, 0.75, 0.1],
      [5, 5, 0],
    ]);
    expect([...bound.triangle]).toEqual([0, 1, 0]);
    expect(bound.distance[0]).toBe(0);
    expect(bound.distance[1]).toBeCloseTo(0.1, 12);
    // the corner (1, 1), not the needle
    expect(bound.distance[2]).toBeCloseTo(4 * Math.SQRT2, 12);
    expect(bound.weight[0]).toBeCloseTo(0.5, 12);
    expect(bound.weight[1]).toBeCloseTo(0.25, 12);
  });

  it('move and turn with a rigid skin, and keep count of its turns', () => {
    const axis: Vector = [0.6, 0, 0.8];
    const at: Vector = [0.75, 0.25, 0];
    const angles = Array.from({ length: 41 }, (_, k) => 0.35 * k);
    const frames = angles.map((angle, k) =>
      moved(0.1 * k, (x) => {
        const [a, b, c] = rotate(x, [angle * axis[0], angle * axis[1], angle * axis[2]]);
        return [a + angle, b, c];
      }),
    );
    const [path] = rideSkin(bindRoots(skin, [at]), frames);
    path.keys.forEach(({ time, offset = [], rotation = [] }, k) => {
      expect(time).toBe(0.1 * k);
      const turned = rotate(at, [angles[k] * axis[0], angles[k] * axis[1], angles[k] * axis[2]]);
      const expected = [turned[0] + angles[k] - at[0], turned[1] - at[1], turned[2] - at[2]];
      for (let c = 0; c < 3; c++) {
        expect(offset[c]).toBeCloseTo(expected[c], 12);
        expect(rotation[c]).toBeCloseTo(angles[k] * axis[c], 9);
      }
    });
    // 14 rad: more than two turns
    expect(path.keys[40].rotation?.[2]).toBeCloseTo(0.8 * 14, 9);
  });

  it('of hairs between guides stay on a skin that stretches and turns, and take the shapes of the guides along', () => {
    const rootsAt = (...places: readonly Vector[]): Roots => ({
      count: places.length,
      position: Float64Array.from(places.flat()),
      normal: Float64Array.from(places.flatMap(() => [0, 0, 1])),
      side: Float64Array.from(places.flatMap(() => [1, 0, 0])),
      color: new Float64Array(3 * places.length),
    });
    const [guides, hairs]: Vector[][] = [
      [
        [0.2, 0.1, 0],
        [0.9, 0.1, 0],
        [0.2, 0.9, 0],
      ],
      [
        [0.5, 0.2, 0],
        [0.3, 0.6, 0],
      ],
    ];
    // x is stretched by 1.5, more towards y = 1, and then all is turned by 90° about x: normals are −y
    const { position } = moved(0, ([x, y, z]) => [x * (1.5 + y), -z, y]);
    const onSkin = poseRoots(bindRoots(skin, guides), position);
    const made = createHairs(rootsAt(...guides), rootsAt(...hairs));
    const points = [0, 1, 2].flatMap((g) =>
      [0, 0.1].flatMap((s) => [...[0, 1, 2]].map((k) => onSkin.position[3 * g + k] - (k === 1 ? s : 0))),
    );
    const out = new Float64Array(12);
    const hairRoots = poseRoots(bindRoots(skin, hairs), position);
    writeHairs(out, made, { nodes: 2, position: points, turn: onSkin.turn, hairRoots }, 2);
    hairs.forEach((_, h) => {
      for (let k = 0; k < 3; k++) {
        expect(out[6 * h + k]).toBeCloseTo(hairRoots.position[3 * h + k], 12);
        expect(out[6 * h + 3 + k] - out[6 * h + k]).toBeCloseTo(k === 1 ? -0.1 : 0, 6);
      }
    });
    // on the first triangle, barycentric: (0.5, 0.2) goes to x = 0.5·1.5 + 0.2·1
    expect(hairRoots.position[0]).toBeCloseTo(0.5 * 1.5 + 0.2 * 1, 12);
    expect(hairRoots.position[2]).toBeCloseTo(0.2, 12);
  });

  it('turn by the rotation of a deformation, not by its stretch', () => {
    // rotation by 0.3 rad about z after a stretch that is symmetric: of all edges, none keeps its direction
    const [c, s] = [Math.cos(0.3), Math.sin(0.3)];
    const frame = moved(0, ([x, y, z]) => {
      const [u, v] = [1.5 * x + 0.4 * y, 0.4 * x + 0.8 * y];
      return [c * u - s * v, s * u + c * v, z];
    });
    for (const at of [
      [0.75, 0.25, 0],
      [0.25, 0.75, 0],
    ] as const) {
      const [path] = rideSkin(bindRoots(skin, [at]), [frame]);
      expect(path.keys[0].rotation?.[0]).toBeCloseTo(0, 12);
      expect(path.keys[0].rotation?.[2]).toBeCloseTo(0.3, 12);
    }
    const [still] = rideSkin(bindRoots(skin, [[0.75, 0.25, 0]]), [frame], false);
    expect(still.keys[0].rotation).toBeUndefined();
  });

  it('keep their last rotation while the triangle is collapsed, and follow it again after', () => {
    const turn = (angle: number, size: number) => (x: Vector) => rotate([size * x[0], size * x[1], 0], [0, 0, angle]);
    const frames = [moved(0, turn(0.2, 1)), moved(1, turn(0.3, 0)), moved(2, turn(0.5, 1))];
    const [path] = rideSkin(bindRoots(skin, [[0.75, 0.25, 0]]), frames);
    const angles = path.keys.map(({ rotation = [] }) => rotation[2]);
    [0.2, 0.2, 0.5].forEach((angle, i) => {
      expect(angles[i]).toBeCloseTo(angle, 12);
    });
  });

  it('refuse a skin with another number of vertices', () => {
    const wrong = { time: 0.5, position: new Float64Array(3) };
    expect(() => rideSkin(bindRoots(skin, [[0, 0, 0]]), [wrong])).toThrow('1 vertices at 0.5 s');
  });
});
