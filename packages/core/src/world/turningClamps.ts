/** Warns of rods with stiffness damping on clamps that turn, for models in which the damping acts on that turn, too. */
import { hypot } from '../math/rounded/index.ts';
import type { Drive } from '../model.ts';
import { capabilitiesOf } from '../models/registry.ts';
import { createPinPose, type Pin, type Rod } from '../scene/compiled.ts';
import type { Scene } from '../scene/types.ts';

/** Smaller lags are not worth a warning [rad]. */
const LAG = 0.01;
const INSTANTS = 40;
/** Rods of one scene mostly share a path: only so many are looked at. */
const RODS = 100;

/** The lag is the damping time × the angular velocity of the clamp. */
export function warnTurningClamps(
  { time }: Scene,
  rods: readonly Rod[],
  drives: readonly Pick<Drive, 'pins'>[],
): string[] {
  if (!time) return [];
  for (let r = 0; r < Math.min(rods.length, RODS); r++) {
    const { id, halfDamping } = rods[r];
    const damping = halfDamping.reduce((a, b) => Math.max(a, b), 0);
    if (damping === 0 || !capabilitiesOf(rods[r]).dragsTurningRods) continue;
    const lag = damping * Math.max(0, ...drives[r].pins.map((pin) => measureRate(pin, time.duration)));
    if (!(lag > LAG)) continue;
    return [
      `stiffness damping of rod '${id}' also acts on the turning of its clamp: the rod lags behind the clamp by about ${lag.toPrecision(2)} rad at the fastest; use less damping.stiffness there, or model helix or strand`,
    ];
  }
  return [];
}

const [before, after] = [createPinPose(), createPinPose()];

/** Largest mean angular velocity of a held frame between instants of the run, to within a small factor [rad/s]. */
function measureRate(pin: Pin, duration: number): number {
  if (pin.isStill || pin.orientation === 'free') return 0;
  const dt = duration / INSTANTS;
  let largest = 0;
  pin.evaluate(before, 0);
  for (let k = 1; k <= INSTANTS; k++) {
    pin.evaluate(after, k * dt);
    const swing = distance(before.tangent, after.tangent);
    const spin = pin.orientation === 'frame' ? distance(before.director, after.director) : 0;
    const twist = pin.orientation === 'frame' ? Math.abs(after.twist - before.twist) : 0;
    if (before.active) largest = Math.max(largest, hypot(Math.max(swing, spin), twist) / dt);
    before.tangent.set(after.tangent);
    before.director.set(after.director);
    before.twist = after.twist;
    before.active = after.active;
  }
  return largest;
}

const distance = (a: Float64Array, b: Float64Array): number => hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
