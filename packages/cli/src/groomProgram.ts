/** The subcommands of `tendril groom`: reads their options. */
import type { HairLayer } from '@tendril-sim/core';
import { type Command, Option } from 'commander';
import { hairTypeNames, stylePresetNames } from './choices.ts';
import type * as Groom from './commands/groom.ts';
import type {
  CombCommandOptions,
  CurlCommandOptions,
  CutCommandOptions,
  LayerCommandOptions,
  OutOptions,
} from './commands/groom.ts';
import type { HairExportOptions } from './commands/groomExport.ts';
import type { GrowCommandOptions } from './commands/groomGrow.ts';
import type { SceneCommandOptions } from './commands/groomScene.ts';
import type * as Shape from './commands/groomShape.ts';
import type {
  PartCommandOptions,
  PuffCommandOptions,
  SmoothCommandOptions,
  WrapCommandOptions,
} from './commands/groomShape.ts';
import { parseCurl, parseList, parseNodes, parseNumber, parsePoints, parseSix, parseTriple } from './groomParsers.ts';
import { parseInstant } from './parsers.ts';
import type { Terminal } from './terminal.ts';

/** Comma-separated numbers, parsed as elsewhere on the command line. */
export interface Readers {
  readonly count: (value: string) => number;
  readonly length: (value: string) => number;
  readonly integer: (value: string) => number;
}

/** What the subcommands share: their common options, and how they run. */
interface GroomProgram {
  readonly readers: Readers;
  readonly terminal: Terminal;
  /** A subcommand; its help ends with the example. */
  verb(usage: string, description: string, example: string): Command;
  /** Runs an action of commands/groom.ts, which is loaded only then. */
  act(action: (verbs: typeof Groom) => number): Promise<void>;
}

export function addGroom(groom: Command, terminal: Terminal, setCode: (code: number) => void, readers: Readers): void {
  const program: GroomProgram = {
    readers,
    terminal,
    verb: (usage, description, example) =>
      groom
        .command(usage)
        .description(description)
        .showHelpAfterError('Add --help for the options.')
        .addHelpText('after', `\nExample:\n  tendril groom ${example}`),
    async act(action) {
      const verbs = await import('./commands/groom.ts');
      try {
        setCode(action(verbs));
      } catch (error) {
        throw verbs.groomError(error);
      }
    },
  };
  addGrow(program);
  addEdits(program);
  addShapes(program);
  addLayers(program);
  addInfo(program);
  addScene(program);
  addExport(program);
}

const withOut = (command: Command, what: string): Command =>
  command.option('-o, --out <file>', what).option('-f, --force', 'replace the file if it exists');

const withWhere = (command: Command): Command =>
  withOut(command, 'hairstyle to write').option(
    '--where <formula>',
    'only guides for which this formula of x, y, z, nx, ny, nz, r, g, b, u, v is positive at the root',
  );

const SETTLE = ['--no-settle', 'ignore the weight of the hair'] as const;

const curlOption = (): Option =>
  new Option('--curl <radius,pitch>', 'curl, such as "1 cm,2 cm"; a negative pitch winds to the left').argParser(
    parseCurl,
  );

