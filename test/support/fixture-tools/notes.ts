import { sql } from 'kysely'
import type { Generated } from 'kysely'
import { recordChange } from '../../../src/kernel/audit.ts'
import type { ComputedColumn } from '../../../src/kernel/columns.ts'
import type { EventContext } from '../../../src/kernel/context.ts'
import { notFound } from '../../../src/kernel/errors.ts'
import { newId } from '../../../src/kernel/ids.ts'
import { readPage } from '../../../src/kernel/page.ts'
import type { Pool } from '../../../src/kernel/ports.ts'
import { checkRevision } from '../../../src/kernel/revisions.ts'
import { buildWordMatchCondition } from '../../../src/kernel/search.ts'
import { defineStateMachine } from '../../../src/kernel/states.ts'

/** A small domain for the fixture tools: notes pinned to an event. */

interface NotesTable {
  tenant_id: number
  event_id: string
  id: string
  text: string
  status: Generated<'open' | 'closed'>
  revision: ComputedColumn<number>
  created_at: ComputedColumn<Date>
  updated_at: ComputedColumn<Date>
}

declare module '../../../src/kernel/columns.ts' {
  interface Tables {
    fixture_notes: NotesTable
  }
}

export async function createNotesTable(pool: Pool): Promise<void> {
  await pool.query(`
    create table if not exists fixture_notes (
      tenant_id integer not null, event_id text not null, id text not null, text text not null, status text not null default 'open',
      revision integer not null default 1, created_at timestamptz not null default lanyard_now(), updated_at timestamptz not null default lanyard_now(),
      primary key (tenant_id, event_id, id), foreign key (tenant_id, event_id) references events);
    create or replace trigger fixture_notes_touch before update on fixture_notes for each row execute function lanyard_touch();`)
}

const noteStates = defineStateMachine({
  column: 'fixture_notes.status',
  kind: 'note',
  noun: 'note',
  initial: 'open',
  moves: { open: ['closed'], closed: ['open'] },
})

const notesOf = (ctx: EventContext) =>
  ctx.db.selectFrom('fixture_notes').where('tenant_id', '=', ctx.tenantId).where('event_id', '=', ctx.event.id)

export async function getNote(ctx: EventContext, noteId: string) {
  const note = await notesOf(ctx).where('id', '=', noteId).select(['id', 'text', 'status', 'revision']).executeTakeFirst()
  if (!note)
    throw notFound(`No note ${noteId} at this event — fixture_list_notes shows them`, {
      fix: { tool: 'fixture_list_notes', arguments: { eventCode: ctx.event.code } },
    })
  return note
}

export async function listNotes(ctx: EventContext, request: { search?: string | undefined; limit: number; cursor?: string | undefined }) {
  const { items, ...page } = await readPage(ctx, request, {
    rows: notesOf(ctx)
      .$if(request.search !== undefined, (q) => q.where(buildWordMatchCondition(sql`lanyard_searched(text)`, request.search!)))
      .select(['id', 'text', 'status', 'revision']),
    order: [{ by: sql`id`, type: 'text', of: (row) => row.id }],
    shape: (row) => row,
  })
  return { notes: items, ...page }
}

export async function addNote(ctx: EventContext, text: string) {
  const note = await ctx.db
    .insertInto('fixture_notes')
    .values({ tenant_id: ctx.tenantId, event_id: ctx.event.id, id: newId(), text })
    .returning(['id', 'text', 'status', 'revision'])
    .executeTakeFirstOrThrow()
  recordChange(ctx, { kind: 'note', id: note.id, after: { text } })
  return note
}

export async function editNote(
  ctx: EventContext,
  edit: { noteId: string; text?: string | undefined; status?: 'open' | 'closed' | undefined; ifRevision?: number | undefined },
) {
  const before = await getNote(ctx, edit.noteId)
  checkRevision({ kind: 'Note', name: before.id, revision: before.revision }, edit.ifRevision)
  if (edit.status) noteStates.move(before.status, edit.status)
  const after = await ctx.db
    .updateTable('fixture_notes')
    .set({ text: edit.text ?? before.text, status: edit.status ?? before.status })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', edit.noteId)
    .returning(['id', 'text', 'status', 'revision'])
    .executeTakeFirstOrThrow()
  recordChange(ctx, {
    kind: 'note',
    id: after.id,
    before: { text: before.text, status: before.status },
    after: { text: after.text, status: after.status },
  })
  return after
}

export async function deleteNotes(ctx: EventContext, search: string | undefined): Promise<number> {
  const notes = await notesOf(ctx)
    .$if(search !== undefined, (q) => q.where(buildWordMatchCondition(sql`lanyard_searched(text)`, search!)))
    .select(['id', 'text'])
    .orderBy('id')
    .forUpdate()
    .execute()
  for (const { id, text } of notes) {
    ctx.effects.add('deletes', id, { noteId: id, text })
    recordChange(ctx, { kind: 'note', id, before: { text } })
  }
  await ctx.db
    .deleteFrom('fixture_notes')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', sql<string>`any(${notes.map((note) => note.id)})`)
    .execute()
  return notes.length
}
