/**
 * Light scattered by a hair: reflection, transmission, and one and more internal reflections, each a lobe along and around the hair [Chiang2016].
 *
 * Local axes: x along the hair, y the normal of the surface at the hit. Directions point away from the hair. Energy is conserved: without absorption all
 * lobes sum to 1.
 */
import { asin, atan2, cos, exp, log, pow, sin, square } from '@tendril-sim/core/math';
import type { Triple } from './types.ts';

/** Lobes: reflection, transmission, internal reflection, and the rest. */
const lobes = 4;
const refraction = 1.55;
/** Roughness along and around the hair, 0…1, and the tilt of its scales [rad]. */
const along = 0.3;
const around = 0.32;
const tilt = (2.2 * Math.PI) / 180;

const deviation = 0.726 * along + 0.812 * along * along + 3.7 * pow(along, 20);
const variance0 = deviation * deviation;
const variances = [variance0, variance0 / 4, 4 * variance0, 4 * variance0] as const;
const width = Math.sqrt(Math.PI / 8) * (0.265 * around + 1.194 * around * around + 5.372 * pow(around, 22));

const sineTilt = [sin(tilt), sin(2 * tilt), sin(4 * tilt)] as const;
const cosineTilt = [cos(tilt), cos(2 * tilt), cos(4 * tilt)] as const;

/** Absorption per radius of a hair that looks like a colour, linear RGB. */
export function absorptionOf(color: Triple): Triple {
  const b = around;
  const fit = 5.969 + b * (-0.215 + b * (2.532 + b * (-10.73 + b * (5.574 + 0.245 * b))));
  const one = (c: number): number => square(log(Math.min(0.98, Math.max(0.004, c))) / fit);
  return [one(color[0]), one(color[1]), one(color[2])];
}

/** A direction in local axes, with what is scattered into it. */
export interface HairSample {
  x: number;
  y: number;
  z: number;
  /** Scattered part times the cosine, per solid angle. */
  r: number;
  g: number;
  b: number;
  pdf: number;
}

/** A hair at one hit. */
export interface HairScattering {
  /** Sets the direction to the viewer, and the absorption. */
  view(x: number, y: number, z: number, absorption: Triple): void;
  /** Fills in scattering and density for the direction in `out`. */
  evaluate(out: HairSample): void;
  /** Chooses a direction; `choice`, `a`, `b`, `c` are 0…1. */
  sample(choice: number, a: number, b: number, c: number, out: HairSample): void;
}

/** Creates the scattering of a hair; it holds the state of one hit. */
export function createHairScattering(): HairScattering {
  const state: HairState = {
    sineO: 0,
    cosineO: 1,
    phiO: 0,
    gammaO: 0,
    gammaT: 0,
    attenuation: new Float64Array(3 * lobes),
    share: new Float64Array(lobes),
  };
  return {
    view: (x, y, z, absorption) => setView(state, x, y, z, absorption),
    evaluate: (out) => evaluate(state, out),
    sample(choice, a, b, c, out) {
      const { share } = state;
      let p = 0;
      let rest = choice;
      while (p < lobes - 1 && rest >= share[p]) rest -= share[p++];
      const sineI = sampleAlong(state, p, a, b);
      const cosineI = Math.sqrt(Math.max(0, 1 - sineI * sineI));
      const turn = p < lobes - 1 ? middleOf(p, state.gammaO, state.gammaT) + sampleLogistic(c) : 2 * Math.PI * c;
      const phi = state.phiO + turn;
      out.x = sineI;
      out.y = cosineI * cos(phi);
      out.z = cosineI * sin(phi);
      evaluate(state, out);
    },
  };
}

interface HairState {
  sineO: number;
  cosineO: number;
  phiO: number;
  /** Angles of incidence and refraction across the hair [rad]. */
  gammaO: number;
  gammaT: number;
  /** RGB per lobe. */
  readonly attenuation: Float64Array;
  /** Probability of each lobe. */
  readonly share: Float64Array;
}

function setView(state: HairState, x: number, y: number, z: number, absorption: Triple): void {
  const sine = Math.max(-0.9999, Math.min(0.9999, x));
  const cosine = Math.sqrt(1 - sine * sine);
  const offset = Math.max(-0.999, Math.min(0.999, z / cosine));
  state.sineO = sine;
  state.cosineO = cosine;
  state.phiO = atan2(z, y);
  state.gammaO = asin(offset);
  // Bravais: refraction across the hair has another index than along it
  const index = Math.sqrt(refraction * refraction - sine * sine) / cosine;
  const sineT = sine / refraction;
  const cosineT = Math.sqrt(1 - sineT * sineT);
  const across = offset / index;
  state.gammaT = asin(across);
  const path = (2 * Math.sqrt(1 - across * across)) / cosineT;
  setAttenuation(state, fresnel(cosine * Math.sqrt(1 - offset * offset)), path, absorption);
}

