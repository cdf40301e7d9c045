import type { Updateable } from 'kysely'
import type { OperatorContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { checkRevision } from '../../kernel/revisions.ts'
import { describeFeedback, type FeedbackRow, lockFeedback } from './feedback.ts'
import { FEEDBACK_STATES } from './life.ts'
import { addNote } from './notes.ts'
import type { FeedbackTable, Kind, Status } from './tables.ts'

interface Edit {
  feedbackId: string
  status?: Exclude<Status, 'duplicate'> | undefined
  kind?: Kind | undefined
  assignee?: string | undefined
  clear?: readonly 'assignee'[] | undefined
  ifRevision?: number | undefined
}

/** Changes what is given and nothing else, and tells in a note what it was before. */
export async function updateFeedback(ctx: OperatorContext, edit: Edit) {
  const [before] = await lockFeedback(ctx.db, [edit.feedbackId])
  checkRevision({ kind: 'Feedback', name: edit.feedbackId, revision: before!.revision }, edit.ifRevision)
  refuseDuplicate(before!)
  const columns = changedColumns(before!, edit, ctx.appVersion)
  const changed = FIELDS.filter((field) => field in columns)
  if (changed.length === 0) return { feedback: await describeFeedback(ctx.db, before!), changed }
  const after = await ctx.db.updateTable('feedback').set(columns).where('id', '=', before!.id).returningAll().executeTakeFirstOrThrow()
  const told = changed.map((field) => `${field}: ${before![field] ?? 'nobody'} -> ${after[field] ?? 'nobody'}`)
  await addNote(ctx.db, after.id, { kind: 'change', author: ctx.actor.name, text: told.join('; ') })
  return { feedback: await describeFeedback(ctx.db, after), changed }
}

const FIELDS = ['status', 'kind', 'assignee'] as const

function changedColumns(before: FeedbackRow, edit: Edit, appVersion: string): Updateable<FeedbackTable> {
  const assignee = edit.clear?.includes('assignee') ? null : edit.assignee
  const status = edit.status !== undefined && edit.status !== before.status ? FEEDBACK_STATES.move(before.status, edit.status) : undefined
  return {
    ...(status ? { status, fixed_in: status === 'fixed' ? appVersion : null } : {}),
    ...(edit.kind !== undefined && edit.kind !== before.kind ? { kind: edit.kind } : {}),
    ...(assignee !== undefined && assignee !== before.assignee ? { assignee } : {}),
  }
}

function refuseDuplicate({ id, duplicate_of }: FeedbackRow): void {
  if (duplicate_of === null) return
  throw preconditionFailed(`Feedback ${id} is a duplicate of ${duplicate_of}: change that one`, {
    fix: { tool: 'get_feedback', arguments: { feedbackId: duplicate_of } },
  })
}
