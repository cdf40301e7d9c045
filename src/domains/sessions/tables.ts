import type { Tables } from '../../kernel/columns.ts'

export type SpeakerRole = 'speaker' | 'moderator' | 'panelist' | 'presenter' | 'author'

export type SessionEnrolmentsTable = Tables['session_enrolments']

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'speakers.availability': { from: string; until: string }[]
    'speakers.answers': Record<string, unknown>
  }
}
