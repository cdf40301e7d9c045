import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Groups of tests, longest first. Some of them are small files, and a fresh clone has no other measure. The bench takes minutes, and would
 * otherwise start last and run alone; tests that call every tool or start processes take longer than the rest.
 */
const LONG_RUNNING_TESTS = [/\/test\/bench\//, /\/test\/(contract|faults|journeys|commands|rest)\//]

/** The position of the group of a test file; all other files are in the last group. */
function findDurationGroup(moduleId: string): number {
  const group = LONG_RUNNING_TESTS.findIndex((pattern) => pattern.test(moduleId))
  return group < 0 ? LONG_RUNNING_TESTS.length : group
}

/** Runs long test files first, so that all workers finish together; within a group in vitest's order, by duration or size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => findDurationGroup(a.moduleId) - findDurationGroup(b.moduleId))
  }
}
