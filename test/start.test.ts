/** The numbers in docs/start.md are those that its commands give. */
import { createWorld, type World } from '@tendril-sim/core';
import { parseScene } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
import { read } from './files.ts';
import { blocksOf } from './markdown.ts';

const page = read('docs/start.md');
const text = blocksOf(page).find(({ language }) => language === 'yaml')?.text ?? '';
const open = (source: string): World => createWorld(parseScene(source, 'cable.yaml').scene);
const minus = (value: string): string => value.replace('-', '−');

function expectTip(world: World): void {
  const [x, , z] = world.samples[0].nodePosition.slice(-3);
  expect(page.replaceAll('\n', ' ')).toContain(minus(`x = ${x.toFixed(4)} m, z = ${z.toFixed(4)} m`));
}

describe('docs/start.md', () => {
  it('has the energies of the run', () => {
    const world = open(text);
    let iterations = 0;
    for (let k = 0; k < 1000; k++) iterations += world.step().iterations;
    const { total, kinetic } = world.energies();
    expect(page).toContain(
      `${(iterations / 1000).toFixed(2)} iterations per step; total energy ${Number(total.toPrecision(6))} J, kinetic ${(kinetic * 1e4).toFixed(2)}e-4 J`,
    );
  });

  it.each(['5 MPa', '50 MPa'])('has the equilibrium and the frequencies with E = %s', (E) => {
    const world = open(text.replace('E: 5 MPa', `E: ${E}`));
    world.equilibrate();
    expectTip(world);
    const [{ omega }] = world.modes(3);
    const frequencies = Array.from(omega, (w) => (w / (2 * Math.PI)).toFixed(3)).join(', ');
    expect(page).toMatch(new RegExp(`\\| ${E} +\\| ${frequencies} `));
  });

  it('has the force and the torque at the clamp', () => {
    const world = open(text);
    world.equilibrate();
    const [{ force, torque }] = world.reactions();
    expect(page).toContain(`${force[2].toFixed(4)} N upwards`);
    expect(page).toContain(`${(-torque[1]).toFixed(4)} N m`);
  });
});
