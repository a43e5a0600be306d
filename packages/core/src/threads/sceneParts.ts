/** The part of a scene that some of its rods need: a thread compiles this instead of the whole scene. */
import type { ColliderSpec, Scene } from '../scene/types.ts';

/** Rods that do not depend on others, with their pins and loads. The caller handles obstacles, contact and links. */
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

/** Obstacles for contact detection in threads; the rods that each acts on are passed separately. */
export function pickColliders({ colliders = [] }: Scene): ColliderSpec[] {
  return colliders.map(({ rods: _rods, ...spec }) => spec);
}
