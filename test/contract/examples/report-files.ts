import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'
import { addThreePeople } from './reports-query.ts'

const REPORT = { report: 'revenue-by-product' }

/** A finished run with a file. */
async function finishedRun(stage: Stage): Promise<string> {
  return (await stage.admin.call('run_report', { ...event(stage), ...REPORT, format: 'csv' })).runId
}

/** Ends the exports of the event, of which one may run at a time. */
async function withoutExports(stage: Stage): Promise<void> {
  await stage.world.database.pool.query(
    `update report_runs set status = 'cancelled' where kind = 'export' and status in ('queued', 'running')`,
  )
}

export const REPORT_FILES_EXAMPLES: Examples = {
  list_reports: [(stage) => event(stage), (stage) => ({ ...event(stage), kind: 'standard', search: 'registration', status: 'active' })],
  get_report: [(stage) => ({ ...event(stage), ...REPORT }), async (stage) => ({ ...event(stage), runId: await finishedRun(stage) })],
  run_report: [async (stage) => ({ ...(await addThreePeople(stage)), report: 'participant-list' })],
  export_event: [
    async (stage) => {
      await withoutExports(stage)
      return { ...event(stage), entities: ['participant'], formats: ['csv'] }
    },
    async (stage) => {
      await withoutExports(stage)
      return { ...event(stage), personalData: 'identity', includeConfig: false, includeFiles: true, includeTestData: true }
    },
  ],
}
