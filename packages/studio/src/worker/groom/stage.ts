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
  curlHairstyle,
  cutHairstyle,
  dragPoints,
  growHairstyle,
  guideClearance,
  type Hairs,
  type Hairstyle,
  hairsOf,
  hairTypes,
  layCurve,
  layHairstyle,
  placesPerElement,
  poseGuides,
  reshapeHairstyle,
  SceneError,
  type Surface,
} from '@tendril-sim/core';
import { decodeHairstyle, encodeHairstyle, InputError } from '@tendril-sim/io';
import type { GroomAction, Groomed, GroomFacts, GroomSettings, KeptGroom, Recipe } from '../../groomTypes.ts';
import { type ColliderInfo, statNames } from '../../protocol.ts';
import { addAction, recordStroke, strokesOf } from '../../recipe.ts';
import { describeHairs, hairNodes, packHairs, placeHairs } from './draw.ts';
import { builtIn, colliderOf, type Head, readHead } from './head.ts';
import { leanAt } from './heads.ts';
import { sceneOfStyle } from './scene.ts';

const historyDepth = 60;

interface Step {
  readonly style: Hairstyle;
  readonly settings: GroomSettings;
  /** What led here; the same setting again takes the place of this step. */
  readonly what: string;
  /** From the bare head to here; undefined where a file was opened on the way. */
  readonly recipe: Recipe | undefined;
}

/** Guides as they are seen. */
interface Pose {
  readonly nodes: number;
  readonly perElement: number;
  readonly position: Float64Array;
}

/** Settings that concern the hairs alone: what was styled stays. */
const ofHairs: ReadonlySet<string> = new Set(['hairs', 'clump']);

export interface GroomStage {
  /** The head as it is seen. */
  readonly head: ColliderInfo | undefined;
  act(action: GroomAction): Groomed;
}

