/** A new scene from curves: a few curves are written into the scene, many stay in their file. */
import { meanRadius, pointsOf } from '../resolve.ts';
import type { StrandsSpec } from '../schema/files.ts';
import type { Curves } from './curves.ts';

/** Materials by name, in the words of a scene. */
export const importMaterials = {
  hair: '{ E: 3.58 GPa, G: 1.07 GPa, density: 1.32 g/cm^3 } # human hair',
  nylon: '{ E: 2.7 GPa, nu: 0.4, density: 1.14 g/cm^3 }',
  rubber: '{ E: 5 MPa, nu: 0.5, density: 1200 kg/m^3, damping: { stiffness: 5 ms } }',
  steel: '{ E: 200 GPa, nu: 0.3, density: 7850 kg/m^3 }',
} as const;

/** Material that imported curves get. */
export type ImportMaterial = keyof typeof importMaterials;

/** How curves become rods. */
export interface ImportOptions
  extends Pick<StrandsSpec, 'unit' | 'up' | 'every' | 'count' | 'model' | 'edges' | 'root'> {
  /** Of files that move: the nth frame, which the scene calls `sample`; negative counts from the end. Default 0. */
  readonly frame?: number;
  /** Default hair. */
  readonly material?: ImportMaterial;
  /** [m]; default: as the file says, else 0.03 mm. */
  readonly radius?: number;
  /** Curves in the scene itself (`inline`) or by the name of their file. Default: inline for few. */
  readonly refer?: boolean;
}

const inlineCurves = 20;
const inlinePoints = 2000;

/** Text of a scene file. `curves` are those of the file, in metres with z up; `file` is its name from the scene's folder. */
export function formatCurveScene(curves: Curves, file: string, options: ImportOptions = {}): string {
  const { material = 'hair', root = 'clamp' } = options;
  const few = curves.counts.length <= inlineCurves && curves.position.length / 3 <= inlinePoints;
  const lines = [
    `tendril: 1`,
    `title: ${JSON.stringify(`Curves of ${file}`)}`,
    `gravity: [0, 0, -9.81]`,
    '',
    'materials:',
    `  ${material}: ${importMaterials[material]}`,
    '',
    ...((options.refer ?? !few) ? reference(curves, file, material, options) : inline(curves, material, root, options)),
    '',
    'time: { duration: 1 s, step: 2 ms }',
    'output: { every: 40 ms }',
    '',
  ];
  return lines.join('\n');
}

const usualRadius = 3e-5;

function reference(curves: Curves, file: string, material: string, options: ImportOptions): string[] {
  const { unit, up, frame, every, count, model, edges, root, radius } = options;
  const needsSection = radius !== undefined || !curves.radius;
  const field = (name: string, value: unknown): string[] =>
    value === undefined ? [] : [`    ${name}: ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`];
  return [
    'strands:',
    `  - file: ${JSON.stringify(file)}`,
    ...field('unit', unit),
    ...field('up', up),
    ...field('sample', frame),
    ...field('every', every),
    ...field('count', count),
    ...field('model', model),
    ...field('edges', edges),
    ...(needsSection ? [`    section: { type: circle, radius: ${radius ?? usualRadius} }`] : []),
    `    material: ${material}`,
    ...field('root', root),
  ];
}

function inline(curves: Curves, material: string, root: string, options: ImportOptions): string[] {
  const { every = 1, count = Infinity, model, edges, radius } = options;
  const names = uniqueIds(curves);
  const rods: string[] = [];
  const pins: string[] = [];
  let first = 0;
  for (let c = 0, taken = 0; c < curves.counts.length && taken < count; c++) {
    const points = curves.counts[c];
    if (c % every === 0) {
      taken++;
      const thick = radius ?? (curves.radius ? meanRadius(curves, first, points) : usualRadius);
      rods.push(
        `  - id: ${JSON.stringify(names[c])}`,
        ...(model ? [`    model: ${model}`] : []),
        ...(edges ? [`    edges: ${edges}`] : []),
        ...(curves.closed[c] === 1 ? ['    closed: true'] : []),
        `    section: { type: circle, radius: ${short(thick)} }`,
        `    material: ${material}`,
        '    shape:',
        '      type: points',
        '      points:',
        ...pointsOf(curves, first, points).map((point) => `        - [${point.map(short).join(', ')}]`),
      );
      if (root !== 'free' && curves.closed[c] !== 1)
        pins.push(`  - { rod: ${JSON.stringify(names[c])}, at: start, hold: ${root} }`);
    }
    first += points;
  }
  return ['rods:', ...rods, ...(pins.length > 0 ? ['', 'pins:', ...pins] : [])];
}

function uniqueIds({ counts, names }: Curves): string[] {
  const taken = new Set<string>();
  return Array.from(counts, (_, c) => {
    const wanted = names?.[c] || `curve-${c}`;
    const id = taken.has(wanted) ? `${wanted}-${c}` : wanted;
    taken.add(id);
    return id;
  });
}

function short(value: number): number {
  return Number(value.toPrecision(12));
}
