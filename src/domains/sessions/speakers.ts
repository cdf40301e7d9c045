import type { Selectable } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { conflict, invalidArguments, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { type RecordEdit, editRecord, lockRecord, type NewRecord, auditNewRecord, toRecordColumns } from '../../kernel/records.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { readDraftConfiguration } from '../configuration/read.ts'
import { buildContactIdExpression } from '../contacts/link.ts'
import { getFile } from '../files/files.ts'
import { FILE_PURPOSES } from '../files/purposes.ts'
import type { SessionQueryContext, SessionContext } from './context.ts'
import { validateCustomQuestionAnswers } from './custom-answers.ts'
import { SPEAKER_RECORD } from './speaker-record.ts'
import { SPEAKER_STATES } from './states.ts'

export type SpeakerRow = Selectable<Tables['speakers']>
export type SpeakerStatus = SpeakerRow['status']

export interface NewSpeaker extends NewRecord<typeof SPEAKER_RECORD> {
  status?: 'prospect' | 'invited' | 'confirmed'
}

const selectSpeakers = (ctx: SessionQueryContext) => eventDb(ctx).selectFrom('speakers').selectAll()

export async function getSpeaker(ctx: SessionQueryContext, speakerId: string): Promise<SpeakerRow> {
  const row = await selectSpeakers(ctx).where('id', '=', speakerId).executeTakeFirst()
  if (!row) throw notFound(`No speaker ${speakerId} at this event. Use list_speakers to search by name, email or company.`)
  return row
}

export const findSpeakerByEmail = async (ctx: SessionQueryContext, email: string): Promise<SpeakerRow | null> =>
  (await selectSpeakers(ctx).where('email_norm', '=', foldEmailCase(email)).executeTakeFirst()) ?? null

export async function lockSpeaker(ctx: SessionContext, speakerId: string): Promise<SpeakerRow> {
  await getSpeaker(ctx, speakerId)
  return (await lockRecord(ctx, SPEAKER_RECORD, { tenant_id: ctx.tenantId, event_id: ctx.event.id, id: speakerId }))!
}

/** Creates a speaker, who is identified by email address within the event, and links the speaker to the contact with that address. */
export async function createSpeaker(ctx: SessionContext, { status = 'prospect', ...speaker }: NewSpeaker): Promise<SpeakerRow> {
  const checked = { ...speaker, ...(await checkFields(ctx, speaker)) }
  const columns = toRecordColumns(SPEAKER_RECORD, checked)
  const row = await ctx.db
    .insertInto('speakers')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      ...(columns as typeof columns & { first_name: string; last_name: string; email: string }),
      ...buildContactIdExpression(ctx, null, toContactFields(checked)),
      status,
    })
    .onConflict((c) => c.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) throw await emailTakenError(ctx, speaker.email)
  auditNewRecord(ctx, SPEAKER_RECORD, row)
  return row
}

const toContactFields = ({ firstName, lastName, email, company, jobTitle }: Partial<NewSpeaker>) => ({
  first_name: firstName,
  last_name: lastName,
  email,
  company: company ?? null,
  job_title: jobTitle ?? null,
})

const emailTakenError = async (ctx: SessionContext, email: string) => {
  const other = await findSpeakerByEmail(ctx, email)
  return conflict(
    `Another speaker here has the email address ${email}${other ? ` (${other.id})` : ''}. Edit that speaker, or merge the two.`,
    other ? { fix: { tool: 'manage_speaker', arguments: { action: 'get', speakerId: other.id }, here: true } } : {},
  )
}

type SpeakerEdit = RecordEdit<typeof SPEAKER_RECORD>

export async function updateSpeaker(ctx: SessionContext, speakerId: string, edit: SpeakerEdit) {
  const checked = { ...edit, ...(await checkFields(ctx, edit)) }
  const before = await lockSpeaker(ctx, speakerId)
  if (edit.email !== undefined && foldEmailCase(edit.email) !== before.email_norm && (await findSpeakerByEmail(ctx, edit.email)))
    throw await emailTakenError(ctx, edit.email)
  return editRecord(ctx, SPEAKER_RECORD, before, checked)
}

/** Validates what the argument types do not check: answers, times and the photo. */
async function checkFields(
  ctx: SessionContext,
  { answers, availability, headshotFileId }: SpeakerEdit,
): Promise<Pick<SpeakerEdit, 'answers'>> {
  const errors = (availability ?? []).flatMap(({ from, until }, at) =>
    from < until ? [] : [{ path: `availability.${at}.until`, message: 'must be after from' }],
  )
  if (errors.length > 0) throw invalidArguments(errors)
  if (headshotFileId) {
    const { mime, eventId } = await getFile(ctx, { fileId: headshotFileId, clientId: ctx.client.id })
    if (eventId !== null && eventId !== ctx.event.id) throw notFound(`No file ${headshotFileId}`)
    if (!(FILE_PURPOSES.headshot.accept as readonly string[]).includes(mime))
      throw invalidArguments([{ path: 'headshotFileId', message: 'is not a photo in PNG, JPEG or WebP format' }])
  }
  if (!answers || Object.keys(answers).length === 0) return {}
  const { config } = await readDraftConfiguration(ctx)
  const read = validateCustomQuestionAnswers(
    config,
    config.customFields.map(({ code }) => code),
    answers,
  )
  if (read.errors.length > 0) throw invalidArguments(read.errors)
  return { answers: read.answers }
}

/** Sets whether a speaker takes part. The sessions of a speaker who withdraws are kept. Setting the same status again changes nothing. */
export async function setSpeakerStatus(ctx: SessionContext, speakerId: string, status: SpeakerStatus, reason?: string): Promise<boolean> {
  const row = await lockSpeaker(ctx, speakerId)
  if (row.status === status) return false
  await changeRecordState(ctx, SPEAKER_STATES, row, status, { audited: reason === undefined ? {} : { reason } })
  return true
}

/** Links a speaker to their registration. This confirms a speaker who has not answered yet. */
export async function linkSpeakerToRegistration(ctx: SessionContext, speakerId: string, participantId: string): Promise<string[]> {
  const row = await lockSpeaker(ctx, speakerId)
  const changed: string[] = []
  if (row.participant_id !== participantId) {
    await eventDb(ctx).updateTable('speakers').set({ participant_id: participantId }).where('id', '=', row.id).execute()
    recordChange(ctx, { kind: 'speaker', id: row.id, before: { participantId: row.participant_id }, after: { participantId } })
    changed.push('participantId')
  }
  if (row.status === 'prospect' || row.status === 'invited') {
    await changeRecordState(ctx, SPEAKER_STATES, row, 'confirmed')
    changed.push('status')
  }
  return changed
}

/** Links an invited speaker who registered through a speaker flow. Speakers are linked only if the email address is verified. */
export async function linkRegisteredSpeaker(
  ctx: SessionContext,
  { id, email, is_test_data, email_unverified }: { id: string; email: string | null; is_test_data: boolean; email_unverified: boolean },
): Promise<void> {
  if (email === null || is_test_data || email_unverified) return
  const speaker = await findSpeakerByEmail(ctx, email)
  if (speaker && speaker.participant_id === null) await linkSpeakerToRegistration(ctx, speaker.id, id)
}
