/**
 * The commands that read and write files of other kinds: export, render, import, groom, new, studio, docs, schema, recover. Their code is loaded when one of
 * them is called.
 */
import { Option } from 'commander';
import { type Example, examples, exportFormats, importMaterialNames, type Template, templates } from '../choices.ts';
import type { DocsOptions } from '../commands/docs.ts';
import type { ExportOptions } from '../commands/export.ts';
import type { ImportCommandOptions } from '../commands/import.ts';
import type { SchemaOptions } from '../commands/schema.ts';
import type { StudioOptions } from '../commands/studio.ts';
import { UsageError } from '../exit.ts';
import { addGroom } from '../groomProgram.ts';
import {
  parseCount,
  parseInteger,
  parseLength,
  parseNumber,
  parsePort,
  parsePositive,
  parseShare,
} from '../parsers.ts';
import type { Program } from './program.ts';
import { addRender } from './render.ts';

export function addFiles(program: Program): void {
  const { verb, terminal, setCode } = program;
  addExport(program);
  addRender(program);
  addImport(program);
  addGroom(verb('groom', 'grow, style and play hair on a mesh'), terminal, setCode, {
    count: parseCount,
    length: parseLength,
    integer: parseInteger,
  });
  addNew(program);
  addServers(program);
  addSchema(program);
  addRecover(program);
}

function addExport({ verb, terminal, setCode }: Program): void {
  verb('export <recording>', 'write a recording as a table, a picture, a film, or for other programs')
    .addOption(new Option('-t, --to <format>', 'format, required; see below').choices(exportFormats))
    .option('-o, --out <file>', 'file to write (default: beside the recording)')
    .option('-f, --force', 'replace the file if it exists')
    .option('--frame <n>', 'only this frame, from 0; negative counts from the end', parseInteger)
    .option('--every <n>', 'only every nth frame', parseCount)
    .addOption(new Option('--look <look>', 'glb: rods as tubes or as lines').choices(['tubes', 'lines']))
    .option('--fps <n>', 'films: pictures per second (default: 30; apng 15)', parsePositive)
    .option(
      '--speed <factor>',
      'films: simulated seconds per second of film; 0.1 is slow motion (default: 1)',
      parsePositive,
    )
    .optionsGroup('Fibers around a rod:')
    .option('--fibers <n>', 'draw this many fibers around each rod instead of the rod', parseCount)
    .option('--bundle <length>', 'radius of the bundle of fibers, such as "2 mm"', parseLength)
    .option('--taper <factor>', 'radius of the bundle at its end, relative to its start (default: 1)', parseShare)
    .option('--winding <turns>', 'turns of the fibers about their rod, added to its twist (default: 0)', parseNumber)
    .option('--blend <share>', 'how much fibers follow neighbouring rods, 0 to 1 (default: 0)', parseShare)
    .option('--fiber-radius <length>', 'radius of a fiber (default: that of its rod)', parseLength)
    .addHelpText(
      'after',
      `
Formats:
  usda, usdc    Universal Scene Description, as text or binary: Houdini, Blender
  abc           Alembic curves
  glb           glTF, animated, for Blender and the web
  vtp           VTK, one file per frame and a .pvd, for ParaView
  csv, parquet  tables, one row per node and frame
  svg, png      pictures
  apng          animated PNG, a film that web pages show as an image
  mp4, webm     films; they need ffmpeg

Examples:
  tendril export out/scene --to usda
  tendril export out/scene --to png --frame -1 --out last.png
  tendril export out/scene --to mp4 --speed 0.25
  tendril export out/scene --to usda --fibers 50 --bundle "2 mm" --taper 0.3`,
    )
    .action(async (file: string, { to, ...options }: Partial<ExportOptions>) => {
      if (to === undefined) throw new UsageError(`name a format with --to: ${exportFormats.join(', ')}`);
      const { exportRecording } = await import('../commands/export.ts');
      setCode(await exportRecording(file, { ...options, to }, terminal));
    });
}

