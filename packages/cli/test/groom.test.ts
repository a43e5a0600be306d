/** `tendril import` and `tendril groom`: curves and hair. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, WebIO } from '@gltf-transform/core';
import { decodeHairstyle, hairFootage } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
import { encodePng } from '../src/apng.ts';
import { sandbox } from './harness.ts';

describe('import and groom', () => {
  it('makes a scene of curves that runs', async () => {
    const box = sandbox();
    const line = (y: number): string => [0, 1, 2, 3].map((k) => `s${y},${k},${y},0\n`).join('');
    box.write('few.csv', `rod,x,y,z\n${line(0)}${line(1)}`);
    const few = await box.run('import', 'few.csv', '--unit', '1 cm', '--material', 'rubber', '--radius', '1 mm');
    expect([few.code, few.err]).toEqual([0, 'wrote few.yaml: 2 rods, 8 points\nnext: tendril run few.yaml\n']);
    expect((await box.run('run', 'few.yaml', '--until', '10 ms', '--quiet', '--out', 'a')).code).toBe(0);
    expect(box.json('a/result.json').rods).toMatchObject([{ id: 's0' }, { id: 's1' }]);
    box.write('many.csv', `rod,x,y,z\n${Array.from({ length: 30 }, (_, y) => line(y)).join('')}`);
    expect((await box.run('import', 'many.csv', '--count', '2')).code).toBe(0);
    expect(box.read('many.yaml')).toContain('file: "many.csv"');
    expect((await box.run('run', 'many.yaml', '--until', '4 ms', '--quiet', '--out', 'b')).code).toBe(0);
    expect(box.json('b/result.json').rods).toMatchObject([{ id: 'many-0' }, { id: 'many-1' }]);
    mkdirSync(join(box.path, 'other'));
    const elsewhere = await box.run('import', 'many.csv', '--out', 'other/scene.yaml');
    expect([elsewhere.code, elsewhere.err]).toEqual([2, expect.stringContaining('must be in its folder')]);
    const foreign = await box.run('import', 'few.yaml');
    expect([foreign.code, foreign.err]).toEqual([2, expect.stringContaining('.usda, .usdc, .usdz, .abc, .obj, .hair')]);
  });

  it('grows hair on an animated character, simulates it on the moving skin and exports both', {
    timeout: 240_000,
  }, async () => {
    const box = sandbox();
    writeFileSync(join(box.path, 'hero.glb'), await roof());
    const grow = await box.run('groom', 'grow', 'hero.glb', '--length', '4 cm', '--guides', '3', '--hairs', '9');
    expect(grow.code).toBe(0);
    const made = await box.run(
      'groom',
      'scene',
      'hero.hairstyle',
      '--head',
      'hero.glb',
      '--animation',
      '--start',
      '20 ms',
    );
    expect([made.code, made.err]).toEqual([0, 'wrote hero.yaml: 3 rods\nnext: tendril run hero.yaml\n']);
    expect(box.read('hero.yaml')).toContain('skin: { file: "hero.glb", animation: { name: "Lift", start: 0.02 } }');
    expect(box.read('hero.yaml')).toContain('duration: 0.12');
    expect((await box.run('run', 'hero.yaml', '--quiet', '--strict', '--out', 'out')).code).toBe(0);
    expect((await box.run('groom', 'pack', 'hero.hairstyle', 'out/recording.tendril')).code).toBe(0);
    const moving = ['--motion', 'out/recording.motion', '--head', 'hero.glb', '--start', '0.02'];
    const cache = await box.run('groom', 'export', 'hero.hairstyle', '--to', 'abc', '--cache', 'guides', ...moving);
    expect([cache.code, cache.err]).toEqual([0, 'wrote hero.abc: 9 strands at rest, 3 guides, 4 frames\n']);
    const still = await box.run('groom', 'export', 'hero.hairstyle', '--to', 'abc', '--cache', 'guides', '--force');
    expect([still.code, still.err]).toEqual([2, expect.stringContaining('it needs --to abc and --motion')]);
    const usda = await box.run('groom', 'export', 'hero.hairstyle', '--to', 'usda', ...moving);
    expect([usda.code, usda.err]).toEqual([0, 'wrote hero.usda: 9 strands, 4 frames\n']);
    // the skin has risen by 0.1 m at the end, and the hairs with it
    const lastPoints = (part: string): number[] =>
      /\d+: \[\(([^)]*)\)[^\n]*\n {8}\}/.exec(part.split('points.timeSamples')[1])?.[1].split(', ').map(Number) ?? [];
    const [hairs, mesh] = box.read('hero.usda').split('def Mesh');
    const [hair, skin] = [lastPoints(hairs), lastPoints(mesh)];
    expect(skin[2]).toBeCloseTo(0.1, 6);
    expect(hair[2]).toBeGreaterThan(0.09);
    const itself = await box.run('groom', 'export', 'hero.hairstyle', '--to', 'glb', '--force', ...moving);
    expect([itself.code, itself.err]).toEqual([2, expect.stringContaining('is the --head itself')]);
    const wrong = await box.run('groom', 'scene', 'hero.hairstyle', '--animation', 'Lift', '--out', 'b.yaml');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--head character.glb')]);
    const both = ['--head', 'hero.glb', '--animation', '--motion', 'nod', '--out', 'b.yaml'];
    expect((await box.run('groom', 'scene', 'hero.hairstyle', ...both)).err).toContain('leave out --motion');
  });

  it('grows hair by a texture, and exports its texture coordinates', async () => {
    const box = sandbox();
    const corners = [0, 1, 3, 2].map((k) => [k % 2, k >> 1]);
    box.write(
      'cloth.obj',
      [
        ...corners.map(([x, y]) => `v ${0.1 * x} ${0.1 * y} 0`),
        ...corners.map(([x, y]) => `vt ${x} ${y}`),
        'f 1/1 2/2 3/3 4/4\n',
      ].join('\n'),
    );
    // black, and white in the upper right quarter
    const pixels = Uint8Array.from({ length: 4 * 16 }, (_, k) => (k % 4 === 3 || (k < 32 && k % 16 >= 8) ? 255 : 0));
    writeFileSync(join(box.path, 'map.png'), encodePng({ width: 4, height: 4, pixels }));
    const grow = ['groom', 'grow', 'cloth.obj', '--length', '1 cm', '--guides', '20', '--hairs', '40', '--no-settle'];
    const grown = await box.run(...grow, '--texture', 'map.png', '--where', 'x');
    expect([grown.code, grown.err]).toEqual([2, expect.stringContaining("unknown option '--where'")]);
    const textured = await box.run(...grow, '--texture', 'map.png');
    expect([textured.code, textured.err]).toEqual([0, 'wrote cloth.hairstyle: 20 guides of 10 elements, 40 hairs\n']);
    const style = decodeHairstyle(readFileSync(join(box.path, 'cloth.hairstyle')), 'cloth.hairstyle');
    const uv = hairFootage(style, 'test').groom?.rootUv ?? new Float32Array(0);
    expect(uv).toHaveLength(80);
    expect([...uv]).toEqual([...Float32Array.from(style.hairRoots?.uv ?? [])]);
    for (const value of uv) expect(value).toBeGreaterThan(0.36);
    // formulas of texture coordinates work later, too
    const where = ['--where', 'u - 0.7', '--out', 'cut.hairstyle'];
    expect((await box.run('groom', 'cut', 'cloth.hairstyle', '--length', '5 mm', ...where)).err).toMatch(
      /^cut (?!0 |20 )\d+ of 20 guides/,
    );
    writeFileSync(join(box.path, 'map.jpg'), Uint8Array.of(0xff, 0xd8, 0xff, 0xe0));
    const jpeg = await box.run(...grow, '--texture', 'map.jpg', '--force');
    expect([jpeg.code, jpeg.err]).toEqual([
      2,
      expect.stringContaining('this is a JPEG picture; a texture must be a PNG'),
    ]);
    box.write('bare.obj', box.read('cloth.obj').replaceAll(/\/\d/g, ''));
    const bare = await box.run('groom', 'grow', 'bare.obj', '--length', '1 cm', '--texture', 'map.png');
    expect([bare.code, bare.err]).toEqual([2, expect.stringContaining('the mesh has no texture coordinates')]);
  });

  it('puffs, smooths, wraps and parts hair', async () => {
    const box = sandbox();
    const corner = (k: number): string => `v ${0.1 * (k & 1)} ${0.1 * ((k >> 1) & 1)} ${0.1 * (k >> 2)}`;
    const faces = ['1 3 4 2', '5 6 8 7', '1 2 6 5', '3 7 8 4', '1 5 7 3', '2 4 8 6'];
    box.write(
      'box.obj',
      [...Array.from({ length: 8 }, (_, k) => corner(k)), ...faces.map((f) => `f ${f}`), ''].join('\n'),
    );
    const top = ['--density', 'z > 0.05', '--guides', '24', '--hairs', '40'];
    expect((await box.run('groom', 'grow', 'box.obj', '--length', '4 cm', ...top)).code).toBe(0);
    const groom = (verb: string, from: string, to: string, ...options: string[]) =>
      box.run('groom', verb, `${from}.hairstyle`, '--out', `${to}.hairstyle`, ...options);
    const puffed = await groom('puff', 'box', 'puffed', '--height', '1 cm', '--where', 'x > 0.05');
    expect([puffed.code, puffed.err]).toEqual([0, expect.stringMatching(/^reshaped [1-9]\d? of 24 guides\n/)]);
    expect((await groom('smooth', 'puffed', 'even', '--strength', '0.7')).err).toContain('reshaped 24 of 24 guides');
    expect((await groom('wrap', 'even', 'slick', '--distance', '5 mm')).code).toBe(0);
    const parted = await groom('part', 'slick', 'parted', '--curve', '0.05,0,0.1; 0.05,0.1,0.1', '--width', '2 cm');
    expect(parted.code).toBe(0);
    const { guideRoots } = decodeHairstyle(readFileSync(join(box.path, 'parted.hairstyle')), 'parted.hairstyle');
    guideRoots.section?.forEach((section, g) => {
      // on the top
      if (guideRoots.position[3 * g + 2] > 0.0999) expect(section).toBe(guideRoots.position[3 * g] > 0.05 ? 1 : 2);
    });
    const bad = await groom('part', 'slick', 'none', '--curve', '0.05,0,0.1');
    expect([bad.code, bad.err]).toEqual([2, expect.stringContaining('a parting needs two points or more')]);
    expect((await groom('puff', 'box', 'none')).err).toContain("required option '--height <length>' not specified");
    await box.run('groom', 'grow', 'box.obj', '--length', '4 cm', ...top, '--no-lay', '--out', 'bare.hairstyle');
    const bare = await groom('wrap', 'bare', 'none', '--distance', '5 mm');
    expect([bare.code, bare.err]).toEqual([2, expect.stringContaining('has no mesh with an inside')]);
  });

  it('grows hair, styles it, moves it and plays it back', async () => {
    const box = sandbox();
    box.write('roof.obj', 'v 0 0 0\nv 0.1 0 0.02\nv 0.1 0.1 0.02\nv 0 0.1 0\nf 1 2 3\nf 1 4 3\n');
    const grown = await box.run(
      'groom',
      'grow',
      'roof.obj',
      '--length',
      '6 cm',
      '--guides',
      '6',
      '--hairs',
      '50',
      '--hair',
      'wavy',
    );
    expect([grown.code, grown.err]).toEqual([
      0,
      'warning: roof.obj: 1 triangles faced the wrong way and were flipped\nwrote roof.hairstyle: 6 guides of 10 elements, 50 hairs\n',
    ]);
    const styled = await box.run(
      'groom',
      'cut',
      'roof.hairstyle',
      '--length',
      '5 cm',
      '--where',
      'x - 0.05',
      '--out',
      'cut.hairstyle',
    );
    expect(styled.err).toMatch(/^cut [1-5] of 6 guides/);
    expect(
      (
        await box.run(
          'groom',
          'comb',
          'cut.hairstyle',
          '--from',
          '0,0,0.05',
          '--to',
          '0.05,0,0.05',
          '--radius',
          '10 cm',
          '--force',
        )
      ).code,
    ).toBe(0);
    expect(
      (await box.run('groom', 'curl', 'cut.hairstyle', '--curl', '5 mm,-2 cm', '--out', 'curled.hairstyle')).code,
    ).toBe(0);
    expect(JSON.parse((await box.run('groom', 'info', 'curled.hairstyle', '--json')).out)).toMatchObject({
      guides: 6,
      hairs: 50,
    });
    expect((await box.run('groom', 'scene', 'curled.hairstyle')).code).toBe(0);
    expect((await box.run('run', 'curled.yaml', '--until', '40 ms', '--out', 'a', '--quiet')).code).toBe(0);
    const packed = await box.run('groom', 'pack', 'curled.hairstyle', 'a/recording.tendril');
    expect(packed.err).toMatch(/2 frames, [\d.e-]+ mm largest deviation/);
    const played = await box.run(
      'groom',
      'export',
      'curled.hairstyle',
      '--to',
      'usda',
      '--motion',
      'a/recording.motion',
    );
    expect(played.err).toBe('wrote curled.usda: 50 strands, 2 frames\n');
    const layered = await box.run(
      ...['groom', 'layer', 'curled.hairstyle', '--curl', '2 mm,-1 cm,0.5', '--clump', '9,0.6'],
      ...['--lengths', '0.7,1', '--out', 'layered.hairstyle'],
    );
    expect(layered.err).toMatch(
      /^layer 1: curl, radius 2 mm, pitch -10 mm, phase 0.5\nlayer 2: clump, 9 groups, strength 0.6, power 2\nwrote layered/,
    );
    const clump = { type: 'clump', count: 9, strength: 0.6 };
    await box.run('groom', 'layer', 'layered.hairstyle', '--remove', '1', '--force');
    const info = await box.run('groom', 'info', 'layered.hairstyle', '--json');
    expect(JSON.parse(info.out).layers).toEqual([clump]);
    const furry = await box.run(
      'groom',
      'grow',
      'roof.obj',
      '--preset',
      'fur',
      '--guides',
      '5',
      '--out',
      'fur.hairstyle',
    );
    expect(furry.err).toMatch(/wrote fur.hairstyle: 5 guides of 10 elements, 40000 hairs/);
    const bad: [string[], RegExp][] = [
      [['layer', 'layered.hairstyle', '--remove', '2', '--force'], /--remove 2: 'layered.hairstyle' has 1 layers/],
      [['layer', 'layered.hairstyle', '--clump', '9', '--force'], /Expected a number of groups/],
      [['layer', 'layered.hairstyle', '--clump', '9,2', '--force'], /layers: .*must be from 0 to 1/],
      [['grow', 'roof.obj', '--length', '-1', '--out', 'x.hairstyle'], /length: must be zero or more/],
      [['grow', 'roof.obj', '--length', '1', '--guides', '0'], /positive whole number/],
      [['grow', 'roof.obj', '--length', '1', '--density', 'q', '--out', 'x.hairstyle'], /density: unknown name 'q'/],
      [
        ['grow', 'roof.obj', '--preset', 'ponitail', '--out', 'x.hairstyle'],
        /there is no style 'ponitail'; did you mean 'ponytail'\?\nstyles: bob,/,
      ],
      [['grow', 'roof.obj', '--out', 'x.hairstyle'], /set the length of the hair, --length "20 cm", or a style/],
      [['cut', 'roof.hairstyle', '--length', '1'], /name the file to write/],
      [['info', 'roof.obj'], /not a Tendril hairstyle/],
    ];
    for (const [args, message] of bad) {
      const { code, err } = await box.run('groom', ...args);
      expect(code).toBe(2);
      expect(err).toMatch(message);
    }
  });
});

/** A roof of two triangles, y up, that is lifted by 0.1 m within 0.1 s. */
function roof(): Promise<Uint8Array> {
  const document = new Document();
  const buffer = document.createBuffer();
  const vectors = (values: readonly number[]): ReturnType<Document['createAccessor']> =>
    document.createAccessor().setType('VEC3').setArray(Float32Array.from(values)).setBuffer(buffer);
  const corners = [0, 0, 0, 0.1, 0.02, 0, 0.1, 0.02, -0.1, 0, 0, 0, 0.1, 0.02, -0.1, 0, 0, -0.1];
  const primitive = document.createPrimitive().setAttribute('POSITION', vectors(corners));
  const node = document.createNode('roof').setMesh(document.createMesh('roof').addPrimitive(primitive));
  document.createScene().addChild(node);
  const times = document.createAccessor().setType('SCALAR').setArray(Float32Array.of(0, 0.1)).setBuffer(buffer);
  const sampler = document
    .createAnimationSampler()
    .setInput(times)
    .setOutput(vectors([0, 0, 0, 0, 0.1, 0]));
  const channel = document
    .createAnimationChannel()
    .setTargetNode(node)
    .setTargetPath('translation')
    .setSampler(sampler);
  document.createAnimation('Lift').addSampler(sampler).addChannel(channel);
  return new WebIO().writeBinary(document);
}
