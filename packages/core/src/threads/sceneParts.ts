/** The part of a scene that some of its rods need: what a thread compiles, in place of all of it. */
import type { ColliderSpec, Scene } from '../scene/types.ts';

/** Rods that do not need others, and what drives them. Obstacles, contact and links are the caller's. */
export function pickRods(scene: Scene, ids: ReadonlySet<string>): Scene {
  const { links: _links, colliders: _colliders, contact: _contact, output: _output, engine: _engine, ...rest } = scene;
  const welds = scene.welds?.filter(({ rod }) => ids.has(rod));
  const held = new Set(welds?.map(({ body }) => body));
  return {
    ...rest,
    rods: scene.rods.filter(({ id }) => ids.has(id)),
    ...(scene.pins && { pins: scene.pins.filter(({ rod }) => ids.has(rod)) }),
    ...(welds && { welds }),
    ...(scene.bodies && { bodies: scene.bodies.filter(({ id }) => held.has(id)) }),
    ...(scene.loads && { loads: scene.loads.filter((load) => 'rod' in load && ids.has(load.rod)) }),
    ...(scene.fields && {
      fields: scene.fields.map((field) =>
        field.rods ? { ...field, rods: field.rods.filter((id) => ids.has(id)) } : field,
      ),
    }),
  };
}

/** Obstacles for threads to find contacts with; the rods that each acts on are passed separately. */
export function pickColliders({ colliders = [] }: Scene): ColliderSpec[] {
  return colliders.map(({ rods: _rods, ...spec }) => spec);
}
