import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext, EventContext } from '../../kernel/context.ts'
import { editableRecord, editRecord, lockRecord, movedOn } from '../../kernel/edit-record.ts'
import { newId } from '../../kernel/ids.ts'
import { checkRevision } from '../../kernel/revisions.ts'
import { toInstant } from '../../kernel/time.ts'
import type { Place } from './places.ts'
import type {} from './tables.ts'

export const MAX_INSTRUCTIONS = 20_000

const instructions = (ctx: ClientContext) =>
  ctx.db
    .selectFrom('custom_instructions as i')
    .innerJoin('users as u', (join) => join.onRef('u.tenant_id', '=', 'i.tenant_id').onRef('u.id', '=', 'i.updated_by'))
    .where('i.tenant_id', '=', ctx.tenantId)
    .where('i.client_id', '=', ctx.client.id)
    .select(['i.id', 'i.event_id', 'i.body as text', 'u.name as updatedBy', 'i.updated_at', 'i.revision'])

type Row = Awaited<ReturnType<ReturnType<typeof instructions>['execute']>>[number]

const toInstructions = (row: Row | undefined) =>
  row?.text ? { text: row.text, updatedAt: toInstant(row.updated_at), updatedBy: row.updatedBy, revision: row.revision } : null

/** What assistants are asked to keep to at this event; where the two differ, the event's stands last and wins. */
export async function getCustomInstructions(ctx: EventContext) {
  const rows = await instructions(ctx)
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

/** Every text of the client, by event; the client's own is under null. */
export async function listInstructions(ctx: ClientContext) {
  const rows = await instructions(ctx).execute()
  return new Map(rows.map((row) => [row.event_id, { updatedBy: row.updatedBy, updatedAt: row.updated_at, empty: row.text === '' }]))
}

/** The text as it is edited: what was never written is empty and at revision 0. */
export async function findInstructions(ctx: ClientContext, { eventId }: Place): Promise<{ text: string; revision: number }> {
  const row = await instructions(ctx)
    .where(sql<boolean>`i.event_id is not distinct from ${eventId}`)
    .executeTakeFirst()
  return { text: row?.text ?? '', revision: row?.revision ?? 0 }
}

const INSTRUCTIONS = editableRecord({
  table: 'custom_instructions',
  kind: 'customInstructions',
  noun: 'Instructions',
  name: ({ id }) => id,
  key: ['tenant_id', 'id'],
  fields: { text: 'body' },
})

interface Written {
  text: string
  /** The revision that was edited; 0 where nothing was written yet. */
  ifRevision: number
}

/** Puts the text in place of what stood there at that revision; who was slower than somebody else is refused. */
export async function writeInstructions(ctx: ClientContext, place: Place, { text, ifRevision }: Written): Promise<void> {
  const at = { tenant_id: ctx.tenantId, client_id: ctx.client.id, event_id: place.eventId }
  const before = await lockRecord(ctx, INSTRUCTIONS, at)
  checkRevision({ kind: 'Instructions', name: place.name, revision: before?.revision ?? 0 }, ifRevision)
  if (before) await editRecord(ctx, INSTRUCTIONS, before, { text }, { updated_by: ctx.actor.id })
  else if (text !== '') await addText(ctx, place, text)
}

async function addText(ctx: ClientContext, { eventId, name }: Place, text: string): Promise<void> {
  const id = newId()
  const added = await ctx.db
    .insertInto('custom_instructions')
    .values({ tenant_id: ctx.tenantId, id, client_id: ctx.client.id, event_id: eventId, body: text, updated_by: ctx.actor.id })
    .onConflict((c) => c.columns(['tenant_id', 'client_id', 'event_id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  // Two wrote the first text at once: there was no row that either could have locked.
  if (!added) throw movedOn(`Instructions ${name}`)
  recordChange(ctx, { kind: INSTRUCTIONS.kind, id, before: { text: '' }, after: { text } })
}
