/**
 * A head with hair in the making. Styles are plain data and every change gives a new one, so that undo is a list of them.
 *
 * What is seen are the guides as they hang, laid over the head where they would go into it, and hairs between them. Laying over is
 * for the eye: it is done on polylines, which takes milliseconds. While a comb moves, it moves those polylines; when it is taken
 * off, helices are fitted to them. A scene that is made of the style starts from helices that are fitted to what is seen.
 */
import {
  addHairs,
  compileSurfaceMap,
  createPreset,
  cutHairstyle,
  growHairstyle,
  type Hairstyle,
  hairTypes,
  layHairstyle,
  SceneError,
  type StylePreset,
  type Surface,
} from '@tendril-sim/core';
import { decodeHairstyle, encodeHairstyle, InputError } from '@tendril-sim/io';
import type { GroomAction, Groomed, GroomSettings, KeptGroom, Recipe } from '../../groomTypes.ts';
import type { ColliderInfo } from '../../protocol.ts';
import { addAction, strokesOf } from '../../recipe.ts';
import { builtIn, colliderOf, guessScalp, type Head, paintHead, readHead } from './head.ts';
import { leanAt } from './heads.ts';
import { reshape } from './reshape.ts';
import { sceneOfStyle } from './scene.ts';
import { show } from './show.ts';
import { createStage, dropStroke, keepStep, presentOf, type Stage, type Step, travel } from './stageState.ts';
import { curlOf, stroke } from './strokes.ts';

/** Settings that concern the hairs alone: what was styled stays. */
const ofHairs: ReadonlySet<string> = new Set(['hairs', 'clump']);

export interface GroomStage {
  /** The head as it is seen. */
  readonly head: ColliderInfo | undefined;
  act(action: GroomAction): Groomed;
}

/** Grows hair by the settings, of which `what` has changed. Returns a note for the page. */
function grow(stage: Stage, settings: GroomSettings, what: string): string | undefined {
  const { head, steps, at } = stage;
  if (!head) throw new SceneError([], 'there is nothing to grow hair on');
  const before = steps[at];
  if (before && ofHairs.has(what)) {
    const recipe = addAction(before.recipe, { kind: 'hairs', hairs: settings.hairs, clump: settings.clump });
    keepStep(stage, { style: withHairs(before.style, head.surface, settings), settings, what, recipe });
    return undefined;
  }
  const { name } = head;
  const { style, failed } = settings.preset
    ? growPreset(head, settings.preset, settings)
    : growBySettings(head, settings);
  const grown = settings.preset ? { ...settingsOf(style, settings), preset: settings.preset } : settings;
  const recipe: Recipe | undefined =
    name === 'head' || name === 'ball' ? { head: name, settings: grown, actions: [] } : undefined;
  keepStep(stage, { style, settings: grown, what, recipe });
  return failed ? `${failed} strands found no rest and stay as they were` : undefined;
}

/** A grown style, and how many guides found no equilibrium. */
interface Grown {
  readonly style: Hairstyle;
  readonly failed: number | undefined;
}

/** A style by name, with as many hairs as the settings say. */
function growPreset({ surface, field }: Head, name: StylePreset, { hairs }: GroomSettings): Grown {
  const { grow: options, shape, trim: cut } = createPreset(surface, name);
  const { style, report } = growHairstyle(surface, {
    ...options,
    ...(options.hairs && { hairs: { ...options.hairs, count: hairs } }),
  });
  const laid = shape ? shape(style, field) : field ? layHairstyle(style, field).style : style;
  return { style: cut?.(laid) ?? laid, failed: report.failed };
}

function growBySettings({ surface, name }: Head, settings: GroomSettings): Grown {
  const density = compileSurfaceMap(settings.scalp, 'scalp');
  const { lie } = settings;
  const { style, report } = growHairstyle(surface, {
    guides: { count: settings.guides, spread: true, density },
    length: settings.length,
    lengthJitter: settings.jitter,
    hair: settings.hair,
    // made straight: a curl that cannot be seen in place of the type's
    curl: curlOf(settings) ?? (hairTypes[settings.hair].curl && { radius: 1e-9, pitch: 1e6 }),
    phaseJitter: settings.frizz,
    lean: ({ position }) => leanAt(name, lie, Array.from(position)),
    hairs: { count: settings.hairs, density, clump: settings.clump },
  });
  return { style, failed: report.failed };
}

function openHead(stage: Stage, head: Head, settings: GroomSettings): string | undefined {
  stage.head = head;
  stage.drawnHairs = '';
  return grow(stage, settings, '');
}

function openMesh(stage: Stage, { bytes, name, settings }: Extract<GroomAction, { kind: 'mesh' }>): string | undefined {
  const head = readHead(new Uint8Array(bytes), name);
  return openHead(stage, head, { ...settings, scalp: settings.scalp || guessScalp(head) });
}

/** Grows hair where a picture on the mesh is bright. */
function paint(stage: Stage, { bytes, name }: Extract<GroomAction, { kind: 'texture' }>): string | undefined {
  const { settings } = presentOf(stage);
  if (!stage.head) throw new SceneError([], 'there is nothing to grow hair on');
  const painted = paintHead(stage.head, new Uint8Array(bytes), name);
  return openHead(stage, painted, { ...settings, scalp: '(r + g + b) / 3' });
}

