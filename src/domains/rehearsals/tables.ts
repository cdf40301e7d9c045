import type { Generated } from 'kysely'
import type { Json } from '../../kernel/columns.ts'
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

declare module '../../kernel/columns.ts' {
  interface Tables {
    test_runs: TestRunsTable
  }
}
