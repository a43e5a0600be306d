import { describe, expect, it } from 'vitest';
import { rotate, type Vector } from '../../src/curve/vector.ts';
import { bindRoots, rideSkin, type SkinFrame, type SkinMesh } from '../../src/groom/skin.ts';

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
