import { describe, expect, it } from 'vitest'
import { asksForDatabase, testFiles } from '../../scripts/database-tests.ts'

describe('on PostgreSQL', () => {
  it.each([
    'test/road/road.test.ts',
    'test/contract/toolsets/events.test.ts',
    'test/faults/kill-process.test.ts',
    'test/faults/two-processes.test.ts',
    'test/platform/postgres.test.ts',
    'src/toolsets/events/tests/config-set.test.ts',
  ])('runs what asks for a database, at whatever remove: %s', (path) => {
    expect(asksForDatabase(path)).toBe(true)
  })

  it.each(['test/architecture/sizes.test.ts', 'test/commands/commands.test.ts', 'src/kernel/tests/money.test.ts'])(
    'does not run again what asks for none, or only for the embedded one: %s',
    (path) => {
      expect(asksForDatabase(path)).toBe(false)
    },
  )

  it('finds the files of all folders', () => {
    const files = testFiles()
    for (const folder of ['test/contract/toolsets/', 'test/console/', 'src/kernel/tests/', 'src/toolsets/events/tests/'])
      expect(files.some((path) => path.startsWith(folder))).toBe(true)
  })
})
