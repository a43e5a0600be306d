/** The cases: what the gallery shows is known at once, each case itself is fetched when it is opened. */
import type { Case, runChecks as RunChecks, setCreateWorld as SetCreateWorld } from '@tendril-sim/cases';
import { createWorld } from './models.ts';

const files = import.meta.glob<Record<string, unknown>>('../../../../cases/*/case.ts');
const tools = import.meta.glob<{ readonly runChecks: typeof RunChecks }>('../../../../cases/src/case.ts');
const worlds = import.meta.glob<{ readonly setCreateWorld: typeof SetCreateWorld }>('../../../../cases/src/world.ts');

const isCase = (value: unknown, id: string): value is Case =>
  typeof value === 'object' && value !== null && 'scene' in value && 'id' in value && value.id === id;

export async function fetchCase(id: string): Promise<Case | undefined> {
  const file = await files[`../../../../cases/${id}/case.ts`]?.();
  return Object.values(file ?? {}).find((value) => isCase(value, id));
}

export async function fetchRunChecks(): Promise<typeof RunChecks> {
  const [file] = Object.values(tools);
  const [world] = Object.values(worlds);
  (await world()).setCreateWorld(createWorld);
  return (await file()).runChecks;
}
