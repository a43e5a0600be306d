/** Scenes that rows are measured with. */
import { findCase } from '@tendril-sim/cases';
import type { DerOptions, ModelId, RodSpec, Scene } from '@tendril-sim/core';
import { sceneFromObject } from '@tendril-sim/io';

/** The peers' cantilever: 1 m, radius 5 mm, 1000 kg/m³, 10 MPa, released straight. */
export function cantilevers(count: number, edges: number, integrator: DerOptions['integrator'], step: number): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: Array.from({ length: count }, (_, k) => ({
      id: `rod${k}`,
      shape: { type: 'straight' as const, from: [0, 0.1 * k, 0] as const, to: [1, 0.1 * k, 0] as const },
      edges,
      section: { type: 'circle' as const, radius: 0.005 },
      material: { E: 1e7, nu: 0.5, density: 1000 },
    })),
    pins: Array.from({ length: count }, (_, k) => ({ rod: `rod${k}`, at: 'start' as const })),
    time: { duration: 10, step },
    solver: { der: { integrator } },
  };
}

/** The tree of the case, with what the explicit schemes have no use for left out: stiffness damping. */
export function tree(): Scene {
  const subject = findCase('tree-in-wind');
  if (!subject) throw new Error('there is no case tree-in-wind');
  const scene = sceneFromObject(subject.scene(), 'tree-in-wind');
  return {
    ...scene,
    materials: { wood: { E: 3e9, nu: 0.3, density: 600, damping: { mass: 0.3 } } },
    rods: scene.rods.map((rod) => ({ ...rod, material: 'wood' })),
    time: { duration: 1, step: 2e-6 },
    solver: { der: { integrator: 'shake' } },
  };
}

/** Curly hairs that are let go, all in different directions. */
export function hairs(count: number, edges: number, step: number): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: Array.from({ length: count }, (_, k) => ({
      id: `hair${k}`,
      model: 'helix' as const,
      hair: 'curly' as const,
      shape: {
        type: 'straight' as const,
        from: [0, 0, 0] as const,
        to: [0.15 * Math.cos(k), 0.15 * Math.sin(k), 0.05] as const,
      },
      edges,
    })),
    pins: Array.from({ length: count }, (_, k) => ({ rod: `hair${k}`, at: 'start' as const })),
    time: { duration: 1, step },
  };
}

/** All rods on one model. */
export function on(model: ModelId, scene: Scene): Scene {
  return { ...scene, rods: scene.rods.map((rod) => ({ ...rod, model })) };
}

/** The scene of a case. */
export function sceneOf(id: string): Scene {
  const found = findCase(id);
  if (!found) throw new Error(`no case ${id}`);
  return sceneFromObject(found.scene(), id);
}

/** Hair of those that lie on a head. */
export const hairOnHead: RodSpec['section'] = {
  type: 'stiffness',
  EI1: 2e-8,
  GJ: 2e-8,
  EA: 10,
  mass: 1e-4,
  inertia: 1e-12,
  radius: 3e-4,
  damping: { mass: 1.5 },
};

/** Hairs of 20 cm that stand on a ball and fall on it, with friction; or fall past where it would be. */
export function onHead(count: number, { ball }: { readonly ball: boolean }): Scene {
  const at = (k: number, length: number): [number, number, number] => {
    const z = 0.95 - (0.75 * (k + 0.5)) / count;
    const r = Math.sqrt(1 - z * z);
    return [length * r * Math.cos(2.399963 * k), length * r * Math.sin(2.399963 * k), length * z];
  };
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: Array.from({ length: count }, (_, k) => ({
      id: `hair${k}`,
      shape: { type: 'straight' as const, from: at(k, 0.0905), to: at(k, 0.2905) },
      edges: 31,
      section: hairOnHead,
    })),
    pins: Array.from({ length: count }, (_, k) => ({ rod: `hair${k}`, at: 'start' as const })),
    ...(ball && { colliders: [{ type: 'sphere' as const, radius: 0.09, friction: 0.3 }] }),
    time: { duration: 2, step: 1 / 240 },
    solver: { der: { integrator: 'implicit-euler', tolerance: 1e-6 } },
  };
}

/** A spring of 60 edges that lies on its coils, on a floor: every edge touches two others or the floor. */
export function coil(model: ModelId): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'coil',
        model,
        shape: { type: 'helix', radius: 0.02, pitch: 0.0021, turns: 5, center: [0, 0, 0.0011] },
        edges: 60,
        natural: 'initial',
        section: { type: 'circle', radius: 0.001 },
        material: { E: 2e6, nu: 0.4, density: 1200, damping: { mass: 5 } },
      },
    ],
    colliders: [{ type: 'plane', friction: 0.3 }],
    contact: { friction: 0.3 },
    time: { duration: 1, step: 2e-3 },
  };
}

/** The paper's hairs, let go in different directions, swinging freely. */
export function fiberHairs(count: number): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: Array.from({ length: count }, (_, k) => ({
      id: `hair${k}`,
      model: 'fiber' as const,
      shape: {
        type: 'straight' as const,
        from: [0, 0, 0] as const,
        to: [0.25 * Math.cos(k), 0.25 * Math.sin(k), 0] as const,
      },
      edges: 31,
      section: { type: 'stiffness' as const, EA: 10.122, EI1: 2.2775e-9, GJ: 1.3614e-9, mass: 3.13e-6 },
    })),
    pins: Array.from({ length: count }, (_, k) => ({ rod: `hair${k}`, at: 'start' as const })),
    time: { duration: 1, step: 5e-3 },
  };
}

/** Straight hairs of 31 edges that swing, with the accuracy that a film asks for. */
export function strands(count: number, step: number): Scene {
  const scene = hairs(count, 31, step);
  return {
    ...on('der', scene),
    rods: scene.rods.map((rod) => ({ ...rod, model: 'der' as const, hair: 'straight' as const })),
    solver: { der: { integrator: 'implicit-euler', tolerance: 1e-3 } },
  };
}

/** Straight hairs that hang and lie on a floor: every other one is let go. */
export function onFloor(count: number): Scene {
  const scene = strands(count, 1 / 240);
  return {
    ...scene,
    rods: scene.rods.map((rod, k) => ({
      ...rod,
      shape: {
        type: 'straight',
        from: [0.005 * k, 0, 0.002 + 0.01 * (k % 2)],
        to: [0.005 * k, 0.16, 0.002 + 0.01 * (k % 2)],
      },
    })),
    pins: (scene.pins ?? []).filter((_, k) => k % 2 === 1),
    colliders: [{ type: 'plane', position: [0, 0, 0], normal: [0, 0, 1], friction: 0.3 }],
  };
}

/** The scene for the SIMD backend: rods that keep their length, twist without inertia. */
export function bySimd(scene: Scene, changes: DerOptions = {}): Scene {
  return {
    ...scene,
    rods: scene.rods.map((rod) => ({ ...rod, inextensible: true })),
    solver: { ...scene.solver, der: { ...scene.solver?.der, backend: 'simd', twist: 'quasistatic', ...changes } },
  };
}