function trim(stage: Stage, length: number): string {
  const { style, settings, recipe } = presentOf(stage);
  const { style: shorter, cut } = cutHairstyle(style, { length });
  keepStep(stage, { style: shorter, settings, what: '', recipe: addAction(recipe, { kind: 'trim', length }) });
  return `${cut} strands were longer`;
}

/** As it was left. */
function recall(stage: Stage, { style: bytes, settings, head: name, mesh, texture, recipe }: KeptGroom): void {
  const style = decodeHairstyle(bytes, 'the hair that was kept');
  const bare = mesh ? readHead(mesh, name) : builtIn(name === 'ball' ? 'ball' : 'head');
  stage.head = texture ? paintHead(bare, texture, 'the texture that was kept') : bare;
  stage.drawnHairs = '';
  stage.steps = [];
  stage.at = -1;
  keepStep(stage, { style, settings, what: '', recipe });
}

/** A style from a file. */
function load(stage: Stage, { bytes, name }: Extract<GroomAction, { kind: 'load' }>): void {
  stage.head ??= builtIn('head');
  const style = decodeHairstyle(new Uint8Array(bytes), name);
  const settings = settingsOf(style, presentOf(stage).settings);
  const whole = style.hairRoots ? style : withHairs(style, stage.head.surface, settings);
  keepStep(stage, { style: whole, settings, what: '', recipe: undefined });
}

/** All that was done, once more. */
function replay(stage: Stage, { head: id, settings, actions }: Recipe): string | undefined {
  let note = openHead(stage, builtIn(id), settings);
  for (const action of actions) {
    const { settings: present } = presentOf(stage);
    if (action.kind === 'hairs') grow(stage, { ...present, hairs: action.hairs, clump: action.clump }, 'hairs');
    else if (action.kind === 'trim') note = trim(stage, action.length);
    else if (action.kind === 'shape') note = reshape(stage, action);
    else for (const one of strokesOf(action, present)) note = stroke(stage, one);
  }
  return note;
}

function simulate(stage: Stage, { motion }: Extract<GroomAction, { kind: 'simulate' }>): Groomed {
  const { head } = stage;
  if (!head) throw new SceneError([], 'there is nothing to grow hair on');
  const { style, recipe } = presentOf(stage);
  const scene = sceneOfStyle(head.field ? layHairstyle(style, head.field).style : style, head, motion);
  return { ...scene, ...(recipe && { recipe }) };
}

/** Changes the style as an action asks. Returns a note for the page. */
function change(stage: Stage, action: GroomAction): string | undefined {
  switch (action.kind) {
    case 'open':
      return openHead(stage, builtIn(action.head), action.settings);
    case 'mesh':
      return openMesh(stage, action);
    case 'texture':
      return paint(stage, action);
    case 'grow':
      return grow(stage, action.settings, action.what);
    case 'stroke':
      return stroke(stage, action);
    case 'trim':
      return trim(stage, action.length);
    case 'shape':
      return reshape(stage, action);
    case 'replay':
      return replay(stage, action.recipe);
    case 'undo':
      travel(stage, -1);
      return undefined;
    case 'redo':
      travel(stage, 1);
      return undefined;
    case 'load':
      load(stage, action);
      return undefined;
    case 'recall':
      recall(stage, action.kept);
      return undefined;
    case 'show':
      stage.drawnHairs = '';
      return undefined;
    default:
      return undefined;
  }
}

function act(stage: Stage, action: GroomAction): Groomed {
  const begin = performance.now();
  if (action.kind === 'save') return { bytes: encodeHairstyle(presentOf(stage).style, 'studio') };
  if (action.kind === 'keep') return { kept: keptOf(presentOf(stage), stage.head) };
  if (action.kind === 'simulate') return simulate(stage, action);
  return show(stage, begin, change(stage, action));
}

export function createGroomStage(): GroomStage {
  const stage = createStage();
  return {
    get head() {
      return stage.head && colliderOf(stage.head, presentOf(stage).settings.scalp);
    },
    act(action) {
      try {
        return act(stage, action);
      } catch (error) {
        if (!(error instanceof SceneError || error instanceof InputError)) throw error;
        dropStroke(stage);
        return { error: error.message };
      }
    },
  };
}

function keptOf({ style, settings, recipe }: Step, head: Head | undefined): KeptGroom {
  return {
    style: encodeHairstyle(style, 'studio'),
    settings,
    head: head?.name ?? 'head',
    ...(head?.file && { mesh: head.file }),
    ...(head?.texture && { texture: head.texture }),
    ...(recipe && { recipe }),
  };
}

/** The style with other hairs: their layers stay. */
function withHairs(
  style: Hairstyle,
  surface: Surface,
  { preset, scalp, hairs: count, clump }: GroomSettings,
): Hairstyle {
  const density = preset ? createPreset(surface, preset).grow.hairs?.density : compileSurfaceMap(scalp, 'scalp');
  const { seed, ...options } = style.hairOptions ?? {};
  return addHairs(style, surface, { ...options, count, density, clump }, seed);
}

/** What a file says, as settings, as far as it says it. */
function settingsOf(style: Hairstyle, { preset: _, ...before }: GroomSettings): GroomSettings {
  return {
    ...before,
    ...(style.hair && { hair: style.hair }),
    guides: style.guideRoots.count,
    hairs: style.hairRoots?.count ?? before.hairs,
    length: style.length.reduce((most, value) => Math.max(most, value), 0),
    clump: style.hairOptions?.clump ?? 0,
  };
}
