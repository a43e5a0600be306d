/** The schema of scenes, which the inspector and the editor need. */
import { ask, explain } from './connection.ts';
import * as state from './state.ts';

let isAsked = false;

/** Asks for the schema of scenes unless it is there or on its way. It takes the worker a moment, so not before something needs it. */
export async function needSchema(): Promise<void> {
  if (isAsked) return;
  isAsked = true;
  try {
    state.schema.value = await ask('schema', null);
  } catch (error) {
    isAsked = false;
    explain(error, 'The form of the scene', () => void needSchema());
  }
}
