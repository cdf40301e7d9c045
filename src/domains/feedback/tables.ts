import type { Tables } from '../../kernel/columns.ts'
import { FEEDBACK_STATES } from './feedback-states.ts'

export const FEEDBACK_SOURCES = ['console', 'page', 'docs', 'error', 'cli'] as const
export const FEEDBACK_KINDS = ['bug', 'idea', 'question', 'praise', 'error'] as const
export const FEEDBACK_STATUSES = FEEDBACK_STATES.all

export type FeedbackSource = (typeof FEEDBACK_SOURCES)[number]
export type FeedbackKind = (typeof FEEDBACK_KINDS)[number]
export type FeedbackStatus = (typeof FEEDBACK_STATUSES)[number]

interface ErrorReference {
  reference: string
  at: string
}

export type FeedbackTable = Tables['feedback']

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'feedback.error_references': ErrorReference[]
  }
}
