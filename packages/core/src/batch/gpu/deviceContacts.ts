/** Reads the contacts of strands that a device moves as rows, and writes them back. */
import type { OwnContactReport, OwnContactRow } from '../../port.ts';
import { obstacleAt } from '../ownContact.ts';
import type { GpuCaller, StepAnswer } from './caller.ts';
import type { Membership } from './membership.ts';
import { CONTACT_ROW } from './requests.ts';

/** Capacity of the first request, in rows. */
const FEWEST_ROWS = 1024;

/** Locations of strands on the device. */
export interface DeviceStrands {
  readonly caller: GpuCaller;
  /** Number of the bundle on the device. */
  readonly number: number;
  readonly membership: Membership;
  readonly obstacles: number;
}

function createRows(count: number): SharedArrayBuffer {
  return new SharedArrayBuffer(4 * CONTACT_ROW * count);
}

/** Contacts on the device; `only`: those of this rod alone. */
export function readDeviceContacts(
  { caller, number, membership, obstacles }: DeviceStrands,
  only: number | undefined,
): OwnContactRow[] {
  const ask = (rows: SharedArrayBuffer): number => caller.call({ kind: 'readContacts', bundle: number, rows }).rows;
  let memory = createRows(FEWEST_ROWS);
  const count = ask(memory);
  if (count > FEWEST_ROWS) {
    memory = createRows(count);
    ask(memory);
  }
  const floats = new Float32Array(memory);
  const found: OwnContactRow[] = [];
  for (let k = 0; k < count; k++) {
    const { rods } = membership.groups[floats[CONTACT_ROW * k]];
    if (only !== undefined && rods[floats[CONTACT_ROW * k + 1]] !== only) continue;
    const row = floats.subarray(CONTACT_ROW * k, CONTACT_ROW * (k + 1));
    const [, strand, edge, place, age, weight, a, b, c, x, y, z, other, otherEdge, otherWeight] = row;
    const common = { rod: rods[strand], edge, place, age, weight, force: [a, b, c], normal: [x, y, z] } as const;
    if (other === 0) found.push({ ...common, obstacle: obstacleAt(place, obstacles) });
    else found.push({ ...common, obstacle: -1, other: { rod: rods[other - 1], edge: otherEdge, weight: otherWeight } });
  }
  return found;
}

/** Writes contacts to the device; ignores rows of strands that are not on it. */
export function writeDeviceContacts(strands: DeviceStrands, rows: readonly OwnContactRow[]): void {
  const { caller, number, membership } = strands;
  const placeOf = new Map(
    membership.groups.flatMap(({ rods }, group) => rods.map((rod, strand) => [rod, [group, strand]] as const)),
  );
  const own = rows.flatMap(({ rod, edge, place, age, weight, force, normal, other }) => {
    const at = placeOf.get(rod);
    const otherSide = other ? [(placeOf.get(other.rod)?.[1] ?? -1) + 1, other.edge, other.weight] : [0, 0, 0];
    return at ? [[...at, edge, place, age, weight, ...force, ...normal, ...otherSide]] : [];
  });
  const memory = createRows(Math.max(1, own.length));
  const floats = new Float32Array(memory);
  own.forEach((row, k) => {
    floats.set(row, CONTACT_ROW * k);
  });
  caller.call({ kind: 'writeContacts', bundle: number, rows: memory, count: own.length });
}

/** The report on contact from the device's answer to a step. */
export function reportOf(answer: StepAnswer, { groups }: Membership): OwnContactReport {
  const { loaded, contactIterations, error, overlap, unsettled, unsettledGroup, unsettledStrand } = answer;
  return {
    contacts: loaded,
    iterations: contactIterations,
    error,
    overlap,
    unsettled,
    firstUnsettled: unsettled > 0 ? groups[unsettledGroup].rods[unsettledStrand] : -1,
  };
}
