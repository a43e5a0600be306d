/**
 * Stiffness and mass of a cross-section. d1 and d2 are its axes; EI1 resists bending about d1, EI2 about d2.
 *
 * The torsion constant is the true one (Saint-Venant), not the polar moment, which is right for circles alone: an ellipse has
 * π a³b³/(a²+b²), a rectangle its series. Drawing, drag and contact use a single radius: that of the circle of equal area; for
 * a tube the outer one. A `stiffness` section without a radius gets that of the solid circle with the same EI/EA, or without
 * EA a two-hundredth of the length, for drawing only.
 */

import { SceneError } from '../errors.ts';
import { exp, pow } from '../math/rounded/index.ts';
import type { DampingSpec, MaterialSpec, RodSpec, Scene, SectionSpec, Varying } from './types.ts';
import type { Path, Profile, Requirement } from './varying.ts';
import { compileVarying, nonNegative, positive } from './varying.ts';

/** At one place of the rod. */
export interface SectionValues {
  /** [N]; Infinity if the scene does not give it. */
  readonly EA: number;
  /** [N m²] */
  readonly EI1: number;
  readonly EI2: number;
  readonly GJ: number;
  /** [kg/m] */
  readonly massPerLength: number;
  /** Polar inertia ρ·Ip [kg m] */
  readonly inertiaPerLength: number;
  /** [m] */
  readonly radius: number;
  /** [1/s] */
  readonly dampingMass: number;
  /** [s] */
  readonly dampingStiffness: number;
}

export interface CompiledSection {
  readonly at: (u: number) => SectionValues;
  /** False if the radius is invented for drawing. */
  readonly hasRadius: boolean;
  readonly hasEA: boolean;
  /** True if stiffness and mass follow from sizes of the section. */
  readonly hasGeometry: boolean;
}

/** Area, second moments ∫y² about d1 and d2, torsion constant, radius. */
interface Geometry {
  readonly area: number;
  readonly I1: number;
  readonly I2: number;
  readonly J: number;
  readonly radius: number;
}

const poisson: Requirement = {
  test: (value) => value > -1 && value <= 0.5,
  words: 'above −1 and at most 0.5 (Poisson ratio)',
};

/** Looks up a name; `path` is the field that contains it, for errors. */
export function lookUp<T extends object>(
  value: T | string,
  known: Readonly<Record<string, T>> | undefined,
  kind: string,
  path: Path,
): { spec: T; path: Path } {
  if (typeof value !== 'string') return { spec: value, path };
  if (known && Object.hasOwn(known, value)) return { spec: known[value], path: [`${kind}s`, value] };
  const names = Object.keys(known ?? {});
  const list = names.length > 0 ? `known: ${names.join(', ')}` : `the scene has no ${kind}s; add it under '${kind}s'`;
  throw new SceneError(path, `unknown ${kind} '${value}'; ${list}`);
}

/** St Venant's torsion constant of a rectangle with sides a, b [m⁴]. */
export function rectangleTorsion(a: number, b: number): number {
  const long = Math.max(a, b);
  const short = Math.min(a, b);
  // Σ tanh(nπ long/2 short)/n⁵ over odd n, as Σ 1/n⁵ = 31/32 ζ(5) less a tail that dies like exp(−nπ)
  let sum = (31 / 32) * 1.03692775514337;
  for (let n = 1; n <= 25; n += 2) sum -= 2 / (exp((n * Math.PI * long) / short) + 1) / pow(n, 5);
  return (long * pow(short, 3) * (1 - (192 / pow(Math.PI, 5)) * (short / long) * sum)) / 3;
}

function compileGeometry(
  spec: Exclude<SectionSpec, { type: 'stiffness' }>,
  length: number,
  path: Path,
): { constant: boolean; at: (u: number) => Geometry } {
  const read = (value: Varying, field: string, requirement = positive): Profile =>
    compileVarying(value, length, [...path, field], requirement);
  switch (spec.type) {
    case 'circle': {
      const radius = read(spec.radius, 'radius');
      return { constant: radius.constant, at: (u) => ellipse(radius.at(u), radius.at(u)) };
    }
    case 'ellipse': {
      const a = read(spec.a, 'a');
      const b = read(spec.b, 'b');
      return { constant: a.constant && b.constant, at: (u) => ellipse(a.at(u), b.at(u)) };
    }
    case 'annulus': {
      const outer = read(spec.outer, 'outer');
      const inner = read(spec.inner, 'inner', nonNegative);
      const at = (u: number): Geometry => {
        const R = outer.at(u);
        const r = inner.at(u);
        if (!(r < R))
          throw new SceneError(
            [...path, 'inner'],
            `the inner radius ${r} m is not smaller than the outer ${R} m at u = ${Number(u.toPrecision(6))}`,
          );
        const I = (Math.PI / 4) * (pow(R, 4) - pow(r, 4));
        return { area: Math.PI * (R * R - r * r), I1: I, I2: I, J: 2 * I, radius: R };
      };
      return { constant: outer.constant && inner.constant, at };
    }
    case 'rectangle': {
      const width = read(spec.width, 'width');
      const height = read(spec.height, 'height');
      const at = (u: number): Geometry => {
        const w = width.at(u);
        const h = height.at(u);
        return {
          area: w * h,
          I1: (w * pow(h, 3)) / 12,
          I2: (pow(w, 3) * h) / 12,
          J: rectangleTorsion(w, h),
          radius: Math.sqrt((w * h) / Math.PI),
        };
      };
      return { constant: width.constant && height.constant, at };
    }
  }
}

function ellipse(a: number, b: number): Geometry {
  return {
    area: Math.PI * a * b,
    I1: (Math.PI / 4) * a * pow(b, 3),
    I2: (Math.PI / 4) * pow(a, 3) * b,
    J: (Math.PI * pow(a, 3) * pow(b, 3)) / (a * a + b * b),
    radius: Math.sqrt(a * b),
  };
}

