import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { listTestFiles, matchConcurrentTests, selectForPostgres } from './scripts/database-tests.ts'
import { LongestFirst } from './scripts/longest-first.ts'

const onPostgres = Boolean(process.env['TEST_DATABASE_URL'])
/** In a cluster of several servers, any test may differ. */
const onCluster = Boolean(process.env['TEST_REPLICA_URL'])
/** On PostgreSQL only what can come out otherwise there; all else was run on the embedded database. */
const selected = Map.groupBy(onPostgres && !onCluster ? listTestFiles() : [], selectForPostgres)
const onlyConcurrent = selected.get('concurrent') ?? []
const theSameAnywhere = [...(selected.get('none') ?? []), ...onlyConcurrent]
/** A statement of the embedded database is a part of one turn of the event loop, which nothing can divide. */
const onlyBesideServer = onPostgres ? [] : ['test/faults/event-loop.test.ts']

/** Vitest obeys the pattern of a project, although its types know only one for all projects. If it did not, more tests would run. */
const onlyConcurrentTests: object = { testNamePattern: matchConcurrentTests(onlyConcurrent) }
const serverSetup = { setupFiles: ['test/support/property-test-seed.ts'], globalSetup: ['test/support/global-setup.ts'] }

export default defineConfig({
  test: {
    pool: 'forks',
    // A worker keeps its modules, so PGlite's WASM is compiled once per worker and not once per file.
    isolate: false,
    // Where processors have protection keys, Node 24 now and then ends itself over the pages of compiled WASM, which PGlite is.
    execArgv: ['--no-memory-protection-keys'],
    // Tests wait for processes and timers, and beside a server that does the work they wait more than they calculate.
    maxWorkers: Math.ceil(availableParallelism() * (onPostgres ? 2 : 1.5)),
    sequence: { sequencer: LongestFirst },
    // Durations are measured in bench/. These limits only end tests that would hang, even on a busy machine.
    testTimeout: 300_000 * Number(process.env['SOAK'] ?? 1),
    hookTimeout: 300_000,
    // Shorter than the test timeout, so that the failure names the condition that was awaited.
    expect: { poll: { timeout: 200_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'server',
          include: ['test/**/*.test.ts', 'src/**/tests/*.test.ts'],
          exclude: ['test/browser/**', ...theSameAnywhere, ...onlyBesideServer],
          ...serverSetup,
        },
      },
      ...(onlyConcurrent.length > 0
        ? [
            {
              extends: true as const,
              test: { name: 'server, concurrent', include: onlyConcurrent, ...onlyConcurrentTests, ...serverSetup },
            },
          ]
        : []),
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          setupFiles: ['test/support/browser-setup.ts'],
          globalSetup: ['test/support/global-setup.ts'],
        },
      },
    ],
  },
})
