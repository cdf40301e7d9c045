import type { ComputedColumn } from '../../../src/kernel/columns.ts'
import { count, email, flag, id, list, object, untrustedText, pageArguments, pageResult, text } from '../../../src/kernel/args.ts'
import { recordChange } from '../../../src/kernel/audit.ts'
import { notFound } from '../../../src/kernel/errors.ts'
import { newId } from '../../../src/kernel/ids.ts'
import { readPage } from '../../../src/kernel/page.ts'
import { personTool, registrantTool, type RegistrantContext, signInTool } from '../../../src/kernel/participant-tool.ts'
import type { Pool } from '../../../src/kernel/ports.ts'
import type { Tool } from '../../../src/kernel/tool.ts'
import { sql } from 'kysely'

/** One tool of each kind that the participant endpoint supports, for wishes stored with a registration. */

interface WishesTable {
  tenant_id: number
  event_id: string
  participant_id: string
  id: string
  text: string
  created_at: ComputedColumn<Date>
}

declare module '../../../src/kernel/columns.ts' {
  interface Tables {
    fixture_wishes: WishesTable
  }
}

export async function createWishesTable(pool: Pool): Promise<void> {
  await pool.query(`
    create table if not exists fixture_wishes (
      tenant_id integer not null, event_id text not null, participant_id text not null, id text not null, text text not null,
      created_at timestamptz not null default lanyard_now(), primary key (tenant_id, event_id, id),
      foreign key (tenant_id, event_id, participant_id) references participants)`)
}

const Wish = object({ id: id(), text: untrustedText() })

const wishesOf = (ctx: RegistrantContext) =>
  ctx.db
    .selectFrom('fixture_wishes')
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('participant_id', '=', ctx.person.participantId)

const signIn = signInTool({
  name: 'fixture_sign_in',
  title: 'Ask for a code',
  description: 'Ask for a code by mail.',
  effect: 'change',
  keyed: true,
  input: { email: email() },
  output: { sent: flag(), account: text() },
  run: (ctx, input) => {
    recordChange(ctx, { kind: 'code', id: newId(), after: { email: input.email } })
    return Promise.resolve({ sent: true, account: ctx.account.name })
  },
})

const whoami = personTool({
  name: 'fixture_whoami',
  title: 'Who am I',
  description: 'Return who is signed in.',
  effect: 'read',
  input: {},
  output: { email: untrustedText(), registrations: count(), event: text() },
  run: (ctx) => Promise.resolve({ email: ctx.person.email, registrations: ctx.person.participantIds.length, event: ctx.event.code }),
})

const listWishes = registrantTool({
  name: 'fixture_list_wishes',
  title: 'List wishes',
  description: 'List the wishes of the person.',
  effect: 'read',
  input: { ...pageArguments },
  output: { wishes: list(Wish), ...pageResult },
  run: async (ctx, request) => {
    const { items, ...rest } = await readPage(ctx, request, {
      rows: wishesOf(ctx).select(['id', 'text']),
      order: [{ by: sql`id`, type: 'text', of: (row) => row.id }],
      shape: (row) => row,
    })
    return { wishes: items, ...rest }
  },
})

const getWish = registrantTool({
  name: 'fixture_get_wish',
  title: 'Get a wish',
  description: 'Read one wish of the person.',
  effect: 'read',
  unidentifiedMessage: 'No participant identity available',
  input: { wishId: id() },
  output: { wish: Wish },
  run: async (ctx, input) => {
    const wish = await wishesOf(ctx).where('id', '=', input.wishId).select(['id', 'text']).executeTakeFirst()
    if (!wish) throw notFound(`No wish ${input.wishId} of this person`)
    return { wish }
  },
})

const addWish = registrantTool({
  name: 'fixture_add_wish',
  title: 'Add a wish',
  description: 'Add a wish of the person.',
  effect: 'change',
  keyed: true,
  input: { text: text(100) },
  output: { wish: Wish },
  run: async (ctx, input) => {
    const wish = { id: newId(), text: input.text }
    const row = { tenant_id: ctx.tenantId, event_id: ctx.event.id, participant_id: ctx.person.participantId, ...wish }
    await ctx.db.insertInto('fixture_wishes').values(row).execute()
    recordChange(ctx, { kind: 'wish', id: wish.id, after: { text: input.text } })
    return { wish }
  },
})

const dropWishes = registrantTool({
  name: 'fixture_drop_wishes',
  title: 'Drop wishes',
  description: 'Drop all wishes of the person; this cannot be undone.',
  effect: 'destructive',
  dryRun: true,
  idempotent: true,
  input: {},
  output: { dropped: count() },
  run: async (ctx) => {
    const rows = await wishesOf(ctx).select(['id', 'text']).execute()
    for (const { id: wishId, text: wish } of rows) {
      await ctx.db.deleteFrom('fixture_wishes').where('tenant_id', '=', ctx.tenantId).where('id', '=', wishId).execute()
      ctx.effects.add('deletes', wishId, { text: wish })
      recordChange(ctx, { kind: 'wish', id: wishId, before: { text: wish } })
    }
    return { dropped: rows.length }
  },
})

const fetchMine = personTool({
  name: 'fixture_fetch',
  title: 'Fetch something',
  description: 'Call an external service for the person.',
  effect: 'read',
  openWorld: true,
  input: {},
  output: { asked: text() },
  prefetch: (ctx) => Promise.resolve(`${ctx.person.email} ${typeof ctx.fetcher}`),
  run: (_ctx, _input, reached) => Promise.resolve({ asked: reached }),
})

export const PARTICIPANT_FIXTURES: readonly Tool[] = [signIn, whoami, listWishes, getWish, addWish, dropWishes, fetchMine]
