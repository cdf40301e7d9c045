import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  dependsOnDatabase,
  listConcurrentTitles,
  listTestFiles,
  matchConcurrentTests,
  selectForPostgres,
} from '../../scripts/database-tests.ts'

const runsOnPostgres = (path: string) => selectForPostgres(path) !== 'none'

describe('selection of the tests that run on PostgreSQL', () => {
  it.each([
    'test/call-pipeline/organizer.test.ts',
    'test/contract/toolsets/events.test.ts',
    'test/faults/kill-process.test.ts',
    'test/faults/two-processes.test.ts',
    'test/platform/postgres.test.ts',
    'src/toolsets/events/tests/config-set.test.ts',
    'test/commands/backup.test.ts',
    'test/commands/demo-concurrent.test.ts',
    'test/web/concurrent-submissions.test.ts',
    'test/oauth/codes.test.ts',
    'test/oauth/ending-access.test.ts',
  ])('runs on PostgreSQL a test file that uses a database directly or through an import: %s', (path) => {
    expect(dependsOnDatabase(path)).toBe(true)
    expect(runsOnPostgres(path)).toBe(true)
  })

  it.each([
    ['src/domains/orders/tests/whole-life.test.ts', 'all'],
    ['src/toolsets/reports/tests/query-data.test.ts', 'all'],
    ['test/commands/backup.test.ts', 'all'],
    // A helper of the file makes concurrent calls.
    ['src/toolsets/events/tests/staff-logins.test.ts', 'all'],
    ['src/toolsets/registration/tests/payments.test.ts', 'concurrent'],
    ['test/web/room-offers.test.ts', 'concurrent'],
    ['src/toolsets/clients/tests/clone-event.test.ts', 'none'],
  ])('selects for PostgreSQL all tests of a file, only those with concurrent calls, or none: %s, %s', (path, expected) => {
    expect(selectForPostgres(path)).toBe(expected)
  })

  it('selects the tests that make concurrent calls by a pattern of their titles', () => {
    const payments = 'src/toolsets/registration/tests/payments.test.ts'
    expect(listConcurrentTitles(payments)).toEqual([
      'records one payment for ten concurrent calls with one idempotency key',
      'records one payment for ten identical concurrent calls without a key, and reports nine as duplicates',
    ])
    const pattern = matchConcurrentTests([payments, 'test/web/room-offers.test.ts'])
    expect(pattern.test('room offers either accepts or declines a room offer, never both')).toBe(true)
    expect(pattern.test('record_manual_payment: payments records a payment of a group')).toBe(false)
  })

  it.each([
    'test/architecture/sizes.test.ts',
    'test/commands/commands.test.ts',
    'src/kernel/tests/money.test.ts',
    'src/domains/exhibitors/plan-scans/tests/hostile-files.test.ts',
  ])('treats a test file that uses no database or only the embedded one as independent of PostgreSQL: %s', (path) => {
    expect(dependsOnDatabase(path)).toBe(false)
  })

  it.each([
    'src/toolsets/clients/tests/clone-event.test.ts',
    'test/web/german.test.ts',
    'test/web/rooms.test.ts',
    'test/call-pipeline/session-confusion.test.ts',
    'test/console/forms.test.ts',
    'test/commands/demo.test.ts',
  ])('excludes from the PostgreSQL run a file whose SQL statements other tests already run there: %s', (path) => {
    expect([dependsOnDatabase(path), runsOnPostgres(path)]).toEqual([true, false])
  })

  it.each([
    'test/oauth/redirect-uris.test.ts',
    'test/oauth/discovery.test.ts',
    'test/contract/arguments.test.ts',
    'test/contract/output.test.ts',
    'test/contract/wrong-ids.test.ts',
  ])('excludes from the PostgreSQL run a file that checks only texts and declarations: %s', (path) => {
    expect([dependsOnDatabase(path), runsOnPostgres(path)]).toEqual([true, false])
  })

  it('runs on PostgreSQL the contract tests of every toolset for effects, paging and isolation', () => {
    const ofContract = listTestFiles().filter((path) =>
      /^test\/contract\/(toolsets\/|(effects|isolation|paging|roles|row-changes)\.)/.test(path),
    )
    expect(ofContract.filter((path) => !runsOnPostgres(path))).toEqual([])
    expect(ofContract.length).toBeGreaterThan(15)
  })

  it('runs on PostgreSQL all test files of the domains, and a file of every folder except two contract folders', () => {
    const asking = listTestFiles().filter((path) => dependsOnDatabase(path) && !/^test\/(browser|console|docs|journeys|mcp)\//.test(path))
    const folders = Map.groupBy(asking, dirname)
    const foldersWithoutFiles = [...folders].filter(([, files]) => !files.some(runsOnPostgres)).map(([folder]) => folder)
    expect(foldersWithoutFiles.toSorted()).toEqual(['test/contract/findability', 'test/contract/invalid-calls'])
    const domains = asking.filter((path) => path.startsWith('src/domains/'))
    expect(domains.filter((path) => !runsOnPostgres(path))).toEqual([])
    expect(domains.length).toBeGreaterThan(15)
  })

  it('finds test files in test/ and beside the sources', () => {
    const files = listTestFiles()
    for (const folder of ['test/contract/toolsets/', 'test/console/', 'src/kernel/tests/', 'src/toolsets/events/tests/'])
      expect(files.some((path) => path.startsWith(folder))).toBe(true)
  })
})
