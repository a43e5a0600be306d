/** In place of the list that vite.config.ts makes for the page, in tests of the worker without a page. */
import { cases as all } from '@tendril-sim/cases';
import type { CaseInfo } from '../src/protocol.ts';

export const cases: readonly CaseInfo[] = all.map(
  ({ id, title, source, models, topics = [], finish, group = 'classics' }) => ({
    id,
    title,
    source,
    models,
    topics,
    ...(finish && { finish }),
    group,
  }),
);
