/** A hairstyle as a runnable scene: its guides, the head as an obstacle, and a motion of the head. As YAML text. */
import type { Hairstyle, PathSpec } from '@tendril-sim/core';

/** Options for converting a hairstyle to a scene. */
export interface HairSceneOptions {
  /** Title of the scene. */
  readonly title: string;
  /** File name of the hairstyle in the scene. */
  readonly hairFile: string;
  /** File name of the head's mesh: an OBJ, a glTF or the hairstyle itself. Default: no head. */
  readonly headFile?: string;
  /** True if it is a solid, holes closed; false: a surface that collides on both sides. Default true. */
  readonly solid?: boolean;
  /** Placement of that mesh. */
  readonly unit?: number;
  /** The mesh's axis that points up. */
  readonly up?: 'y' | 'z';
  /** Motion of the head; it needs no mesh. Default: none. */
  readonly motion?: PathSpec;
  /** The animation of the head's mesh, and when it starts [s]: the guides ride on the skin. Default: none. */
  readonly animation?: { readonly name: string; readonly start: number };
  /** Model of the guides. Default: `der`. */
  readonly model?: string;
  /** What computes guides of `der`: the command line has SIMD kernels for rigid heads with an inside. Default: `standard`. */
  readonly backend?: 'standard' | 'simd';
  /** Edges per guide. Default: enough for a smooth curve. */
  readonly edges?: number;
  /** Only every nth guide. */
  readonly every?: number;
  /** Maximum number of guides. */
  readonly count?: number;
  /** [s] */
  readonly duration: number;
  /** [s]. */
  readonly step: number;
  /** Time between recorded frames [s]. */
  readonly output: number;
}

/** Motions of a head by name: rotation vectors [rad] over time [s]. Rotation about z shakes the head, about x it nods. */
export const headMotions: Readonly<Record<'shake' | 'nod' | 'turn', PathSpec>> = {
  shake: turns([0, 0, 0, 0], [0.35, 0, 0, 0.6], [0.75, 0, 0, -0.65], [1.15, 0, 0, 0.6], [1.5, 0, 0, 0], [3, 0, 0, 0]),
  nod: turns([0, 0, 0, 0], [0.4, 0.45, 0, 0], [0.9, -0.25, 0, 0], [1.4, 0.3, 0, 0], [1.8, 0, 0, 0], [3, 0, 0, 0]),
  turn: turns([0, 0, 0, 0], [0.9, 0, 0, 1.2], [1.6, 0, 0, 1.2], [2.5, 0, 0, 0], [3.4, 0, 0, 0]),
};

function turns(...keys: readonly (readonly [number, number, number, number])[]): PathSpec {
  return { keys: keys.map(([time, x, y, z]) => ({ time, rotation: [x, y, z] })) };
}

/** Writes the scene of a hairstyle. */
export function writeHairScene(style: Hairstyle, options: HairSceneOptions): string {
  const { hairFile, headFile, motion, animation, model = 'der', every = 1, count, edges } = options;
  const strands = [
    `file: ${JSON.stringify(hairFile)}`,
    'id: hair',
    `model: ${model}`,
    ...(edges === undefined ? [] : [`edges: ${edges}`]),
    ...(model === 'der' ? ['inextensible: true'] : []),
    ...(every > 1 ? [`every: ${every}`] : []),
    ...(count === undefined ? [] : [`count: ${count}`]),
    ...(motion ? ['root: free'] : []),
    ...(animation && headFile !== undefined ? [`skin: { ${skinFields(headFile, options).join(', ')} }`] : []),
  ];
  return [
    'tendril: 1',
    `title: ${JSON.stringify(options.title)}`,
    `gravity: [${style.gravity.join(', ')}]`,
    'strands:',
    `  - { ${strands.join(', ')} }`,
    ...solverLines(style, options),
    ...(motion ? motionLines(motion) : []),
    ...(headFile === undefined ? [] : headLines(headFile, options)),
    'fields:',
    '  - { type: air, linear: [4.0e-4, 2.0e-4] } # calms the swing',
    `time: { duration: ${options.duration}, step: ${options.step} }`,
    `output: { every: ${options.output} }`,
    '',
  ].join('\n');
}

/** Options of the model. The SIMD kernels support neither animated skins nor thin surfaces. */
function solverLines({ elements }: Hairstyle, options: HairSceneOptions): string[] {
  const { model = 'der', backend, animation, solid = true } = options;
  if (model === 'helix') return [`solver: { helix: { elements: ${elements} } }`];
  if (model !== 'der') return [];
  const isSimd = backend === 'simd' && !animation && solid;
  return [`solver: { der: { ${isSimd ? 'backend: simd, ' : ''}twist: quasistatic } }`];
}

function motionLines({ interpolation, keys }: PathSpec): string[] {
  const triple = (name: string, value: readonly number[] | undefined): string[] =>
    value ? [`${name}: [${value.join(', ')}]`] : [];
  return [
    'bodies:',
    '  - id: head',
    '    position: [0, 0, 0]',
    '    path:',
    ...(interpolation ? [`      interpolation: ${interpolation}`] : []),
    '      keys:',
    ...keys.map(
      ({ time, offset, rotation }) =>
        `        - { ${[`time: ${time}`, ...triple('offset', offset), ...triple('rotation', rotation)].join(', ')} }`,
    ),
    'welds:',
    '  - { rods: "hair-*", at: start, body: head }',
  ];
}

/** File, placement and animation of the head's mesh. */
function skinFields(file: string, { unit, up, animation }: HairSceneOptions): string[] {
  return [
    `file: ${JSON.stringify(file)}`,
    ...(unit === undefined ? [] : [`unit: ${unit}`]),
    ...(up === undefined ? [] : [`up: ${up}`]),
    ...(animation ? [`animation: { name: ${JSON.stringify(animation.name)}, start: ${animation.start} }`] : []),
  ];
}

function headLines(file: string, options: HairSceneOptions): string[] {
  const { motion, solid = true } = options;
  return [
    'colliders:',
    '  - type: mesh-file',
    ...skinFields(file, options).map((field) => `    ${field}`),
    `    solid: ${solid}`,
    '    friction: 0.2',
    ...(motion ? ['    body: head'] : []),
  ];
}
