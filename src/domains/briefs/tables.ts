import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import type { BriefAnswers } from './answers.ts'

export type BriefRow = Selectable<Tables['briefs']>
export type BriefVersionRow = Selectable<Tables['brief_versions']>

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'briefs.answers': BriefAnswers
    'brief_versions.answers': BriefAnswers
  }
}
