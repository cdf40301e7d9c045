import { sql } from 'kysely'
import type { OperatorContext } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import { toFeedback, lockFeedback } from './feedback.ts'
import { insertFeedbackNote } from './notes.ts'
import { MAX_STORED_ERROR_REFERENCES } from './recurrences.ts'
import { planEdit, saveEdit } from '../../kernel/records.ts'
import { FEEDBACK_RECORD } from './update.ts'

/** Marks an item as a duplicate of another, which takes over its count, references and duplicates. */
export async function mergeFeedback(ctx: OperatorContext, { feedbackId, intoId }: { feedbackId: string; intoId: string }) {
  if (feedbackId === intoId) throw conflict(`Feedback ${feedbackId} cannot be merged into itself`)
  const [from, into] = await lockFeedback(ctx.db, [feedbackId, intoId])
  for (const one of [from!, into!]) {
    if (one.duplicate_of) throw conflict(`Feedback ${one.id} is already a duplicate of ${one.duplicate_of}. Merge with that one`)
  }
  const columns = { status: 'duplicate', duplicate_of: intoId, fixed_in: null } as const
  await saveEdit({ db: ctx.db }, planEdit(FEEDBACK_RECORD, from!, {}), columns)
  // Items that were merged into the duplicate earlier now refer to the remaining item directly, so that there are no chains of references.
  await ctx.db.updateTable('feedback').set({ duplicate_of: intoId }).where('duplicate_of', '=', feedbackId).execute()
  const references = [...into!.error_references, ...from!.error_references]
    .toSorted((a, b) => b.at.localeCompare(a.at))
    .slice(0, MAX_STORED_ERROR_REFERENCES)
  const merged = await ctx.db
    .updateTable('feedback')
    .set({
      count: sql`count + ${from!.count}`,
      first_at: sql`least(first_at, ${from!.first_at})`,
      last_at: sql`greatest(last_at, ${from!.last_at})`,
      error_references: JSON.stringify(references),
      error_ref: references[0]?.reference ?? null,
    })
    .where('id', '=', intoId)
    .returningAll()
    .executeTakeFirstOrThrow()
  const author = ctx.actor.name
  await insertFeedbackNote(ctx.db, feedbackId, { kind: 'change', author, text: `status: ${from!.status} -> duplicate of ${intoId}` })
  await insertFeedbackNote(ctx.db, intoId, {
    kind: 'change',
    author,
    text: `merged ${feedbackId}; count: ${into!.count} -> ${merged.count}`,
  })
  return { feedback: await toFeedback(ctx.db, merged), mergedId: feedbackId }
}