function addImport({ verb, terminal, setCode }: Program): void {
  verb('import <curves>', 'make a scene from curves: .usda, .usdc, .usdz, .abc, .obj, .hair, .tfx, .glb, .gltf, .csv')
    .option('-o, --out <file>', 'scene to write (default: beside the curves)')
    .option('-f, --force', 'replace the scene if it exists')
    .option('-m, --model <model>', 'model for all rods, such as der')
    .option(
      '--unit <length>',
      'length of one unit in the file, such as "1 cm" (default: as the file says, else 1 m)',
      parseLength,
    )
    .addOption(new Option('--up <axis>', 'up axis of the file (default: as the file says, else z)').choices(['y', 'z']))
    .option('--frame <n>', 'animated files: the nth sample; negative counts from the end', parseInteger)
    .option('--every <n>', 'only every nth curve', parseCount)
    .option('--count <n>', 'largest number of curves', parseCount)
    .option('--edges <n>', 'edges per rod (default: the points of the file are the nodes)', parseCount)
    .option('--radius <length>', 'radius of the rods (default: as the file says, else 0.03 mm)', parseLength)
    .addOption(new Option('--material <name>', 'material (default: hair)').choices(importMaterialNames))
    .addOption(
      new Option('--root <hold>', 'how first points are held (default: clamp)').choices(['clamp', 'position', 'free']),
    )
    .option('--refer', 'refer to the file even for few curves')
    .addHelpText(
      'after',
      `
Up to 20 curves with 2,000 points are written into the scene. More stay in
their file, to which the scene refers.

Examples:
  tendril import wig.hair --unit "1 in" --every 10
  tendril import spline.obj --material rubber --radius "2 mm" --out cable.yaml`,
    )
    .action(async (file: string, options: ImportCommandOptions) => {
      const { importCurves } = await import('../commands/import.ts');
      setCode(importCurves(file, options, terminal));
    });
}

function addNew({ verb, terminal, setCode }: Program): void {
  verb('new [file]', 'write a small commented scene to start from (default: scene.yaml)')
    .addOption(new Option('--template <name>', 'scene to write').choices(templates).default('cable'))
    .addOption(new Option('--example <name>', 'copy the folder of an example instead').choices(examples))
    .option('--case', 'in a clone of Tendril: write the files of a case with this name instead')
    .addHelpText(
      'after',
      '\nExamples:\n  tendril new cable.yaml\n  tendril new cloth.yaml --template weave\n  tendril new --example mechanics\n  tendril new my-buckling --case',
    )
    .action(async (file: string | undefined, options: { template: Template; example?: Example; case?: true }) => {
      if (options.example) {
        const { createExample } = await import('../commands/newExample.ts');
        setCode(createExample(file, options.example, terminal));
        return;
      }
      if (options.case) {
        const { createCase } = await import('../commands/newCase.ts');
        setCode(createCase(file, terminal));
        return;
      }
      const { create } = await import('../commands/new.ts');
      setCode(create(file, options.template, terminal));
    });
}

function addServers({ verb, terminal, setCode }: Program): void {
  verb('studio [scene]', 'open the studio in a browser: look at rods, pull them, compare with theory')
    .option('-p, --port <n>', 'port to serve on (default: a free one)', parsePort)
    .option('--no-open', 'only print the address')
    .option('--queue <url>', 'also show the studies of a queue at /status, and its metrics at /metrics')
    .addHelpText(
      'after',
      '\nOnly this machine can reach it.\n\nExamples:\n  tendril studio\n  tendril studio scene.yaml\n  tendril studio michell-ring --port 8080',
    )
    .action(async (scene: string | undefined, options: StudioOptions) => {
      const { studio } = await import('../commands/studio.ts');
      setCode(await studio(scene, options, terminal));
    });

  verb('docs', 'open the documentation in a browser, with search and the API reference')
    .option('-p, --port <n>', 'port to serve on (default: a free one)', parsePort)
    .option('--no-open', 'only print the address')
    .addHelpText('after', '\nExample:\n  tendril docs --port 8080')
    .action(async (options: DocsOptions) => {
      const { docs } = await import('../commands/docs.ts');
      setCode(await docs(options, terminal));
    });
}

function addSchema({ verb, terminal, setCode }: Program): void {
  verb('schema', 'print the JSON Schema of scene files')
    .option('--sweep', 'print the schema of study files instead')
    .option('-o, --out <file>', 'write it to a file')
    .option('-f, --force', 'replace the file if it exists')
    .addHelpText('after', '\nExample:\n  tendril schema --out tendril.schema.json')
    .action(async (options: SchemaOptions) => {
      const { schema } = await import('../commands/schema.ts');
      setCode(await schema(options, terminal));
    });
}

function addRecover({ verb, terminal, setCode }: Program): void {
  verb('recover <folder>', 'save the frames and the last checkpoint of a killed run')
    .addHelpText('after', '\nExample:\n  tendril recover out/scene')
    .action(async (folder: string) => {
      const { recover } = await import('../commands/recover.ts');
      setCode(recover(folder, terminal));
    });
}
