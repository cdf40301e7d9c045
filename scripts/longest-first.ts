import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests that call every tool or start processes. Some take longest but are small files, and a fresh clone has no other measure. */
const LONG_RUNNING_TESTS = /\/test\/(contract|faults|journeys|commands|rest)\//

/** Runs long test files first, so that all workers finish together; the rest in vitest's order, by duration or size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { long = [], short = [] } = Object.groupBy(await super.sort(files), ({ moduleId }) =>
      LONG_RUNNING_TESTS.test(moduleId) ? 'long' : 'short',
    )
    return [...long, ...short]
  }
}