export function createGroomStage(): GroomStage {
  let head: Head | undefined;
  let steps: Step[] = [];
  let at = -1;
  let pose: Pose | undefined;
  let hairs: Hairs | undefined;
  let drawnHairs = '';
  /** Guides that the stroke has touched. */
  let touched = new Set<number>();
  /** Such a stroke changes this style; a step is kept when it ends. */
  let working: Hairstyle | undefined;
  /** Where the brush has been [m], three numbers a point. */
  const brushPath: number[] = [];

  const keep = (style: Hairstyle, settings: GroomSettings, what: string, recipe: Recipe | undefined): void => {
    const next: Step = { style, settings, what, recipe };
    if (what !== '' && steps[at]?.what === what) steps = [...steps.slice(0, at), next];
    else {
      steps = [...steps.slice(Math.max(0, at + 2 - historyDepth), at + 1), next];
      at = steps.length - 1;
    }
    shape(style);
  };

  /** Finds out how a style is seen. */
  const shape = (style: Hairstyle): void => {
    // even, so that every element has a place in its middle, from which helices can be fitted again
    const perElement = 2 * Math.ceil(placesPerElement(style) / 2);
    const { nodes, position } = poseGuides(style, perElement);
    pose = { nodes, perElement, position };
    if (head?.field) {
      for (let g = 0; g < style.guideRoots.count; g++)
        layCurve(position, { first: 3 * nodes * g, nodes }, head.field, guideClearance);
    }
    hairs = hairsOf(style);
  };

  const present = (): Step => {
    if (!steps[at]) throw new SceneError([], 'nothing has been grown yet');
    return steps[at];
  };

  const show = (begin: number, note?: string): Groomed => {
    const { settings } = present();
    const style = working ?? present().style;
    if (!pose || !hairs || !head) throw new SceneError([], 'nothing has been grown yet');
    const nodes = hairNodes(hairs.count, pose.nodes);
    const position = placeHairs(hairs, pose, nodes, head.field);
    const data = packHairs(position, hairs.count, nodes);
    const frame = { time: 0, lanes: [{ data, stats: new Float64Array(statNames.length), cost: 0 }] };
    const key = `${head.name} ${hairs.count} ${nodes}`;
    const longest = style.length.reduce((most, value) => Math.max(most, value), 0);
    const facts: GroomFacts = {
      settings,
      head: head.name,
      guides: style.guideRoots.count,
      hairs: hairs.count,
      elements: style.elements,
      length: [style.length.reduce((least, value) => Math.min(least, value), Infinity), longest],
      canUndo: at > 0,
      canRedo: at < steps.length - 1,
      spent: performance.now() - begin,
      ...(note !== undefined && { note }),
    };
    if (key === drawnHairs) return { facts, frame };
    drawnHairs = key;
    return {
      facts,
      frame,
      loaded: {
        lanes: [
          {
            variant: { id: '', label: 'hair' },
            refused: undefined,
            rods: describeHairs(hairs, nodes, position, style.fiber, longest),
            bodies: [],
            pins: [],
            moving: [],
            warnings: [],
          },
        ],
        time: { duration: 1, step: 1 / 60 },
        kept: 'restarted',
        start: 0,
        controls: [],
        values: {},
        colliders: [colliderOf(head, settings.scalp)],
        gravity: [0, 0, -9.81],
        title: 'Hair on a head',
        look: [0.62, -1, 0.18],
      },
    };
  };

  const grow = (settings: GroomSettings, what: string): string | undefined => {
    if (!head) throw new SceneError([], 'there is nothing to grow hair on');
    const density = compileSurfaceMap(settings.scalp, 'scalp');
    const count = { count: settings.hairs, density, clump: settings.clump };
    const before = steps[at];
    if (before && ofHairs.has(what)) {
      const recipe = addAction(before.recipe, { kind: 'hairs', hairs: settings.hairs, clump: settings.clump });
      keep(addHairs(before.style, head.surface, count), settings, what, recipe);
      return undefined;
    }
    const { lie } = settings;
    const { name } = head;
    const { style, report } = growHairstyle(head.surface, {
      guides: { count: settings.guides, spread: true, density },
      length: settings.length,
      lengthJitter: settings.jitter,
      hair: settings.hair,
      // made straight: a curl that cannot be seen in place of the type's
      curl: curlOf(settings) ?? (hairTypes[settings.hair].curl && { radius: 1e-9, pitch: 1e6 }),
      phaseJitter: settings.frizz,
      lean: ({ position }) => leanAt(name, lie, Array.from(position)),
      hairs: count,
    });
    keep(style, settings, what, name === 'head' || name === 'ball' ? { head: name, settings, actions: [] } : undefined);
    return report.failed ? `${report.failed} strands found no rest and stay as they were` : undefined;
  };

  const openHead = (next: Head, settings: GroomSettings): string | undefined => {
    head = next;
    drawnHairs = '';
    return grow(settings, '');
  };

  /** Guides that come near the way of the brush, and how far along they first do [m]. */
  const near = (from: readonly number[], to: readonly number[], radius: number): Map<number, number> => {
    const { style } = present();
    const found = new Map<number, number>();
    if (!pose) return found;
    const { nodes, position } = pose;
    const lengths = (working ?? style).length;
    for (let g = 0; g < lengths.length; g++) {
      for (let i = 1; i < nodes; i++) {
        if (distanceTo(position, 3 * (nodes * g + i), from, to) > radius) continue;
        found.set(g, (lengths[g] * (i - 0.5)) / (nodes - 1));
        break;
      }
    }
    return found;
  };

  const stroke = (action: Extract<GroomAction, { kind: 'stroke' }>): string | undefined => {
    const { settings, style } = present();
    working ??= style;
    const { brush, from, to, radius, strength, end } = action;
    if (brushPath.length === 0) brushPath.push(...from);
    brushPath.push(...to);
    if (brush === 'comb') {
      if (!pose) return undefined;
      const { nodes, position } = pose;
      for (let g = 0; g < style.guideRoots.count; g++) {
        const own = position.subarray(3 * nodes * g, 3 * nodes * (g + 1));
        if (!dragPoints(own, from, to, radius, strength)) continue;
        if (head?.field) layCurve(position, { first: 3 * nodes * g, nodes }, head.field, 0.5 * guideClearance);
        touched.add(g);
      }
    } else if (brush === 'cut') {
      for (const [g, length] of near(from, to, radius)) {
        touched.add(g);
        const only = new Float64Array(style.guideRoots.count);
        only[g] = 1;
        working = cutHairstyle(working, { length: Math.max(length, 0.004), where: only }).style;
      }
      shape(working);
    } else {
      const where = new Float64Array(style.guideRoots.count);
      for (const g of near(from, to, radius).keys()) {
        if (touched.has(g)) continue;
        where[g] = 1;
        touched.add(g);
      }
      if (where.some((value) => value > 0)) {
        const curl = brush === 'curl' ? curlOf(action.settings) : undefined;
        working = curlHairstyle(working, { curl, where }).style;
        shape(working);
      }
    }
    return end ? endStroke(action, settings) : undefined;
  };

  const endStroke = (action: Extract<GroomAction, { kind: 'stroke' }>, settings: GroomSettings): string | undefined => {
    const { brush } = action;
    const list = touched;
    const result = working;
    const recipe = addAction(present().recipe, recordStroke(action, brushPath));
    dropStroke();
    if (list.size === 0 || !result) return 'no hair was near the brush';
    if (brush !== 'comb') {
      keep(result, settings, '', recipe);
      return `${list.size} strands`;
    }
    const { style, report } = reshapeHairstyle(result, shapesOf(list));
    keep(style, settings, '', recipe);
    const soft = report.unstable > 0 ? `; ${report.unstable} are too soft to stay so and will sag` : '';
    return `${report.combed} strands combed${soft}`;
  };

  /** What is seen of guides, two places an element. */
  const shapesOf = (list: Iterable<number>): Map<number, Float64Array> => {
    const shapes = new Map<number, Float64Array>();
    if (!pose) return shapes;
    const { nodes, perElement, position } = pose;
    const stride = perElement / 2;
    for (const g of list) {
      const points = new Float64Array((3 * (nodes - 1)) / stride + 3);
      for (let i = 0; i < points.length / 3; i++)
        for (let k = 0; k < 3; k++) points[3 * i + k] = position[3 * (nodes * g + i * stride) + k];
      shapes.set(g, points);
    }
    return shapes;
  };

  const trim = (length: number): string => {
    const { style, settings, recipe } = present();
    const { style: shorter, cut } = cutHairstyle(style, { length });
    keep(shorter, settings, '', addAction(recipe, { kind: 'trim', length }));
    return `${cut} strands were longer`;
  };

  const dropStroke = (): void => {
    working = undefined;
    touched = new Set();
    brushPath.length = 0;
  };

  /** As it was left. */
  const recall = ({ style: bytes, settings, head: name, mesh, recipe }: KeptGroom): void => {
    const style = decodeHairstyle(bytes, 'the hair that was kept');
    head = mesh ? readHead(mesh, name) : builtIn(name === 'ball' ? 'ball' : 'head');
    drawnHairs = '';
    steps = [];
    at = -1;
    keep(style, settings, '', recipe);
  };

  /** All that was done, once more. */
  const replay = ({ head: id, settings, actions }: Recipe): string | undefined => {
    let note = openHead(builtIn(id), settings);
    for (const action of actions) {
      if (action.kind === 'hairs') grow({ ...present().settings, hairs: action.hairs, clump: action.clump }, 'hairs');
      else if (action.kind === 'trim') note = trim(action.length);
      else for (const one of strokesOf(action, present().settings)) note = stroke(one);
    }
    return note;
  };

  const travel = (by: number): void => {
    at = Math.min(steps.length - 1, Math.max(0, at + by));
    dropStroke();
    shape(present().style);
  };

  const act = (action: GroomAction): Groomed => {
    const begin = performance.now();
    let note: string | undefined;
    switch (action.kind) {
      case 'open':
        note = openHead(builtIn(action.head), action.settings);
        break;
      case 'mesh':
        note = openHead(readHead(new Uint8Array(action.bytes), action.name), action.settings);
        break;
      case 'grow':
        note = grow(action.settings, action.what);
        break;
      case 'stroke':
        note = stroke(action);
        break;
      case 'trim':
        note = trim(action.length);
        break;
      case 'undo':
        travel(-1);
        break;
      case 'redo':
        travel(1);
        break;
      case 'show':
        drawnHairs = '';
        break;
      case 'save':
        return { bytes: encodeHairstyle(present().style, 'studio') };
      case 'load': {
        head ??= builtIn('head');
        const style = decodeHairstyle(new Uint8Array(action.bytes), action.name);
        const settings = settingsOf(style, present().settings);
        keep(style.hairRoots ? style : withHairs(style, head.surface, settings), settings, '', undefined);
        break;
      }
      case 'keep':
        return { kept: keptOf(present(), head) };
      case 'recall':
        recall(action.kept);
        break;
      case 'replay':
        note = replay(action.recipe);
        break;
      case 'simulate': {
        if (!head) throw new SceneError([], 'there is nothing to grow hair on');
        const { style, recipe } = present();
        const scene = sceneOfStyle(
          head.field ? layHairstyle(style, head.field).style : style,
          head.coarse,
          action.motion,
        );
        return { ...scene, ...(recipe && { recipe }) };
      }
    }
    return show(begin, note);
  };

  return {
    get head() {
      return head && colliderOf(head, present().settings.scalp);
    },
    act(action) {
      try {
        return act(action);
      } catch (error) {
        if (!(error instanceof SceneError || error instanceof InputError)) throw error;
        dropStroke();
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
    ...(recipe && { recipe }),
  };
}

function curlOf({ radius, pitch }: GroomSettings): { radius: number; pitch: number } | undefined {
  return radius > 0 ? { radius, pitch } : undefined;
}

function withHairs(style: Hairstyle, surface: Surface, settings: GroomSettings): Hairstyle {
  const density = compileSurfaceMap(settings.scalp, 'scalp');
  return addHairs(style, surface, { count: settings.hairs, density, clump: settings.clump });
}

/** What a file says, as settings, as far as it says it. */
function settingsOf(style: Hairstyle, before: GroomSettings): GroomSettings {
  return {
    ...before,
    ...(style.hair && { hair: style.hair }),
    guides: style.guideRoots.count,
    hairs: style.hairRoots?.count ?? before.hairs,
    length: style.length.reduce((most, value) => Math.max(most, value), 0),
    clump: style.hairOptions?.clump ?? 0,
  };
}

function distanceTo(p: Float64Array, o: number, a: readonly number[], b: readonly number[]): number {
  const [abx, aby, abz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const [x, y, z] = [p[o] - a[0], p[o + 1] - a[1], p[o + 2] - a[2]];
  const square = abx * abx + aby * aby + abz * abz;
  const t = square > 0 ? Math.min(1, Math.max(0, (x * abx + y * aby + z * abz) / square)) : 0;
  return Math.hypot(x - t * abx, y - t * aby, z - t * abz);
}
