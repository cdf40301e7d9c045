import type { Tables } from '../../kernel/columns.ts'
import type { ImportRunCounts, ImportRunOptions } from './runs.ts'
import type { ImportProposal } from './propose.ts'
import type { ImportSetupAnswers, FileInImportSetup } from './setups.ts'

export type ImportSetupsTable = Tables['import_setups']

export type ImportRunsTable = Tables['import_runs']

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'import_setups.files': FileInImportSetup[]
    'import_setups.answers': ImportSetupAnswers
    'import_setups.proposal': ImportProposal
    'import_runs.options': ImportRunOptions
    'import_runs.position': { sheet: string; row: number }
    'import_runs.counts': ImportRunCounts
    'import_rows.written': Record<string, unknown>
  }
}