function addGrow({ verb, act, readers, terminal }: GroomProgram): void {
  withOut(
    verb(
      'grow <mesh>',
      'grow a hairstyle on a mesh (.obj, .glb, .gltf, .usda, .usdc, .usdz, .abc)',
      'grow head.obj --length "25 cm" --hair wavy --guides 500 --hairs 50000 --density "nz > 0.2"',
    ),
    'hairstyle to write (default: beside the mesh)',
  )
    .option('-l, --length <length>', 'length of the hair, such as "20 cm", or a formula of the root, in metres')
    .option(
      '--preset <style>',
      `a style in proportion to the head: ${stylePresetNames.join(', ')}; other options change it`,
    )
    .option('--front <x,y,z>', 'direction of the face, for --preset (default: 0,-1,0)', parseTriple)
    .option('--guides <n>', 'number of guides (default: 200)', readers.count)
    .option('--on-vertices', 'one guide per vertex of the mesh')
    .option('--hairs <n>', 'number of hairs interpolated between the guides (default: none)', readers.count)
    .option('--density <formula>', 'relative density of hair, a formula of the root; 0 is bald')
    .option(
      '--texture <file>',
      'PNG picture in place of vertex colours, by the texture coordinates of the mesh; without --density its brightness is the density',
    )
    .addOption(new Option('--hair <type>', 'hair type (default: straight)').choices(hairTypeNames))
    .addOption(curlOption())
    .option('--elements <n>', 'helical elements per guide (default: 10, or as many as the curl needs)', readers.count)
    .option('--length-jitter <part>', 'largest random variation of lengths, as a fraction (default: 0)', parseNumber)
    .option('--phase-jitter <angle>', 'largest random phase of curls, in radians (default: 0)', parseNumber)
    .option(
      '--lean <x,y,z>',
      'vector added to the normal at the root, so that hair lies down; numbers or formulas of the root',
    )
    .option('--no-lay', 'let hair pass through the mesh')
    .option('--clump <part>', 'how far tips are pulled to the nearest guide, 0 to 1 (default: 0)', parseNumber)
    .option('--unit <length>', 'length of one unit in the mesh', readers.length)
    .addOption(new Option('--up <axis>', 'up axis of the mesh').choices(['y', 'z']))
    .option('--seed <n>', 'seed of all random choices (default: 0)', readers.integer)
    .option(...SETTLE)
    .action(async (mesh: string, options: GrowCommandOptions) => {
      const { grow } = await import('./commands/groomGrow.ts');
      await act(() => grow(mesh, options, terminal));
    });
}

/** Verbs that change a style. */
function addEdits({ verb, act, readers, terminal }: GroomProgram): void {
  withWhere(
    verb('cut <style>', 'cut to a length or at a plane', 'cut head.hairstyle --length "11 cm" --out bob.hairstyle'),
  )
    .option('--length <length>', 'cut hair to this length', readers.length)
    .option('--plane <x,y,z,nx,ny,nz>', 'cut hair at the plane through this point with this normal', parseSix)
    .action((file: string, options: CutCommandOptions) => act((verbs) => verbs.cut(file, options, terminal)));

  withWhere(
    verb(
      'comb <style>',
      'comb from one point to another; the combed shape is an equilibrium',
      'comb head.hairstyle --from 0,0,0.1 --to 0.05,0,0.05 --radius "3 cm" --out combed.hairstyle',
    ),
  )
    .requiredOption('--from <x,y,z>', 'start of the stroke [m]', parseTriple)
    .requiredOption('--to <x,y,z>', 'end of the stroke [m]', parseTriple)
    .requiredOption('--radius <length>', 'distance from the stroke within which hair moves', readers.length)
    .option('--strength <part>', 'fraction of the stroke by which hair moves, 0 to 1 (default: 1)', parseNumber)
    .action((file: string, options: CombCommandOptions) => act((verbs) => verbs.comb(file, options, terminal)));

  withWhere(
    verb('curl <style>', 'set another natural curl', 'curl head.hairstyle --curl "5 mm,10 mm" --out curly.hairstyle'),
  )
    .addOption(curlOption())
    .option('--straight', 'remove the curl')
    .option(...SETTLE)
    .action((file: string, options: CurlCommandOptions) => act((verbs) => verbs.curl(file, options, terminal)));
}

