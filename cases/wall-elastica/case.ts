import type { World } from '@tendril-sim/core';
import { sin, square } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { walkBranch } from '../src/branches.ts';
import { type Case, type CaseFigure, defineCase, worldOf } from '../src/case.ts';
import { massDamping } from '../src/controls.ts';
import { completeElliptic, findRoot } from '../src/elliptic.ts';

/** Distance of the strip from the floor; its length and its bending stiffness are 1. */
const HEIGHT = 0.05;
const RADIUS = 1e-3;

interface Contact {
  /** Force that pushes the ends together. */
  readonly load: number;
  /** Distance by which they have approached. */
  readonly shortening: number;
}

/** Where the middle of half a wave of the elastica reaches the floor: its amplitude is k/K. */
function touchdown(): Contact {
  const k = findRoot((x) => x / completeElliptic(x).K - HEIGHT, 1e-6, 0.5);
  const { K, E } = completeElliptic(k);
  return { load: 4 * K * K, shortening: 2 - (2 * E) / K };
}

/**
 * A part of length l from a hinge to where the strip begins to lie on the floor. Its moment vanishes at both ends, so it is half a wave of the elastica about
 * a line of thrust, which makes an angle α with the floor; the strip makes 2α with the floor at the hinge.
 */
function lifted(l: number): Contact {
  const chord = (alpha: number): number => {
    const { K, E } = completeElliptic(sin(alpha / 2));
    return l * ((2 * E) / K - 1);
  };
  const alpha = findRoot((x) => chord(x) * sin(x) - HEIGHT, 1e-6, 1);
  const { K } = completeElliptic(sin(alpha / 2));
  const cosine = Math.sqrt(1 - square(sin(alpha)));
  return { load: square((2 * K) / l) * cosine, shortening: 2 * (l - chord(alpha) * cosine) };
}

/** The part that lies flat buckles like a column between clamps. */
const flatAtBuckling = findRoot((l) => square((2 * Math.PI) / (1 - 2 * l)) - lifted(l).load, 0.2, 0.3);

const theory = { touch: touchdown(), line: lifted(0.5), secondary: lifted(flatAtBuckling) };

/** Share of its length by which the strip is longer than the distance of its ends at the start, when it sags by this much. */
const SAG = 1e-3;

/** A strip between two hinges above a floor, which approach each other by 1 m per second. */
function scene(edges: number, height = HEIGHT, radius = RADIUS): SceneInput {
  const points = Array.from({ length: edges + 1 }, (_, i): [number, number, number] => [
    i / edges,
    0,
    -SAG * sin((Math.PI * i) / edges),
  ]);
  const hinge = { hold: 'hinge', axis: [0, 1, 0] } as const;
  return {
    tendril: 1,
    title: 'A strip that is pushed together above a floor',
    rods: [
      {
        id: 'strip',
        shape: { type: 'points', points },
        natural: 'straight',
        inextensible: true,
        // wide, so that it stays in its plane
        frame: { d1: [0, 0, 1] },
        section: { type: 'stiffness', EI1: 1000, EI2: 1, GJ: 1000, mass: 1, radius, damping: { mass: 10 } },
      },
    ],
    pins: [
      { rod: 'strip', at: 'start', ...hinge },
      {
        rod: 'strip',
        at: 'end',
        ...hinge,
        path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, offset: [-1, 0, 0] }] },
      },
    ],
    colliders: [{ id: 'floor', type: 'plane', normal: [0, 0, 1], position: [0, 0, -height - radius], friction: 0 }],
    statics: { from: 0, to: 1.08 * theory.secondary.shortening, follow: 'branch' },
  };
}

/** What the strip is longer than the distance of its ends at the start. */
function slack(world: World): number {
  const { nodeArc, nodeCount } = world.rods[0];
  return nodeArc[nodeCount - 1] - 1;
}

interface Found extends Contact {
  readonly kind: string;
  readonly touching: number;
  readonly negativeModes: number;
}

function follow(edges: number): Found[] {
  const world = worldOf(scene(edges));
  const found: Found[] = [];
  walkBranch(world, {
    look({ kind, parameter, negativeModes }) {
      const load = Math.abs(world.reactions()[1].force[0]);
      const touching = world.contactForces().length;
      found.push({ kind, load, shortening: parameter + slack(world), touching, negativeModes });
      return undefined;
    },
  });
  return found;
}

/** Load over shortening once the strip lies on the floor along a line. */
const loadOnLine = (shortening: number): number =>
  lifted(findRoot((l) => shortening - lifted(l).shortening, 0.15, 0.5)).load;

