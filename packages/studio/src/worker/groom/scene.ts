/** A hairstyle as a scene that runs: guides as super-helices, the head in their way, and a motion. */
import type { Hairstyle } from '@tendril-sim/core';
import { encodeHairstyle } from '@tendril-sim/io';
import type { Groomed, HeadMotion } from '../../groomTypes.ts';
import { type Mesh, toObj } from './heads.ts';

/** More guides than this are too slow to look at: every nth is simulated, and hairs follow those. */
const guideLimit = 48;

/** Rotation vectors of the head [rad] in time [s]: about z it says no, about x yes. */
const motions: Readonly<Record<Exclude<HeadMotion, 'mouse'>, readonly (readonly [number, number, number, number])[]>> =
  {
    shake: [
      [0, 0, 0, 0],
      [0.35, 0, 0, 0.6],
      [0.75, 0, 0, -0.65],
      [1.15, 0, 0, 0.6],
      [1.5, 0, 0, 0],
      [3, 0, 0, 0],
    ],
    nod: [
      [0, 0, 0, 0],
      [0.4, 0.45, 0, 0],
      [0.9, -0.25, 0, 0],
      [1.4, 0.3, 0, 0],
      [1.8, 0, 0, 0],
      [3, 0, 0, 0],
    ],
    turn: [
      [0, 0, 0, 0],
      [0.9, 0, 0, 1.2],
      [1.6, 0, 0, 1.2],
      [2.5, 0, 0, 0],
      [3.4, 0, 0, 0],
    ],
  };

export function sceneOfStyle(
  style: Hairstyle,
  mesh: Mesh,
  closed: boolean,
  motion: HeadMotion,
): Omit<Groomed, 'type' | 'ticket'> {
  const every = Math.ceil(style.guideRoots.count / guideLimit);
  const rides = motion !== 'mouse';
  const keys = rides
    ? motions[motion].map(([time, x, y, z]) => `      - { time: ${time}, rotation: [ ${x}, ${y}, ${z} ] }`)
    : [];
  const names = Array.from({ length: Math.ceil(style.guideRoots.count / every) }, (_, k) => `hair-${k * every}`);
  const duration = rides ? Math.max(...motions[motion].map(([time]) => time)) + 0.5 : 4;
  const text = [
    'tendril: 1',
    'title: Hair on a head that moves',
    `gravity: [ ${style.gravity.join(', ')} ]`,
    'strands:',
    `  - { file: hair.hairstyle, id: hair, model: helix, edges: ${2 * style.elements}${every > 1 ? `, every: ${every}` : ''}${rides ? ', root: free' : ''} }`,
    `solver: { helix: { elements: ${style.elements} } }`,
    ...(rides
      ? [
          'bodies:',
          '  - id: head',
          '    position: [ 0, 0, 0 ]',
          '    path:',
          '      keys: &motion',
          ...keys.map((line) => `  ${line}`),
          'welds:',
          ...names.map((name) => `  - { rod: ${name}, at: start, body: head }`),
        ]
      : []),
    'colliders:',
    '  - type: mesh-file',
    '    file: head.obj',
    ...(closed ? [] : ['    solid: false']),
    '    friction: 0.2',
    ...(rides ? ['    path:', '      keys: *motion'] : []),
    '# hair does not meet hair here; impulses are the quickest way off the head',
    'contact: { between: none, continuous: false, solver: impulses }',
    'fields:',
    '  - { type: air, linear: [ 4.0e-4, 2.0e-4 ] } # calms the swing',
    `time: { duration: ${duration}, step: 0.016 }`,
    'output: { every: 0.032 }',
    '',
  ].join('\n');
  return {
    text,
    files: [
      { name: 'hair.hairstyle', bytes: encodeHairstyle(style, 'studio') },
      { name: 'head.obj', bytes: new TextEncoder().encode(toObj(mesh)) },
    ],
  };
}
