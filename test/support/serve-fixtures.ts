import { serveUntilStopped } from '../../src/serve.ts'
import { BACKGROUND_JOBS, FIXTURE_EXTERNAL_CALLS, FIXTURE_RECURRING } from './fixture-tools/background.ts'
import { FIXTURE_JOBS, fixtureToolset } from './fixture-tools/index.ts'

/** The real service in its own process, with the fixture tools added. */
await serveUntilStopped({
  toolsets: [fixtureToolset],
  jobs: [...FIXTURE_JOBS, ...BACKGROUND_JOBS],
  recurring: FIXTURE_RECURRING,
  externalCalls: FIXTURE_EXTERNAL_CALLS,
})
