import type { OperatorContext } from '../../kernel/context.ts'
import { defineRecord, type RecordEdit, toRecordFieldValues, saveEdit, planEdit } from '../../kernel/records.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { toFeedback, type FeedbackRow, lockFeedback } from './feedback.ts'
import { FEEDBACK_STATES } from './feedback-states.ts'
import { insertFeedbackNote } from './notes.ts'
import type { FeedbackStatus } from './tables.ts'

export const FEEDBACK_RECORD = defineRecord({
  table: 'feedback',
  kind: 'feedback',
  noun: 'Feedback',
  name: ({ id }) => id,
  primaryKey: ['id'],
  states: FEEDBACK_STATES,
  fields: { status: 'status', kind: 'kind', assignee: { column: 'assignee', empty: null } },
})

interface FeedbackEdit extends RecordEdit<typeof FEEDBACK_RECORD> {
  feedbackId: string
  /** The status `duplicate` is set only by merging. */
  status?: Exclude<FeedbackStatus, 'duplicate'> | undefined
}

/** Changes a feedback item and records its previous values in a note. */
export async function updateFeedback({ db, actor, appVersion }: OperatorContext, { feedbackId, ...edit }: FeedbackEdit) {
  const [before] = await lockFeedback(db, [feedbackId])
  const planned = planEdit(FEEDBACK_RECORD, before!, edit)
  refuseDuplicate(before!)
  const moves = planned.changed.includes('status')
  const { row, changed } = await saveEdit({ db }, planned, moves ? { fixed_in: edit.status === 'fixed' ? appVersion : null } : {})
  if (changed.length > 0) {
    const [was, is] = [toRecordFieldValues(FEEDBACK_RECORD, before!), toRecordFieldValues(FEEDBACK_RECORD, row)] as Record<
      string,
      string | null
    >[]
    const changeLines = changed.map((field) => `${field}: ${was![field] ?? 'unassigned'} -> ${is![field] ?? 'unassigned'}`)
    await insertFeedbackNote(db, row.id, { kind: 'change', author: actor.name, text: changeLines.join('; ') })
  }
  return { feedback: await toFeedback(db, row), changed }
}

function refuseDuplicate({ id, duplicate_of }: FeedbackRow): void {
  if (duplicate_of === null) return
  throw preconditionFailed(`Feedback ${id} is a duplicate of ${duplicate_of}. Change that one instead`, {
    fix: { tool: 'get_feedback', arguments: { feedbackId: duplicate_of } },
  })
}