/** Verbs that reshape all guides, or those of a mask. */
function addShapes({ verb, act, readers, terminal }: GroomProgram): void {
  const shape = (usage: string, description: string, example: string): Command =>
    withOut(verb(usage, description, example), 'hairstyle to write').option(
      '--where <formula>',
      'strength per guide, 0 to 1: a formula of x, y, z, nx, ny, nz, r, g, b, u, v at the root',
    );
  const strength = (what: string): [string, string, (value: string) => number] => [
    '--strength <part>',
    what,
    parseNumber,
  ];
  const load = (): Promise<typeof Shape> => import('./commands/groomShape.ts');

  shape('puff <style>', 'lift hair off the skin', 'puff head.hairstyle --height "1 cm" --out puffed.hairstyle')
    .requiredOption('--height <length>', 'how far hair rises along the normals at the roots', readers.length)
    .action(async (file: string, options: PuffCommandOptions) => {
      const { puff } = await load();
      await act(() => puff(file, options, terminal));
    });

  shape(
    'smooth <style>',
    'even out guides: move each towards the mean shape of its neighbours',
    'smooth combed.hairstyle --strength 0.5 --out even.hairstyle',
  )
    .option(...strength('how far guides move to the mean, 0 to 1 (default: 0.5)'))
    .action(async (file: string, options: SmoothCommandOptions) => {
      const { smooth } = await load();
      await act(() => smooth(file, options, terminal));
    });

  shape(
    'wrap <style>',
    'pull hair to the skin',
    'wrap head.hairstyle --distance "8 mm" --where "z > 0" --out slick.hairstyle',
  )
    .requiredOption('--distance <length>', 'distance from the skin within which hair stays as it is', readers.length)
    .option(...strength('how far hair beyond it moves to this distance, 0 to 1 (default: 1)'))
    .action(async (file: string, options: WrapCommandOptions) => {
      const { wrap } = await load();
      await act(() => wrap(file, options, terminal));
    });

  shape(
    'part <style>',
    'part hair along a line: it falls to both sides, and no hair joins them',
    'part head.hairstyle --curve "0.02,-0.08,0.09; 0.02,0,0.11" --out parted.hairstyle',
  )
    .requiredOption('--curve <points>', 'points of the line, x,y,z with semicolons between them', parsePoints)
    .option('--width <length>', 'distance from the line within which hair is combed (default: 4 cm)', readers.length)
    .option(...strength('how far hair at the line leans to its side (default: 1)'))
    .action(async (file: string, options: PartCommandOptions) => {
      const { part } = await load();
      await act(() => part(file, options, terminal));
    });
}

function addLayers({ verb, act, readers, terminal }: GroomProgram): void {
  const layers: HairLayer[] = [];
  const { count, length } = readers;
  const collect = (read: (text: string) => HairLayer) => (text: string) => {
    layers.push(read(text));
    return layers;
  };
  const signed = (text: string): number => (text.startsWith('-') ? -length(text.slice(1)) : length(text));
  withOut(
    verb(
      'layer <style>',
      'set clumps, curls and frizz of the hairs between the guides; in the order given, after those that the style has',
      'layer head.hairstyle --clump 400,0.6 --curl "3 mm,1.2 cm,0.3" --frizz "0.5 mm,8 mm" --out layered.hairstyle',
    ),
    'hairstyle to write',
  )
    .option(
      '--clump <count,strength,power>',
      'so many groups; how far tips are pulled together, 0 to 1; how late along the hair (default: 2)',
      collect((text) => {
        const what = 'a number of groups, a strength and perhaps a power, such as 400,0.6';
        const [groups, strength, power] = parseList(text, [count, parseNumber, parseNumber], 2, what);
        return { type: 'clump', count: groups, strength, ...(power !== undefined && { power }) };
      }),
    )
    .option(
      '--curl <radius,pitch,phase>',
      'winds each hair about its path; phase: random part of a turn, 0 to 1 (default: 0)',
      collect((text) => {
        const what = 'a radius, a pitch and perhaps a phase, such as "3 mm,1.2 cm,0.3"';
        const [radius, pitch, phase] = parseList(text, [length, signed, parseNumber], 2, what);
        return { type: 'curl', radius, pitch, ...(phase !== undefined && { phase }) };
      }),
    )
    .option(
      '--frizz <amplitude,wavelength>',
      'moves each hair off its path by smooth noise',
      collect((text) => {
        const what = 'an amplitude and a wavelength, such as "0.5 mm,8 mm"';
        const [amplitude, wavelength] = parseList(text, [length, length], 2, what);
        return { type: 'frizz', amplitude, wavelength };
      }),
    )
    .option('--lengths <least,most>', 'length of hairs relative to their guides, at random between these', (text) =>
      parseList(text, [parseNumber, parseNumber], 2, 'two fractions such as 0.7,1'),
    )
    .option('--clear', 'remove the layers that the style has')
    .option('--remove <n>', 'remove the nth layer that the style has, from 1', readers.count)
    .action((file: string, options: Omit<LayerCommandOptions, 'layers'>) =>
      act((verbs) => verbs.layer(file, { ...options, layers }, terminal)),
    );
}

