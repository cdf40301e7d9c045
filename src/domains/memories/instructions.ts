import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext, EventContext } from '../../kernel/context.ts'
import { defineRecord, editRecord, lockRecord, createConcurrentChangeError } from '../../kernel/records.ts'
import { newId } from '../../kernel/ids.ts'
import { checkRevision } from '../../kernel/revisions.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import type { AssistantMemorySubject } from './places.ts'

export const MAX_INSTRUCTIONS_CHARACTERS = 20_000

const selectInstructions = (ctx: ClientContext) =>
  tenantDb(ctx)
    .selectFrom('custom_instructions as i')
    .innerJoin('users as u', (join) => join.onRef('u.tenant_id', '=', 'i.tenant_id').onRef('u.id', '=', 'i.updated_by'))
    .where('i.client_id', '=', ctx.client.id)
    .select(['i.id', 'i.event_id', 'i.body as text', 'u.name as updatedBy', 'i.updated_at', 'i.revision'])

type InstructionsRow = Awaited<ReturnType<ReturnType<typeof selectInstructions>['execute']>>[number]

const toInstructions = (row: InstructionsRow | undefined) =>
  row?.text ? { text: row.text, updatedAt: formatInstant(row.updated_at), updatedBy: row.updatedBy, revision: row.revision } : null

/** Instructions for assistants at this event. The event's text comes last and takes precedence over the client's. */
export async function getCustomInstructions(ctx: EventContext) {
  const rows = await selectInstructions(ctx)
    .where(sql<boolean>`(i.event_id is null or i.event_id = ${ctx.event.id})`)
    .execute()
  const client = toInstructions(rows.find((row) => row.event_id === null))
  const event = toInstructions(rows.find((row) => row.event_id !== null))
  const parts = [
    client && `For every event of ${ctx.client.name}:\n\n${client.text}`,
    event && `For ${ctx.event.name}; where it differs from the above, this holds:\n\n${event.text}`,
  ]
  return { client, event, combined: client && event ? parts.join('\n\n') : ((client ?? event)?.text ?? '') }
}

/** Lists the instructions for the client and its events; the event id is null for those of the client. */
export async function listInstructions(ctx: ClientContext) {
  const rows = await selectInstructions(ctx).execute()
  return new Map(rows.map((row) => [row.event_id, { updatedBy: row.updatedBy, updatedAt: row.updated_at, empty: row.text === '' }]))
}

/** Returns the instructions as an editor needs them: text and revision; an empty text and revision 0 if there are none. */
export async function findAssistantInstructions(
  ctx: ClientContext,
  { eventId }: AssistantMemorySubject,
): Promise<{ text: string; revision: number }> {
  const row = await selectInstructions(ctx)
    .where(sql<boolean>`i.event_id is not distinct from ${eventId}`)
    .executeTakeFirst()
  return { text: row?.text ?? '', revision: row?.revision ?? 0 }
}

const INSTRUCTIONS_RECORD = defineRecord({
  table: 'custom_instructions',
  kind: 'customInstructions',
  noun: 'Instructions',
  name: ({ id }) => id,
  primaryKey: ['tenant_id', 'id'],
  fields: { text: 'body' },
})

interface WrittenText {
  text: string
  /** The revision of the text that was edited; 0 if there was no text yet. */
  ifRevision: number
}

/** Replaces the instruction text if its revision is unchanged; otherwise the edit is rejected. */
export async function saveCustomInstructions(
  ctx: ClientContext,
  place: AssistantMemorySubject,
  { text, ifRevision }: WrittenText,
): Promise<void> {
  const at = { tenant_id: ctx.tenantId, client_id: ctx.client.id, event_id: place.eventId }
  const before = await lockRecord(ctx, INSTRUCTIONS_RECORD, at)
  checkRevision({ kind: 'Instructions', name: place.name, revision: before?.revision ?? 0 }, ifRevision)
  if (before) await editRecord(ctx, INSTRUCTIONS_RECORD, before, { text }, { updated_by: ctx.actor.id })
  else if (text !== '') await insertInstructions(ctx, place, text)
}

async function insertInstructions(ctx: ClientContext, { eventId, name }: AssistantMemorySubject, text: string): Promise<void> {
  const id = newId()
  const added = await ctx.db
    .insertInto('custom_instructions')
    .values({ tenant_id: ctx.tenantId, id, client_id: ctx.client.id, event_id: eventId, body: text, updated_by: ctx.actor.id })
    .onConflict((c) => c.columns(['tenant_id', 'client_id', 'event_id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  // Instructions that do not exist cannot be locked, so a concurrent request may have inserted them first.
  if (!added) throw createConcurrentChangeError(`Instructions ${name}`)
  recordChange(ctx, { kind: INSTRUCTIONS_RECORD.kind, id, before: { text: '' }, after: { text } })
}
