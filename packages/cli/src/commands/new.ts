/** `tendril new`: a small scene to start from, with the schema that lets editors complete and check it. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { sceneJsonSchema } from '@tendril/io';
import { writeFileAtomic } from '@tendril/io/node';
import { exitCode, UsageError } from '../exit.ts';
import { dim, type Terminal } from '../terminal.ts';

const schemaName = 'tendril.schema.json';

const starter = `# yaml-language-server: $schema=./${schemaName}
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

export function create(file: string | undefined, terminal: Terminal): number {
  const path = file ?? 'scene.yaml';
  if (!/\.(ya?ml)$/i.test(path)) throw new UsageError(`'${path}' should end in .yaml: the starter scene is YAML`);
  if (existsSync(path))
    throw new UsageError(`'${path}' exists and is not overwritten; give another name: tendril new other.yaml`);
  const folder = dirname(resolve(path));
  if (!existsSync(folder)) throw new UsageError(`the folder '${dirname(path)}' does not exist`);
  writeFileAtomic(path, starter.replaceAll('NAME', path));
  terminal.err(`wrote ${path}\n`);
  const schema = join(folder, schemaName);
  if (!existsSync(schema)) {
    writeFileAtomic(schema, `${JSON.stringify(sceneJsonSchema(), null, 2)}\n`);
    terminal.err(
      `wrote ${join(dirname(path), basename(schema))} ${dim('(completion and checks in editors that read YAML schemas)')}\n`,
    );
  }
  terminal.err(`next: tendril run ${path}\n`);
  return exitCode.done;
}