function addInfo({ verb, act, terminal }: GroomProgram): void {
  verb('info <style>', 'print the content of a hairstyle', 'info head.hairstyle')
    .option('--json', 'print JSON')
    .action((file: string, options: { json?: boolean }) => act((verbs) => verbs.info(file, options, terminal)));
}

/** Scenes of the guides, and what became of them. */
function addScene({ verb, act, readers, terminal }: GroomProgram): void {
  withOut(
    verb('scene <style>', 'write a scene with the guides as rods', 'scene bob.hairstyle --motion shake'),
    'scene to write (default: beside the style)',
  )
    .option('-m, --model <model>', 'rod model (default: der, with SIMD kernels where they can)')
    .option('--every <n>', 'only every nth guide', readers.count)
    .option('--count <n>', 'largest number of guides', readers.count)
    .option('--head <mesh>', 'mesh that the hair collides with (default: the one it grew on)')
    .option('--no-head', 'without a mesh to collide with')
    .option('--unit <length>', 'length of one unit in that mesh', readers.length)
    .addOption(new Option('--up <axis>', 'up axis of that mesh').choices(['y', 'z']))
    .option('--motion <motion>', 'how the head moves: shake, nod, turn, or a file with the keys of a path')
    .option(
      '--animation [name]',
      'animation of --head (.glb, .gltf, .usda, .usdc, .usdz, .abc) that moves the skin (default: its only one)',
    )
    .option(
      '--start <time>',
      'when the animation starts; before, hair settles on its first pose (default: 0)',
      parseInstant,
    )
    .action(async (file: string, options: SceneCommandOptions) => {
      const { scene } = await import('./commands/groomScene.ts');
      await act(() => scene(file, options, terminal));
    });

  withOut(
    verb(
      'pack <style> <recording>',
      'compress a recording of the guides to root frames and curvatures',
      'pack bob.hairstyle out/bob/recording.tendril',
    ),
    'motion to write (default: beside the recording)',
  ).action((file: string, recording: string, options: OutOptions) =>
    act((verbs) => verbs.pack(file, recording, options, terminal)),
  );
}

function addExport({ verb, act, terminal }: GroomProgram): void {
  withOut(
    verb(
      'export <style>',
      'write the hairs for other programs',
      'export bob.hairstyle --to abc --motion out/bob/recording.motion',
    ),
    'file to write (default: beside the style)',
  )
    .addOption(
      new Option('-t, --to <format>', 'format').choices(['abc', 'usdc', 'usda', 'glb', 'hair']).makeOptionMandatory(),
    )
    .option('--motion <file>', 'motion of the guides, from groom pack (abc, usdc, usda, glb)')
    .option(
      '--head <mesh>',
      'animated mesh that the hair grows on, also exported (.glb, .gltf, .usda, .usdc, .usdz, .abc)',
    )
    .option('--animation [name]', 'animation of that mesh (default: its only one)')
    .option('--start <time>', 'when the animation starts, as in the scene (default: 0)', parseInstant)
    .option('--nodes <n>', 'points per hair, 2 to 10000 (default: 21, or enough for its curls)', parseNodes)
    .addOption(
      new Option(
        '--cache <which>',
        'abc with --motion: what moves; guides: the hairs are written at rest (default: hairs)',
      ).choices(['hairs', 'guides']),
    )
    .option('--guides-only', 'export the guides instead of the hairs')
    .action(async (file: string, options: HairExportOptions) => {
      const { exportHairs } = await import('./commands/groomExport.ts');
      await act(() => exportHairs(file, options, terminal));
    });
}
