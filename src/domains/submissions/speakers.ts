import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import { deleteSpeakerRow, transferSpeakerSessions } from '../sessions/speaker-sessions.ts'
import { linkSpeakerToRegistration, lockSpeaker, type SpeakerRow, updateSpeaker } from '../sessions/speakers.ts'
import { ENDED_SUBMISSION_STATUSES } from './states.ts'

/** Fields that are copied from the duplicate speaker if they are empty on the kept speaker. */
const FILLED_FIELDS = {
  company: 'company',
  jobTitle: 'job_title',
  bio: 'bio',
  headshotFileId: 'headshot_file_id',
  country: 'country',
  disclosure: 'disclosure',
} as const

/**
 * Merges a duplicate speaker into another: submissions and sessions are moved, and a submission of both speakers lists the kept speaker
 * once. The duplicate is deleted. Its registration is linked to the kept speaker if that speaker has none.
 */
export async function mergeSpeakers(ctx: EventContext, keepId: string, dropId: string): Promise<{ changed: string[] }> {
  if (keepId === dropId) throw invalidArguments([{ path: 'dropId', message: 'must be another speaker than keepId' }])
  // The two speakers are locked in the order of their ids, so that concurrent merges of the same speakers do not deadlock.
  const rows = new Map<string, SpeakerRow>()
  for (const id of [keepId, dropId].toSorted()) rows.set(id, await lockSpeaker(ctx, id))
  const [keep, drop] = [rows.get(keepId)!, rows.get(dropId)!]
  const { rows: moved } = await sql<{ submissionId: string }>`
    update submission_speakers x set speaker_id = ${keepId} where x.tenant_id = ${ctx.tenantId} and x.event_id = ${ctx.event.id}
      and x.speaker_id = ${dropId} and not exists (select from submission_speakers k where k.tenant_id = x.tenant_id
        and k.event_id = x.event_id and k.submission_id = x.submission_id and k.speaker_id = ${keepId})
    returning x.submission_id as "submissionId"`.execute(ctx.db)
  const shared = await eventDb(ctx).deleteFrom('submission_speakers').where('speaker_id', '=', dropId).returning('submission_id').execute()
  const sessions = await transferSpeakerSessions(ctx, dropId, keepId)
  const filled = Object.fromEntries(
    Object.entries(FILLED_FIELDS).flatMap(([field, column]) =>
      keep[column] === null && drop[column] !== null ? [[field, drop[column]]] : [],
    ),
  )
  const { changed } = await updateSpeaker(ctx, keepId, filled)
  await deleteSpeakerRow(ctx, drop)
  if (keep.participant_id === null && drop.participant_id !== null)
    changed.push(...(await linkSpeakerToRegistration(ctx, keepId, drop.participant_id)))
  recordChange(ctx, {
    kind: 'speaker',
    id: keepId,
    after: { mergedFrom: dropId, submissions: moved.length, sharedSubmissions: shared.length, sessions },
  })
  return { changed: [...changed, ...(moved.length > 0 ? ['submissions'] : []), ...(sessions > 0 ? ['sessions'] : [])] }
}

/** Deletes a speaker who is in no session. Throws if a submission of the speaker has not ended. */
export async function deleteSpeaker(ctx: EventContext, speakerId: string): Promise<void> {
  const row = await lockSpeaker(ctx, speakerId)
  const live = await eventDb(ctx)
    .selectFrom('submission_speakers as x')
    .innerJoin('submissions as s', (join) => joinRowsOfSameEvent(join, 's.id', 'x.submission_id'))
    .select('s.number')
    .where('x.speaker_id', '=', speakerId)
    .where('s.status', 'not in', [...ENDED_SUBMISSION_STATUSES])
    .orderBy('s.number')
    .execute()
  if (live.length > 0)
    throw preconditionFailed(
      `This speaker is on ${live.map(({ number }) => number).join(', ')}. Withdraw or cancel it, or take the speaker off it with manage_submission, before deleting.`,
    )
  await eventDb(ctx).deleteFrom('submission_speakers').where('speaker_id', '=', speakerId).execute()
  await deleteSpeakerRow(ctx, row)
}
