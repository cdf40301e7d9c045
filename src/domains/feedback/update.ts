import type { OperatorContext } from '../../kernel/context.ts'
import { editableRecord, type EditOf, fieldsOf, keepEdit, planEdit } from '../../kernel/edit-record.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { toFeedback, type FeedbackRow, lockFeedback } from './feedback.ts'
import { FEEDBACK_STATES } from './life.ts'
import { addNote } from './notes.ts'
import type { Status } from './tables.ts'

const FEEDBACK = editableRecord({
  table: 'feedback',
  kind: 'feedback',
  noun: 'Feedback',
  name: ({ id }) => id,
  key: ['id'],
  fields: { status: 'status', kind: 'kind', assignee: { column: 'assignee', empty: null } },
})

interface Edit extends EditOf<typeof FEEDBACK> {
  feedbackId: string
  /** Merging makes a duplicate, no edit does. */
  status?: Exclude<Status, 'duplicate'> | undefined
}

/** Changes what is given and nothing else, and tells in a note what it was before. */
export async function updateFeedback({ db, actor, appVersion }: OperatorContext, { feedbackId, ...edit }: Edit) {
  const [before] = await lockFeedback(db, [feedbackId])
  const planned = planEdit(FEEDBACK, before!, edit)
  refuseDuplicate(before!)
  const moved = planned.changed.includes('status') ? FEEDBACK_STATES.move(before!.status, edit.status!) : null
  const { row, changed } = await keepEdit({ db }, planned, moved ? { fixed_in: moved === 'fixed' ? appVersion : null } : {})
  if (changed.length > 0) {
    const [was, is] = [fieldsOf(FEEDBACK, before!), fieldsOf(FEEDBACK, row)] as Record<string, string | null>[]
    const told = changed.map((field) => `${field}: ${was![field] ?? 'nobody'} -> ${is![field] ?? 'nobody'}`)
    await addNote(db, row.id, { kind: 'change', author: actor.name, text: told.join('; ') })
  }
  return { feedback: await toFeedback(db, row), changed }
}

function refuseDuplicate({ id, duplicate_of }: FeedbackRow): void {
  if (duplicate_of === null) return
  throw preconditionFailed(`Feedback ${id} is a duplicate of ${duplicate_of}: change that one`, {
    fix: { tool: 'get_feedback', arguments: { feedbackId: duplicate_of } },
  })
}
