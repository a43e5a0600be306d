/** Files of hair as other programs write them: shaders, infinities and asset paths beside the curves, and widths in another unit. */
import { exportUsda, type Footage, readCurves } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
import { encodeHair } from '../../packages/io/src/import/hair.ts';

const usda = (points: string): Uint8Array =>
  new TextEncoder().encode(`#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Material "skin"
{
    token outputs:surface.connect = </skin/shader.outputs:surface>
    color3f inputs:tint.connect = [</a.outputs:b>, </c.outputs:d>] (
        doc = "x"
    )
    asset inputs:file = @@@textures/odd@name.<UDIM>.png@@@
    asset inputs:other = @./maps/[0]/hair (1).png@
}
def Camera "camera"
{
    float2 clippingRange = (0.1, inf)
    float[] unused = [nan, -inf, 1]
}
def BasisCurves "hair"
{
    uniform token type = "linear"
    int[] curveVertexCounts = [3]
    point3f[] points = [${points}]
    float[] widths = [0.002, 0.001, 0.0005]
}
`);

describe('a USDA layer', () => {
  it('is read beside shaders, assets and values that are not finite', () => {
    const { counts, radius, warnings } = readCurves(usda('(0, 0, 0), (0, 0, 0.1), (0, 0, 0.2)'), 'a.usda');
    expect([[...counts], [...(radius ?? [])], warnings]).toEqual([[3], [0.001, 0.0005, 0.00025], []]);
  });

  it('is refused where a curve itself is not finite', () => {
    expect(() => readCurves(usda('(0, 0, 0), (0, 0, inf), (0, 0, 1)'), 'a.usda')).toThrow(/"hair": point 1 is/);
  });
});

describe('a file of hair', () => {
  it('warns of hair as thick as an arm, with the likely unit', () => {
    const position = Float64Array.from([0, 0, 0, 0, 0, -150, 0, 0, -260]);
    const bytes = encodeHair({ position, counts: Uint32Array.of(3), radius: new Float64Array(3).fill(0.04) });
    expect(readCurves(bytes, 'long.hair').warnings).toEqual([
      'the curves are 8 cm thick and 260 m long; with unit 1 mm they would be 0.08 mm thick and 26 cm long',
    ]);
    expect(readCurves(bytes, 'long.hair', { unit: 1e-3 }).warnings).toEqual([]);
  });
});

describe('a tapered rod in USD', () => {
  it('has the widths of its section at both ends', () => {
    const edges = 5;
    // a cone from radius 5 mm to a point, as edges see it
    const edgeRadius = Array.from({ length: edges }, (_, j) => 5e-3 * (1 - (j + 0.5) / edges));
    const rod = {
      id: 'cone',
      model: 'der',
      closed: false,
      nodeCount: 6,
      edgeCount: 5,
      edgeLengthRest: new Array(5).fill(0.1),
      edgeRadius,
    };
    const frame = {
      time: 0,
      energies: { kinetic: 0, bending: 0, twisting: 0, stretching: 0, potential: 0, total: 0 },
      rods: [
        {
          nodePosition: Float64Array.from({ length: 18 }, (_, k) => (k % 3 === 0 ? k / 30 : 0)),
          edgeDirector: Float64Array.from({ length: 15 }, (_, k) => (k % 3 === 2 ? 1 : 0)),
        },
      ],
    };
    const footage = {
      header: { version: '0', scene: { tendril: 1, rods: [] }, rods: [rod] },
      frameCount: 1,
      frame: () => frame,
    };
    const text = [...exportUsda(footage as Footage)].join('');
    expect(/float\[\] widths = \[([^\]]*)\]/.exec(text)?.[1].split(',').map(Number)).toEqual([
      0.01, 0.008, 0.006, 0.004, 0.002, 0,
    ]);
  });
});
