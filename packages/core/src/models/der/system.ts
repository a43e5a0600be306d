/** Rods joined by bodies, laid out for their common solution; a single rod if there are none. */
import type { DerBody } from './body.ts';
import type { BodyParts } from './bodyParts.ts';
import { createNaturalOrder, type Ordering } from './ordering.ts';
import type { DerRod } from './rod.ts';
import type { Workspace } from './stage.ts';
import type { Member, System, Tie } from './welds.ts';

export function createSystem(
  rods: readonly { der: DerRod; work: Workspace; index: number }[],
  bodies: readonly DerBody[],
  parts: BodyParts | undefined,
): System {
  const members = rods.map(({ der, work, index }): Member => {
    const ties = bodies.flatMap((body, b) =>
      body.welds
        .filter((weld) => weld.rod === index)
        .map((weld): Tie => {
          const pin = der.pins.indexOf(weld.pin);
          return {
            body: b,
            node: weld.pin.node,
            held: der.held.pin.indexOf(pin),
            rows: new Float64Array(6 * der.size),
            solved: new Float64Array(6 * der.size),
            from: 0,
            to: der.size,
            heldAt: new Float64Array(
              9 * bodies.reduce((sum, one) => sum + one.welds.filter(({ rod }) => rod === index).length, 0),
            ),
            lever: new Float64Array(3),
          };
        }),
    );
    const knots = ties.map(({ node, held }) => ({
      node,
      parts: held >= 0 && !der.held.hinged[held],
      rows: held >= 0 ? 6 : 3,
    }));
    const natural = ties.length > 0 ? createNaturalOrder(der, work, knots) : orderOf(der, work);
    const parted = ties.length > 0 ? parts?.createPartedOrder(der, work, knots) : undefined;
    return {
      der,
      work,
      ties,
      heldTorque: new Float64Array(3 * der.held.count),
      natural,
      ...(parted && { parted }),
      order: natural,
    };
  });
  return joinMembers(members, bodies, parts);
}

/** Creates one system: with bodies, or of rods without any that are solved at once. */
export function joinMembers(
  members: readonly Member[],
  bodies: readonly DerBody[],
  parts: BodyParts | undefined,
): System {
  const n = 6 * bodies.length;
  const numbers = (length: number): Float64Array => (length > 0 ? new Float64Array(length) : nothing);
  const sparse = parts?.createSparseOuter(members, bodies.length);
  return {
    members,
    bodies,
    outer: numbers(n * n),
    outerRight: numbers(n),
    gyroscopic: numbers(9 * bodies.length),
    outerSaved: numbers(n),
    outerStart: numbers(n),
    outerTrial: numbers(n),
    outerShift: numbers(n),
    ...(parts && bodies.length > 0 && { solveWelded: parts.solveWelded }),
    ...(sparse && { sparse }),
  };
}

/** Data that thousands of rods without bodies share. */
const nothing = new Float64Array(0);
const orders = new WeakMap<Workspace, Ordering>();

/** Rods without welds that share their work space share their order too. */
function orderOf(der: DerRod, work: Workspace): Ordering {
  const known = orders.get(work) ?? createNaturalOrder(der, work, []);
  orders.set(work, known);
  return known;
}
