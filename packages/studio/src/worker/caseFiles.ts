/** The cases: what the gallery shows is known at once, each case itself is fetched when it is opened. */
import type { Case, runChecks as RunChecks } from '@tendril/cases';

const files = import.meta.glob<Record<string, unknown>>('../../../../cases/*/case.ts');
const tools = import.meta.glob<{ readonly runChecks: typeof RunChecks }>('../../../../cases/src/case.ts');

const isCase = (value: unknown, id: string): value is Case =>
  typeof value === 'object' && value !== null && 'scene' in value && 'id' in value && value.id === id;

export async function fetchCase(id: string): Promise<Case | undefined> {
  const file = await files[`../../../../cases/${id}/case.ts`]?.();
  return Object.values(file ?? {}).find((value) => isCase(value, id));
}

export async function fetchRunChecks(): Promise<typeof RunChecks> {
  const [file] = Object.values(tools);
  return (await file()).runChecks;
}
