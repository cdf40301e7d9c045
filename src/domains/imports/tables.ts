import type { ColumnType, Generated } from 'kysely'
import type { Kept, NullableStamp } from '../../kernel/columns.ts'
import type { RunCounts, RunOptions } from './runs.ts'
import type { Proposal } from './propose.ts'
import type { SetupAnswers, SetupFile } from './setups.ts'

type Stored<T> = ColumnType<T, string, string>

interface Owned {
  tenant_id: number
  event_id: string
}

export interface ImportSetupsTable extends Owned {
  id: string
  revision: Generated<number>
  source_system: string
  files: Stored<SetupFile[]>
  content: string | null
  answers: Stored<SetupAnswers>
  proposal: Stored<Proposal>
  flow_slug: string
  status: 'draft' | 'ready'
  created_by: string
  created_at: Kept<Date>
  updated_at: NullableStamp
}

export interface ImportRunsTable extends Owned {
  id: string
  setup_id: string
  setup_revision: number
  mode: 'test' | 'live'
  dry_run: boolean
  options: Stored<RunOptions>
  status: 'queued' | 'running' | 'done' | 'failed'
  position: ColumnType<{ sheet: string; row: number } | null, string | null | undefined, string | null>
  counts: ColumnType<RunCounts, string | undefined, string>
  job_id: ColumnType<string | null, string | null | undefined, string | null>
  error_file_id: ColumnType<string | null, string | null | undefined, string | null>
  created_by: string
  created_at: Kept<Date>
  finished_at: NullableStamp
}

interface ImportRowsTable extends Owned {
  is_test_data: boolean
  source_system: string
  entity_kind: 'participant' | 'payment' | 'line'
  source_key: string
  content_hash: Buffer
  written: Stored<Record<string, unknown>>
  entity_id: string
  run_id: string
  seen_run_id: string
}

interface ImportErrorsTable extends Owned {
  run_id: string
  position: number
  sheet: string
  row_number: number
  column_name: string
  value: string
  code: string
  message: string
}

declare module '../../kernel/columns.ts' {
  interface Tables {
    import_setups: ImportSetupsTable
    import_runs: ImportRunsTable
    import_rows: ImportRowsTable
    import_errors: ImportErrorsTable
  }
}
