/** The command `render`: reads its options. */
import { InvalidArgumentError, Option } from 'commander';
import { lightNames } from '../choices.ts';
import type { RenderOptions } from '../commands/render.ts';
import {
  collect,
  parseCount,
  parseInstant,
  parseInteger,
  parseNumber,
  parsePositive,
  parseThreads,
} from '../parsers.ts';
import type { Program } from './program.ts';

export function addRender({ verb, terminal, setCode }: Program): void {
  const command = verb('render <recording>', 'path-trace a still or a film of a recording, or of a hairstyle');
  command
    .option('-o, --out <file>', 'file to write: .png, .mp4 or .webm (default: <recording>-render.png)')
    .option('-f, --force', 'replace the file if it exists')
    .addOption(
      new Option('--size <size>', 'width and height in pixels').argParser(parseSize).default([1280, 720], '1280x720'),
    )
    .option('--samples <n>', 'samples per pixel: more are slower and less noisy', parseCount, 64)
    .option('--bounces <n>', 'most surfaces that a light path touches', parseCount, 6)
    .option('--no-denoise', 'keep the noise of few samples')
    .option('--threads <n>', 'threads (default: all cores); the pixels do not depend on it', parseThreads)
    .optionsGroup('Hairstyles:')
    .option('--motion <file>', 'a motion of tendril groom pack')
    .option('--head <mesh>', 'the animated mesh that it grows on')
    .option('--animation [name]', 'animation of that mesh (default: its only one)')
    .option('--start <time>', 'when the animation starts, as in the scene (default: 0)', parseInstant)
    .optionsGroup('Frames and films:')
    .option('--frame <n>', 'still: this frame, from 0; negative counts from the end (default: the last)', parseInteger)
    .option('--frames <first..last>', 'film, or numbered pictures: these frames', parseRange)
    .option('--every <n>', 'film, or numbered pictures: only every nth frame', parseCount)
    .option('--fps <n>', 'films: pictures per second', parsePositive, 30)
    .option('--speed <factor>', 'films: simulated seconds per second of film', parsePositive, 1);
  addLook(command);
  command
    .addHelpText(
      'after',
      `
Examples:
  tendril render out/scene --material rope
  tendril render out/scene --out film.mp4 --speed 0.5 --follow ball
  tendril render out/scene --frames 0..100 --out frames/scene.png
  tendril render out/scene --light sun --azimuth 40 --zoom 1.5 --samples 256`,
    )
    .action(async (recording: string, options: RenderOptions) => {
      const { renderRecording } = await import('../commands/render.ts');
      setCode(await renderRecording(recording, options, terminal));
    });
}

/** Options of camera, materials and light. */
function addLook(command: ReturnType<Program['verb']>): void {
  command
    .optionsGroup('Camera:')
    .option('--azimuth <degrees>', 'turn about the upright axis', parseNumber)
    .option('--elevation <degrees>', 'height of the eye', parseNumber)
    .option('--zoom <factor>', '2 shows half of what 1 shows', parsePositive)
    .option('--fov <degrees>', 'vertical angle of view (default: 26)', parseAngle)
    .option('--eye <x,y,z>', 'place of the eye, in metres', parsePoint)
    .option('--target <x,y,z>', 'the point that it looks at, in metres', parsePoint)
    .option('--follow <id>', 'moves along with this rod or body')
    .optionsGroup('Materials and light:')
    .option(
      '--material <name>',
      'rubber, steel, rope, yarn, plant or hair; for one rod: <rod>=<name>; may be repeated',
      collect,
    )
    .option('--color <color>', 'colour of rods such as #b5652f; for one rod: <rod>=<color>; may be repeated', collect)
    .option('--no-stripe', 'rubber: no stripe along d1')
    .option('--thickness <factor>', 'factor on the radii of rods', parsePositive)
    .addOption(new Option('--light <name>', 'arrangement of lights').choices(lightNames).default('studio'))
    .option('--light-turn <degrees>', 'turn of the lights about the upright axis', parseNumber, 0)
    .option('--brightness <factor>', 'factor on all light', parsePositive, 1)
    .option('--background <color>', 'colour of background and floor', '#f1ede6')
    .option('--no-floor', 'no floor');
}

function parseSize(value: string): [number, number] {
  const [width, height] = /^(\d+)x(\d+)$/.exec(value.trim())?.slice(1).map(Number) ?? [];
  if (!(width >= 8 && height >= 8 && width <= 16384 && height <= 16384))
    throw new InvalidArgumentError('Expected width and height in pixels, 8 to 16384: 1920x1080.');
  return [width, height];
}

function parseRange(value: string): [number, number] {
  const [first, last] = /^(-?\d+)\.\.(-?\d+)$/.exec(value.trim())?.slice(1).map(Number) ?? [];
  if (first === undefined) throw new InvalidArgumentError('Expected two frames: 0..100, or 0..-1 for all.');
  return [first, last];
}

function parsePoint(value: string): [number, number, number] {
  const parts = value.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (parts.length !== 3 || !parts.every(Number.isFinite))
    throw new InvalidArgumentError('Expected three coordinates in metres: 0.1,0,2.');
  return [parts[0], parts[1], parts[2]];
}

function parseAngle(value: string): number {
  const degrees = parseNumber(value);
  if (!(degrees > 0 && degrees < 170)) throw new InvalidArgumentError('Expected an angle between 0 and 170 degrees.');
  return degrees;
}