function setAttenuation({ attenuation, share }: HairState, f: number, path: number, absorption: Triple): void {
  share.fill(0);
  for (let c = 0; c < 3; c++) {
    const t = exp(-absorption[c] * path);
    const second = (1 - f) * (1 - f) * t;
    const third = second * t * f;
    attenuation[c] = f;
    attenuation[3 + c] = second;
    attenuation[6 + c] = third;
    attenuation[9 + c] = (third * f * t) / (1 - t * f);
  }
  let total = 0;
  for (let p = 0; p < lobes; p++) {
    share[p] = attenuation[3 * p] + attenuation[3 * p + 1] + attenuation[3 * p + 2];
    total += share[p];
  }
  for (let p = 0; p < lobes; p++) share[p] /= total;
}

/** Part of unpolarised light that a smooth surface reflects. */
function fresnel(cosine: number): number {
  const sineT2 = (1 - cosine * cosine) / (refraction * refraction);
  const t = Math.sqrt(1 - sineT2);
  const parallel = (refraction * cosine - t) / (refraction * cosine + t);
  const across = (cosine - refraction * t) / (cosine + refraction * t);
  return 0.5 * (parallel * parallel + across * across);
}

/** Angles to the viewer as the scales of lobe p tilt them: sine and cosine. */
function tilted(state: HairState, p: number): [number, number] {
  const { sineO: s, cosineO: c } = state;
  if (p === 0) return [s * cosineTilt[1] - c * sineTilt[1], Math.abs(c * cosineTilt[1] + s * sineTilt[1])];
  if (p === 1) return [s * cosineTilt[0] + c * sineTilt[0], Math.abs(c * cosineTilt[0] - s * sineTilt[0])];
  if (p === 2) return [s * cosineTilt[2] + c * sineTilt[2], Math.abs(c * cosineTilt[2] - s * sineTilt[2])];
  return [s, c];
}

function evaluate(state: HairState, out: HairSample): void {
  const sineI = Math.max(-1, Math.min(1, out.x));
  const cosineI = Math.sqrt(1 - sineI * sineI);
  const phi = atan2(out.z, out.y) - state.phiO;
  let [r, g, b, pdf] = [0, 0, 0, 0];
  const { attenuation, share } = state;
  for (let p = 0; p < lobes; p++) {
    const [sineO, cosineO] = tilted(state, p);
    const turn = p < lobes - 1 ? azimuthal(phi, p, state) : 1 / (2 * Math.PI);
    const density = longitudinal(cosineI, cosineO, sineI, sineO, variances[p]) * turn;
    r += density * attenuation[3 * p];
    g += density * attenuation[3 * p + 1];
    b += density * attenuation[3 * p + 2];
    pdf += density * share[p];
  }
  out.r = r;
  out.g = g;
  out.b = b;
  out.pdf = pdf;
}

/** Density along the hair, per sine of the inclination [Deon2011]. */
function longitudinal(cosineI: number, cosineO: number, sineI: number, sineO: number, v: number): number {
  const a = (cosineI * cosineO) / v;
  const b = (sineI * sineO) / v;
  if (v <= 0.1) return exp(logBessel(a) - b - 1 / v + Math.LN2 + log(1 / (2 * v)));
  return (exp(-b) * bessel(a)) / ((exp(1 / v) - exp(-1 / v)) * v);
}

/** Modified Bessel function I0 by its series. */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let k = 1; k < 12; k++) {
    term *= (x * x) / (4 * k * k);
    sum += term;
  }
  return sum;
}

function logBessel(x: number): number {
  if (x > 12) return x + 0.5 * (log(1 / (2 * Math.PI * x)) + 1 / (8 * x));
  return log(bessel(x));
}

/** Chooses the sine of an inclination for lobe p. */
function sampleAlong(state: HairState, p: number, a: number, b: number): number {
  const [sineO, cosineO] = tilted(state, p);
  const v = variances[p];
  const u = Math.max(a, 1e-5);
  const cosine = 1 + v * log(u + (1 - u) * exp(-2 / v));
  const sine = Math.sqrt(Math.max(0, 1 - cosine * cosine));
  return -cosine * sineO + sine * cos(2 * Math.PI * b) * cosineO;
}

/** Turn about the hair at which lobe p leaves it [rad]. */
function middleOf(p: number, gammaO: number, gammaT: number): number {
  return 2 * p * gammaT - 2 * gammaO + p * Math.PI;
}

function azimuthal(phi: number, p: number, { gammaO, gammaT }: HairState): number {
  let x = phi - middleOf(p, gammaO, gammaT);
  while (x > Math.PI) x -= 2 * Math.PI;
  while (x < -Math.PI) x += 2 * Math.PI;
  const e = exp(-Math.abs(x) / width);
  return e / (width * (1 + e) * (1 + e)) / logisticShare;
}

const logisticAt = (x: number): number => 1 / (1 + exp(-x / width));
/** Part of the logistic distribution that lies within a turn. */
const logisticShare = logisticAt(Math.PI) - logisticAt(-Math.PI);

function sampleLogistic(c: number): number {
  const k = logisticAt(-Math.PI) + c * logisticShare;
  return Math.max(-Math.PI, Math.min(Math.PI, -width * log(1 / k - 1)));
}