function compileDamping(
  spec: DampingSpec | undefined,
  length: number,
  path: Path,
): { mass: Profile; stiffness: Profile } {
  return {
    mass: compileVarying(spec?.mass ?? 0, length, [...path, 'damping', 'mass'], nonNegative),
    stiffness: compileVarying(spec?.stiffness ?? 0, length, [...path, 'damping', 'stiffness'], nonNegative),
  };
}

/** Admissible stiffness and mass per length: outside this range products of them overflow or underflow. */
const computable = { least: 1e-100, most: 1e100 };

/** Wraps the function with a check of its values, and evaluates a constant section only once; `path`: the section's field. */
function remember(constant: boolean, at: (u: number) => SectionValues, path: Path): (u: number) => SectionValues {
  const checked = (u: number): SectionValues => {
    const values = at(u);
    for (const name of ['EI1', 'EI2', 'GJ', 'massPerLength'] as const) {
      if (values[name] >= computable.least && values[name] <= computable.most) continue;
      const range = `${computable.least} to ${computable.most}`;
      throw new SceneError(
        path,
        `its ${name} is ${values[name]} in SI units; it must be in the range ${range}: check its units`,
      );
    }
    return values;
  };
  if (!constant) return checked;
  const values = checked(0.5);
  return () => values;
}

export function compileSection(rod: RodSpec, scene: Scene, length: number, path: Path): CompiledSection {
  if (rod.section === undefined)
    throw new SceneError([...path, 'section'], 'the rod has no section; give one, or a hair type');
  const section = lookUp(rod.section, scene.sections, 'section', [...path, 'section']);
  if (section.spec.type === 'stiffness') return compileStiffness(section.spec, length, section.path);
  const { spec } = section;
  if (rod.material === undefined) {
    throw new SceneError(
      [...path, 'material'],
      `a '${spec.type}' section needs a material (E, one of G and nu, density); or use a 'stiffness' section`,
    );
  }
  const material = lookUp<MaterialSpec>(rod.material, scene.materials, 'material', [...path, 'material']);
  const at = material.path;
  const { G, nu } = material.spec;
  if ((G === undefined) === (nu === undefined)) {
    throw new SceneError(
      at,
      G === undefined ? 'neither G nor nu is given; give one of them' : 'both G and nu are given; give one of them',
    );
  }
  const geometry = compileGeometry(spec, length, section.path);
  const E = compileVarying(material.spec.E, length, [...at, 'E'], positive);
  const shear = G === undefined ? undefined : compileVarying(G, length, [...at, 'G'], positive);
  const ratio = nu === undefined ? undefined : compileVarying(nu, length, [...at, 'nu'], poisson);
  const density = compileVarying(material.spec.density, length, [...at, 'density'], positive);
  const damping = compileDamping(material.spec.damping, length, at);
  const profiles = [E, shear, ratio, density, damping.mass, damping.stiffness];
  const constant = geometry.constant && profiles.every((profile) => profile === undefined || profile.constant);
  const values = (u: number): SectionValues => {
    const { area, I1, I2, J, radius } = geometry.at(u);
    const e = E.at(u);
    const g = shear ? shear.at(u) : e / (2 * (1 + (ratio as Profile).at(u)));
    const rho = density.at(u);
    return {
      EA: e * area,
      EI1: e * I1,
      EI2: e * I2,
      GJ: g * J,
      massPerLength: rho * area,
      inertiaPerLength: rho * (I1 + I2),
      radius,
      dampingMass: damping.mass.at(u),
      dampingStiffness: damping.stiffness.at(u),
    };
  };
  return { at: remember(constant, values, section.path), hasRadius: true, hasEA: true, hasGeometry: true };
}

function compileStiffness(
  spec: SectionSpec & { readonly type: 'stiffness' },
  length: number,
  path: Path,
): CompiledSection {
  const read = (value: Varying, field: string, requirement = positive): Profile =>
    compileVarying(value, length, [...path, field], requirement);
  const optional = (value: Varying | undefined, field: string, requirement = positive): Profile | undefined =>
    value === undefined ? undefined : read(value, field, requirement);
  const EA = optional(spec.EA, 'EA');
  const EI1 = read(spec.EI1, 'EI1');
  const EI2 = optional(spec.EI2, 'EI2') ?? EI1;
  const GJ = read(spec.GJ, 'GJ');
  const mass = read(spec.mass, 'mass');
  const inertia = read(spec.inertia ?? 0, 'inertia', nonNegative);
  const radius = optional(spec.radius, 'radius');
  const damping = compileDamping(spec.damping, length, path);
  const profiles = [EA, EI1, EI2, GJ, mass, inertia, radius, damping.mass, damping.stiffness];
  const values = (u: number): SectionValues => {
    const ea = EA ? EA.at(u) : Number.POSITIVE_INFINITY;
    const invented = EA ? 2 * Math.sqrt(Math.sqrt(EI1.at(u) * EI2.at(u)) / ea) : length / 200;
    return {
      EA: ea,
      EI1: EI1.at(u),
      EI2: EI2.at(u),
      GJ: GJ.at(u),
      massPerLength: mass.at(u),
      inertiaPerLength: inertia.at(u),
      radius: radius ? radius.at(u) : invented,
      dampingMass: damping.mass.at(u),
      dampingStiffness: damping.stiffness.at(u),
    };
  };
  const constant = profiles.every((profile) => profile === undefined || profile.constant);
  return {
    at: remember(constant, values, path),
    hasRadius: radius !== undefined || EA !== undefined,
    hasEA: EA !== undefined,
    hasGeometry: false,
  };
}
