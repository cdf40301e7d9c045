import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'

export type SubmissionRow = Selectable<Tables['submissions']>

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'submissions.answers': Record<string, unknown>
    'submission_reviews.scores': Record<string, number>
  }
}
