/** Meshes of USD files: at rest, and as samples of their points, transforms, skeletons and blend shapes move them. */
import { InputError } from '../errors.ts';
import { type FileUv, joinParts, type MeshFile, type MeshPart, triangulate } from './meshFile.ts';
import { determinant, transformAll } from './transform.ts';
import type { UsdAttribute, UsdPrim } from './usda.ts';
import { isHidden, skinningOf } from './usdSkel.ts';
import { atRest, atTime, numbersOf, openUsd, type UsdPlace, type UsdStage, wordOf, worldOf } from './usdStage.ts';

/** Opens the meshes of a USD file. Throws InputError. */
export function openUsdMesh(bytes: Uint8Array, source: string): MeshFile {
  const stage = openUsd(bytes, source);
  const { places, unit, up, warnings, timeCodesPerSecond } = stage;
  const meshes = places.filter((place) => place.prim.type === 'Mesh' && !isHidden(place));
  const drawn = meshes.filter(({ prim }) => !['guide', 'proxy'].includes(wordOf(prim, 'purpose', 'default')));
  const found = (drawn.length > 0 ? drawn : meshes).map((place) => usdPart(stage, place));
  if (found.length === 0) {
    const unread = [...warnings].find((warning) => warning.includes('flatten'));
    throw new InputError(source, `there is no Mesh in it${unread ? `: ${unread}` : ''}`);
  }
  const codes = found.flatMap(({ moving }) => moving.flatMap(({ samples = [] }) => samples.map(([code]) => code)));
  const times = [...new Set(codes)].sort((a, b) => a - b).map((code) => code / timeCodesPerSecond);
  const parts = found.map(({ part }) => part);
  return joinParts(parts, { source, unit, up, times, warnings: [...warnings] });
}

interface UsdPart {
  readonly part: MeshPart;
  /** Attributes whose samples move it. */
  readonly moving: readonly UsdAttribute[];
}

function usdPart(stage: UsdStage, place: UsdPlace): UsdPart {
  const { prim } = place;
  const { source, timeCodesPerSecond, warnings } = stage;
  const need = (name: string): Float64Array => {
    const values = numbersOf(prim, name, atRest);
    if (!values) throw new InputError(source, `Mesh "${prim.name}" has no ${name}`);
    return values;
  };
  for (const name of ['faceVertexCounts', 'faceVertexIndices'])
    if ((prim.attributes.get(name)?.samples?.length ?? 0) > 1)
      throw new InputError(
        source,
        `the faces of "${prim.name}" change in time; hair needs a mesh whose vertices may move but whose faces do not change`,
      );
  const points = prim.attributes.get('points');
  const count = need('points').length / 3;
  const skinning = skinningOf(stage, place);
  const colors = numbersOf(prim, 'primvars:displayColor', atRest);
  const world = worldOf(skinning?.placedBy ?? place, atRest, warnings);
  const isLeftHanded = wordOf(prim, 'orientation', 'rightHanded') === 'leftHanded';
  const positionsAt = (time: number | undefined): Float64Array => {
    const code = time === undefined ? undefined : time * timeCodesPerSecond;
    const sampler = code === undefined ? atRest : atTime(code);
    const own = numbersOf(prim, 'points', sampler) ?? new Float64Array(0);
    return skinning ? skinning.pointsAt(own, code) : transformAll(own, worldOf(place, sampler, warnings));
  };
  return {
    part: {
      name: prim.name,
      count,
      ...triangulate(
        need('faceVertexCounts'),
        need('faceVertexIndices'),
        { count, name: prim.name, source, clockwise: isLeftHanded !== determinant(world) < 0 },
        uvOf(prim),
      ),
      ...(colors?.length === 3 * count && { color: colors }),
      positionsAt,
    },
    moving: [...(points ? [points] : []), ...(skinning?.moving ?? []), ...transformsOf(skinning?.placedBy ?? place)],
  };
}

/** Texture coordinates: `primvars:st`, or the first primvar of such a type; Blender names it after its UV map. */
function uvOf(prim: UsdPrim): FileUv | undefined {
  const typed = [...prim.attributes].find(
    ([name, { type }]) => name.startsWith('primvars:') && /^texCoord2[fdh]\[\]$/.test(type),
  );
  const name = prim.attributes.has('primvars:st') ? 'primvars:st' : typed?.[0];
  const values = name && numbersOf(prim, name, atRest);
  if (!values) return undefined;
  const index = numbersOf(prim, `${name}:indices`, atRest);
  return { values, ...(index && { index }) };
}

/** Attributes of the transforms of a prim and of those above it. */
function transformsOf({ prim, above }: UsdPlace): UsdAttribute[] {
  return [...above, prim].flatMap((one) =>
    [...one.attributes].flatMap(([name, attribute]) => (name.startsWith('xformOp:') ? [attribute] : [])),
  );
}
