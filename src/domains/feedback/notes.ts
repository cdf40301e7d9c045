import type { Db } from '../../kernel/columns.ts'
import type { OperatorContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { toFeedback, lockFeedback } from './feedback.ts'

interface Note {
  kind: 'note' | 'change'
  author: string
  text: string
}

export async function insertFeedbackNote(db: Db, feedbackId: string, note: Note): Promise<void> {
  await db
    .insertInto('feedback_notes')
    .values({ feedback_id: feedbackId, id: newId(), kind: note.kind, author: note.author, body: note.text })
    .execute()
}

/** Adds a note to a feedback item. Duplicates accept notes too, for example to explain why they are duplicates. */
export async function addFeedbackNote(ctx: OperatorContext, { feedbackId, text }: { feedbackId: string; text: string }) {
  const [row] = await lockFeedback(ctx.db, [feedbackId])
  await insertFeedbackNote(ctx.db, feedbackId, { kind: 'note', author: ctx.actor.name, text })
  return { feedback: await toFeedback(ctx.db, row!) }
}
