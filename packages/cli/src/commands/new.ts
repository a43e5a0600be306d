/** `tendril new`: writes a small scene, and the schema with which editors complete and check it. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { sceneJsonSchema } from '@tendril-sim/io';
import { writeFileAtomic } from '@tendril-sim/io/node';
import type { Template } from '../choices.ts';
import { exitCode, UsageError } from '../exit.ts';
import { invocation } from '../invocation.ts';
import { dim, type Terminal } from '../terminal.ts';

const schemaName = 'tendril.schema.json';

const cable = `# yaml-language-server: $schema=./${schemaName}
#
# A cable, clamped at one end, falls under its own weight and swings.
#   tendril run NAME       simulates it
#   tendril statics NAME   finds where it comes to rest
#   tendril modes NAME     finds how it vibrates about that
# A number is in SI units; text carries its own unit: 0.5, "50 cm", "2 GPa", "30 deg".

tendril: 1
title: A cable falls and swings
gravity: [0, 0, -9.81]

materials:
  rubber:
    E: 5 MPa            # Young's modulus
    nu: 0.5             # Poisson's ratio
    density: 1200 kg/m^3
    damping:
      stiffness: 5 ms   # viscous bending; larger calms the swing sooner

rods:
  - id: cable
    shape: { type: straight, from: [0, 0, 0], to: [40 cm, 0, 0] }
    edges: 40
    section: { type: circle, radius: 4 mm }
    material: rubber

pins:
  - { rod: cable, at: start, hold: clamp }
  # Also possible: hold: position | tangent | frame, and a path of keys that moves the pin.

# loads:
#   - { rod: cable, type: force, at: end, force: [0, 0.1 N, 0] }

time:
  duration: 2 s
  step: 2 ms

output:
  every: 20 ms
  probes:
    - { name: tip, rod: cable, at: end, quantity: position }
`;

const weave = `# yaml-language-server: $schema=./${schemaName}
#
# A woven cloth falls on a ball and drapes over it.
#   tendril run NAME       simulates it
# A number is in SI units; text carries its own unit: 0.5, "50 cm", "2 GPa", "30 deg".

tendril: 1
title: A cloth falls on a ball
gravity: [0, 0, -9.81]

weaves:
  - id: cloth             # fibers are rods: "cloth warp 0", "cloth weft 3"
    center: [0, 0, 62 mm]
    warp: { count: 11, spacing: 18 mm }
    # weft: { count: 11, spacing: 18 mm }   # as the warp, where it is left out
    edges: 3              # from one crossing to the next; odd
    section: { type: circle, radius: 0.1 mm }
    material: { E: 2 GPa, G: 0.7 GPa, density: 1200 kg/m^3, damping: { mass: 10 } }   # 85 calms it at once
    joints:
      stiffness: 50 N/m   # holds the fibers together where they cross
      rotation: { about: normal, stiffness: 2 uN*m }   # against shear; without it the cloth is a trellis

# To hang it up by a corner:
# pins:
#   - { rod: cloth warp 0, at: start, hold: position }

colliders:
  - { id: ball, type: sphere, radius: 60 mm, friction: 0.3 }

contact: { between: none, tolerance: 1e-3 }   # the fibers do not meet each other away from the joints

time:
  duration: 0.6 s
  step: 4 ms

output:
  every: 20 ms
`;

const templates: Readonly<Record<Template, string>> = { cable, weave };

export function create(file: string | undefined, template: Template, terminal: Terminal): number {
  const path = file ?? 'scene.yaml';
  const starter = templates[template];
  if (!/\.(ya?ml)$/i.test(path)) throw new UsageError(`'${path}' should end in .yaml: the starter scene is YAML`);
  if (existsSync(path))
    throw new UsageError(`'${path}' exists and will not be overwritten; choose another name: tendril new other.yaml`);
  const folder = dirname(resolve(path));
  if (!existsSync(folder)) throw new UsageError(`the folder '${dirname(path)}' does not exist`);
  writeFileAtomic(path, starter.replaceAll('NAME', path).replace(/^(# +)tendril /gm, `$1${invocation()} `));
  terminal.err(`wrote ${path}\n`);
  const schema = join(folder, schemaName);
  if (!existsSync(schema)) {
    writeFileAtomic(schema, `${JSON.stringify(sceneJsonSchema(), null, 2)}\n`);
    terminal.err(
      `wrote ${join(dirname(path), basename(schema))} ${dim('(completion and checks in editors that support YAML schemas)')}\n`,
    );
  }
  terminal.err(`next: ${invocation()} run ${path}\n`);
  return exitCode.done;
}
