import type { ColumnType, Generated } from 'kysely'
import type { Json } from '../../kernel/columns.ts'
import type { PersonTold, RehearsalOptions, Report } from './report-shape.ts'
import type { Failure, RunOptions } from './run-options.ts'

interface TestRunsTable {
  tenant_id: number
  event_id: string
  id: string
  kind: 'registrations' | 'rehearsal'
  job_id: string | null
  options: Json<RunOptions>
  total: number
  done: Generated<number>
  failures: Json<Failure[]>
  created_at: Generated<Date>
}

interface RehearsalsTable {
  tenant_id: number
  event_id: string
  id: string
  flow_slug: string
  source: string
  draft_revision: number
  flow_hash: string
  seed: number
  options: Json<RehearsalOptions>
  status: Generated<'queued' | 'running' | 'done' | 'failed' | 'cancelled'>
  report: ColumnType<Report | null, string | undefined, string | null>
  created_by: string
  created_at: Generated<Date>
  finished_at: ColumnType<Date | null, undefined, unknown>
}

interface RehearsalPeopleTable {
  tenant_id: number
  event_id: string
  rehearsal_id: string
  index: number
  outcome: 'completed' | 'blocked' | 'waitlisted' | 'failed'
  total: number
  elapsed_ms: number
  told: Json<PersonTold>
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    test_runs: TestRunsTable
    rehearsals: RehearsalsTable
    rehearsal_people: RehearsalPeopleTable
  }
}
