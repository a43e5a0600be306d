/** Starts the longest test files first, so that no worker is left alone with one of them at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** In the order of their duration; those below 20 s come in the order of vitest. */
const longest = [
  'cases/test/cases',
  'test/types',
  'io/test/gpu',
  'sweep/test/queue',
  'studio/test/groom',
  'core/test/threads/contact',
  'sweep/test/local',
  'test/hashes',
  'test/repro/threadFaults',
  'core/test/threads/cloth',
  'test/packages.test',
  'core/test/batch/conformance',
  'test/examples',
  'core/test/contact/links.',
  'core/test/fiber/step',
  'core/test/contact/linkedModels',
  'test/web',
  'cli/test/faults',
  'studio/test/run',
  'test/seventhModel',
  'core/test/statics/branch',
  'core/test/threads/workStealingRuns',
  'studio/test/files',
  'sweep/test/commands',
  'test/repro/statics',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((name) => moduleId.includes(name));
      return at < 0 ? longest.length : at;
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