function figure(): CaseFigure {
  const rest = Array.from({ length: 60 }, (_, k) => theory.line.shortening * (1 + (1.1 * k) / 59));
  const free = Array.from({ length: 20 }, (_, k) => ((k + 1) / 20) * theory.touch.shortening);
  const found = follow(80);
  return {
    title: 'A strip pushed together above a floor',
    subtitle: 'it bends freely, touches at a point, lies along a line, and buckles off the floor (circles: not stable)',
    x: [...free, ...rest],
    xLabel: 'shortening D/L',
    yLabel: 'load P L²/EI',
    lines: [
      {
        label: 'free elastica',
        x: free,
        y: free.map((D) => square(2 * completeElliptic(findRoot((k) => shorteningOf(k) - D, 0, 0.5)).K)),
      },
      { label: 'on the floor along a line', x: rest, y: rest.map(loadOnLine) },
    ],
    points: found.map(({ shortening, load, negativeModes }) => ({
      x: shortening,
      y: load,
      filled: negativeModes === 0,
    })),
  };
}

function shorteningOf(k: number): number {
  const { K, E } = completeElliptic(k);
  return 2 - (2 * E) / K;
}

export const wallElastica: Case = defineCase({
  id: 'wall-elastica',
  topics: ['contact', 'theory'],
  finish: 'steel',
  title: 'An elastica against a wall',
  claim:
    'A strip between two hinges that approach each other bends until its middle touches a wall, at P = π²EI/L² for small heights. It then flattens against the wall, lies along it from 4π²EI/L² on, and the part that lies flat buckles off the wall at 16π²EI/L². Loads and shortenings agree with the elastica.',
  group: 'contact',
  source: 'elliptic integrals of the inflectional elastica; Domokos, Holmes and Royce 1997',
  models: ['der'],
  quick: [20, 40],
  full: [20, 40, 80, 160],
  controls: [
    {
      path: ['colliders', 0, 'position', 2],
      label: 'Distance of the floor',
      symbol: 'h',
      unit: 'm',
      low: 0.02,
      high: 0.3,
      factor: -1,
    },
    { path: ['rods', 0, 'section', 'EI2'], label: 'Bending stiffness', symbol: 'EI', unit: 'N·m²', low: 0.2, high: 5 },
    massDamping({ high: 30 }),
  ],
  scene: () => {
    const { pins, ...rest } = scene(80, 0.12, 5e-3);
    const keys = [{ time: 0 }, { time: 4, offset: [-0.3, 0, 0] as [number, number, number] }];
    return {
      ...rest,
      pins: pins?.map((pin, k) => (k === 1 ? { ...pin, path: { interpolation: 'linear' as const, keys } } : pin)),
      statics: { from: 0, to: 4, follow: 'branch' },
      time: { duration: 4, step: 0.005 },
      output: { every: 0.05 },
    };
  },
  measure(n) {
    const found = follow(n);
    const [touch, line] = found.filter(({ kind }) => kind === 'contact');
    const secondary = found.find(({ kind }) => kind === 'bifurcation');
    const lying = found.filter(({ touching, negativeModes }) => touching > 1 && negativeModes === 0);
    return {
      'touches at a point: load': touch.load,
      'touches at a point: shortening': touch.shortening,
      'lies along a line: load': line.load,
      'lies along a line: shortening': line.shortening,
      'buckles off the wall: load': secondary?.load ?? Number.NaN,
      'buckles off the wall: shortening': secondary?.shortening ?? Number.NaN,
      'load over theory, along a line': lying.map(({ shortening, load }) => [
        shortening,
        load / loadOnLine(shortening),
      ]),
    };
  },
  figure,
  expect: {
    'touches at a point: load': { value: theory.touch.load, tolerance: (n) => 1.5 / (n * n), order: 1.8 },
    'touches at a point: shortening': { value: theory.touch.shortening, tolerance: (n) => 1.5 / (n * n), order: 1.8 },
    'lies along a line: load': { value: theory.line.load, tolerance: (n) => 5 / (n * n), order: 1.8 },
    'lies along a line: shortening': { value: theory.line.shortening, tolerance: (n) => 5 / (n * n), order: 1.8 },
    // the flat part begins at a node, so its length is known to half an edge: a load of 2/n
    'buckles off the wall: load': { value: theory.secondary.load, tolerance: (n) => 1.5 / n },
    'buckles off the wall: shortening': { value: theory.secondary.shortening, tolerance: (n) => 1.5 / n },
    'load over theory, along a line': { curve: () => 1, within: (n) => 40 / (n * n) },
  },
});
