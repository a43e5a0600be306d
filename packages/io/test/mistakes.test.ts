/** Mistakes that are not in a field: a file of another kind, a change of something that is not there, text that is no YAML. */
import { describe, expect, it } from 'vitest';
import { InputError, parseChange, parseScene } from '../src/index.ts';

const scene = `tendril: 1
materials:
  rubber: { E: 5 MPa, nu: 0.5, density: 1200 }
rods:
  - id: cable
    shape: { type: straight, from: [0, 0, 0], to: [1 m, 0, 0] }
    section: { type: circle, radius: 5 mm }
    material: rubber
`;

const messageOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  return '';
};

it('a study or a fit in place of a scene names the command that reads it', () => {
  expect(messageOf(() => parseScene('title: x\nsweep: 1\nscene: a.yaml\n', 'study.yaml'))).toBe(
    'study.yaml:2:1: this file is a study, not a scene; use: tendril sweep study.yaml',
  );
  expect(messageOf(() => parseScene('fit: 1\n', 'fit.yaml'))).toContain('use: tendril fit fit.yaml');
  expect(messageOf(() => parseScene('title: x\n', 'scene.yaml'))).toContain('write "tendril: 1"');
});

it('a colour is six hexadecimal digits', () => {
  const colored = (color: string) => () => parseScene(`${scene}    color: ${color}\n`, 'scene.yaml');
  expect(colored("'#5F7a3a'")().scene.rods[0].color).toBe('#5F7a3a');
  for (const color of ['red', "'#5f7a3'", '5'])
    expect(messageOf(colored(color))).toContain("expected a colour such as '#5f7a3a'");
});

describe('a change of a material that does not exist', () => {
  const change = (text: string) => () => parseScene(scene, 'scene.yaml', { changes: [parseChange(text)] });

  it('suggests the nearest name instead of adding half a material', () => {
    expect(messageOf(change('materials.ruber.E=5 MPa'))).toBe(
      "--set materials.ruber.E=5 MPa: 'materials' has no 'ruber'; did you mean 'rubber'?",
    );
    expect(messageOf(change('sections.cord.radius=5 mm'))).toContain("'sections' has no 'cord'; there are none");
  });

  it('is possible as a whole', () => {
    expect(messageOf(change('materials.steel={ E: 200 GPa, nu: 0.3, density: 7850 }'))).toBe('');
    expect(messageOf(change('materials.rubber.E=6 MPa'))).toBe('');
  });
});

it('says once what is no YAML', () => {
  const lines = messageOf(() => parseScene('{{{{', 'broken.yaml')).split('\n');
  expect(new Set(lines).size).toBe(lines.length);
});
