import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** They walk over every tool or start processes: some take longest of all and are smallest as files, which is all that a fresh clone knows of them. */
const LONG = /\/test\/(contract|faults|journeys|commands|rest)\//

/** Long files first, so that all workers end together; the rest as vitest has it, by how long they took or how large they are. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { long = [], short = [] } = Object.groupBy(await super.sort(files), ({ moduleId }) => (LONG.test(moduleId) ? 'long' : 'short'))
    return [...long, ...short]
  }
}
