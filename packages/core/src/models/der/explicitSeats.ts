/** Seats: the nodes of a system's rods that are welded to its bodies, in the explicit schemes. */
import { rotate } from '../../bodies/body.ts';
import type { ExplicitBody } from './explicitBody.ts';
import type { System } from './welds.ts';

/** A welded node, its body, and its place on the body: `arm` in body axes, from the compound's centre; `lever` in world axes. */
export interface Seat {
  readonly member: number;
  readonly node: number;
  readonly body: ExplicitBody;
  readonly arm: Float64Array;
  readonly lever: Float64Array;
}

export function createSeats(system: System, bodies: readonly ExplicitBody[]): Seat[] {
  return system.members.flatMap(({ der, ties }, member) =>
    ties.map(({ body, node, lever }): Seat => {
      const { welds, shift } = system.bodies[body];
      const weld = welds.find(({ pin }) => pin.node === node && der.pins.includes(pin));
      return {
        member,
        node,
        body: bodies[body],
        arm: Float64Array.from([0, 1, 2], (k) => (weld?.arm[k] ?? 0) - shift[k]),
        lever,
      };
    }),
  );
}

/** Moves welded nodes to their bodies. */
export function placeSeats(seats: readonly Seat[], system: System): void {
  for (const { member, node, body, arm, lever } of seats) {
    const { q } = system.members[member].der;
    const { position, pose } = body.body;
    rotate(lever, 0, pose.rotation, arm, 0);
    for (let k = 0; k < 3; k++) q[4 * node + k] = position[k] + lever[k];
  }
}

/** Velocities of welded nodes from those of their bodies. */
export function moveSeats(seats: readonly Seat[], system: System): void {
  for (const { member, node, body, lever: a } of seats) {
    const { v } = system.members[member].der;
    const { velocity, pose } = body.body;
    const w = pose.angularVelocity;
    v[4 * node] = velocity[0] + w[1] * a[2] - w[2] * a[1];
    v[4 * node + 1] = velocity[1] + w[2] * a[0] - w[0] * a[2];
    v[4 * node + 2] = velocity[2] + w[0] * a[1] - w[1] * a[0];
  }
}
