import type { TestParticipantResult, RehearsalOptions, RehearsalReportData } from './report-shape.ts'
import type { TestRunFailure, TestRunOptions } from './run-options.ts'

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'test_runs.options': TestRunOptions
    'test_runs.failures': TestRunFailure[]
    'rehearsals.options': RehearsalOptions
    'rehearsals.report': RehearsalReportData
    'rehearsal_people.told': TestParticipantResult
  }
}
