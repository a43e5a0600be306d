import { describe, expect, it } from 'vitest';
import { transport3 } from '../../src/math/vec3.ts';
import { writeCenterlineForce } from '../../src/models/der/centerlineForce.ts';
import { addElasticGradient } from '../../src/models/der/energy.ts';
import { initializeExplicit } from '../../src/models/der/explicit.ts';
import { createExplicitWork } from '../../src/models/der/explicitWork.ts';
import { measureEdges } from '../../src/models/der/kinematics.ts';
import { layBishopFrames, measureBinormals, solveQuasistaticFrame } from '../../src/models/der/quasistatic.ts';
import type { DerRod } from '../../src/models/der/rod.ts';
import { createSnapshot, returnToSnapshot } from '../../src/models/der/snapshot.ts';
import { createWorkspace } from '../../src/models/der/stage.ts';
import type { Rod } from '../../src/scene/compiled.ts';
import { heldFramePin, makeDerRod, randomRod } from './rods.ts';

/** The paper's rods are inextensible: rest lengths are the present ones. */
function inextensible(rod: Rod): Rod {
  const edgeLengthRest = rod.edgeLengthRest.map((_, j) => {
    const next = (j + 1) % rod.nodeCount;
    return Math.hypot(...[0, 1, 2].map((k) => rod.nodePosition[3 * next + k] - rod.nodePosition[3 * j + k]));
  });
  return { ...rod, inextensible: true, edgeLengthRest };
}

function straightIsotropic(rod: Rod): Rod {
  return { ...rod, halfEI2: rod.halfEI1, halfStrainRest: rod.halfStrainRest.map(() => 0) };
}

const forms = [
  { name: 'general, free ends', pins: [], closed: false, special: false },
  { name: 'general, one end held', pins: [heldFramePin(0)], closed: false, special: false },
  { name: 'general, both ends held', pins: [heldFramePin(0), heldFramePin(7)], closed: false, special: false },
  { name: 'general, closed', pins: [], closed: true, special: false },
  {
    name: 'straight and isotropic, both ends held',
    pins: [heldFramePin(0), heldFramePin(7)],
    closed: false,
    special: true,
  },
  { name: 'straight and isotropic, far end held', pins: [heldFramePin(7)], closed: false, special: true },
  { name: 'straight and isotropic, closed', pins: [], closed: true, special: true },
];

describe.each(forms)('quasistatic frame, $name', ({ pins, closed, special }) => {
  const base = inextensible(randomRod(closed ? 5 : 3, 7, closed));
  const rod = special ? straightIsotropic(base) : base;
  const create = () => {
    const der = makeDerRod(rod, { strain: 'bergou2008', twist: 'quasistatic' }, { pins, sources: [] });
    const work = createExplicitWork(der);
    expect(initializeExplicit(der, work, 0)).toBe('');
    return { der, work };
  };

  /** Energy with the frame in equilibrium, at a displaced centreline. */
  const energyAt = (der: DerRod, work: ReturnType<typeof createExplicitWork>, d: number, h: number): number => {
    const common = createWorkspace(der);
    const snapshot = createSnapshot(der);
    der.q[d] += h;
    measureEdges(der, der.q, work.previousTangent);
    transport3(der.edgeReference, 0, der.edgeReference, 0, work.previousTangent, 0, der.edgeTangent, 0);
    layBishopFrames(der);
    measureBinormals(der, work.kb);
    expect(solveQuasistaticFrame(der, work)).toBe(true);
    const energy = { bending: 0, twisting: 0 };
    addElasticGradient(undefined, der, undefined, energy);
    returnToSnapshot(der, snapshot, common, 0);
    return energy.bending + energy.twisting;
  };

  it('minimises the energy: no torque is left on any free angle', () => {
    const { der } = create();
    const gradient = new Float64Array(der.size);
    addElasticGradient(gradient, der, undefined, undefined);
    let force = 0;
    for (let d = 0; d < der.size; d++) if ((d & 3) !== 3) force = Math.max(force, Math.abs(gradient[d]));
    expect(force).toBeGreaterThan(0.1);
    for (let j = 0; j < der.edgeCount; j++) expect(Math.abs(gradient[4 * j + 3])).toBeLessThan(1e-9);
  });

  it("gives the paper's force, which is minus the gradient with frames solved anew", () => {
    const { der, work } = create();
    const force = new Float64Array(3 * der.nodeCount);
    measureBinormals(der, work.kb);
    writeCenterlineForce(force, der, work);
    const scale = Math.max(...force.map(Math.abs));
    expect(scale).toBeGreaterThan(0.1);
    // directions that keep edge lengths: the paper's gradients are those of inextensible edges, so compare what is
    // across the edges: project the difference onto no edge, i.e. fit it by tensions
    const difference = new Float64Array(3 * der.nodeCount);
    for (let i = 0; i < der.nodeCount; i++) {
      for (let k = 0; k < 3; k++) {
        const h = 1e-3;
        const e = (m: number) => energyAt(der, work, 4 * i + k, m * h);
        const gradient = (45 * (e(1) - e(-1)) - 9 * (e(2) - e(-2)) + (e(3) - e(-3))) / (60 * h);
        difference[3 * i + k] = force[3 * i + k] + gradient;
      }
    }
    const residual = removeTensions(difference, der);
    expect(Math.max(...residual.map(Math.abs)) / scale).toBeLessThan(1e-7);
  });
});

/** Least-squares removal of edge tensions from nodal forces: what is left acts across the edges. */
function removeTensions(force: Float64Array, der: DerRod): Float64Array {
  const n = der.edgeCount;
  const columns = Array.from({ length: n }, (_, j) => {
    const column = new Float64Array(force.length);
    const next = (j + 1) % der.nodeCount;
    for (let k = 0; k < 3; k++) {
      column[3 * j + k] = der.edgeTangent[3 * j + k];
      column[3 * next + k] = -der.edgeTangent[3 * j + k];
    }
    return column;
  });
  const left = force.slice();
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, k) => sum + x * b[k], 0);
  // Gram–Schmidt
  const basis: Float64Array[] = [];
  for (const column of columns) {
    const v = column.slice();
    for (let pass = 0; pass < 2; pass++) {
      for (const b of basis) {
        const overlap = dot(v, b);
        for (let k = 0; k < v.length; k++) v[k] -= overlap * b[k];
      }
    }
    const size = Math.sqrt(dot(v, v));
    basis.push(v.map((x) => x / size));
  }
  for (const b of basis) {
    const overlap = dot(left, b);
    for (let k = 0; k < left.length; k++) left[k] -= overlap * b[k];
  }
  return left;
}
