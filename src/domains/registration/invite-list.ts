import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { checkAnswer, rulesOfType } from '../configuration/flow/values.ts'
import { refuseUnknownTags } from './add.ts'
import { getFlow, openScene } from './scene.ts'

export interface InvitedRow {
  email: string
  firstName?: string | undefined
  lastName?: string | undefined
  company?: string | undefined
  tags?: readonly string[] | undefined
}

export const MAX_INVITED = 5000

const emails = rulesOfType('email')

/** Puts people on the list of who may enter a flow. They are no participants and count nowhere until they register; nothing is sent. */
export async function addToInviteList(
  ctx: EventContext,
  asked: { flowSlug: string; rows: readonly InvitedRow[]; tags: readonly string[] },
) {
  if (asked.rows.length > MAX_INVITED) {
    throw new AppError('limit_exceeded', `${asked.rows.length} rows are too many for one call — ${MAX_INVITED} at most`)
  }
  const scene = await openScene(ctx)
  const { slug } = getFlow(scene, asked.flowSlug)
  refuseUnknownTags(scene.config, [...new Set([...asked.tags, ...asked.rows.flatMap(({ tags = [] }) => tags)])])
  const invalid: { row: number; value: string; reason: string }[] = []
  const people = new Map<string, InvitedRow & { tags: string[] }>()
  let repeated = 0
  asked.rows.forEach((row, index) => {
    const email = row.email.trim()
    const wrong = checkAnswer(emails, null, email)
    if (wrong) return void invalid.push({ row: index + 1, value: row.email.slice(0, 254), reason: wrong })
    const known = people.get(email.toLowerCase())
    if (known) repeated++
    const tags = [...new Set([...(known?.tags ?? []), ...asked.tags, ...(row.tags ?? [])])].sort()
    people.set(email.toLowerCase(), { ...row, ...known, email: known?.email ?? email, tags })
  })
  const outcome = await merge(ctx, slug, [...people.values()])
  if (outcome.changed > 0) {
    recordChange(ctx, {
      kind: 'inviteList',
      id: `${ctx.event.id}:${slug}`,
      after: { added: outcome.added + outcome.registered, flowSlug: slug },
    })
  }
  return {
    added: outcome.added,
    alreadyListed: outcome.listed + repeated,
    alreadyRegistered: outcome.registered,
    invalid: invalid.slice(0, 100),
    invalidCount: invalid.length,
    listSize: outcome.size,
  }
}

interface Merged {
  added: number
  listed: number
  registered: number
  changed: number
  size: number
}

/** One statement for all of them: new ones are added, those listed gain what they lacked, those who registered in the flow are linked. */
async function merge(ctx: EventContext, flowSlug: string, people: readonly InvitedRow[]): Promise<Merged> {
  // Nobody sees these tokens: a campaign makes the links when it is sent.
  const rows = people.map((one) => ({
    ...one,
    id: newId(),
    token: createHash('sha256').update(randomBytes(32)).digest('hex'),
  }))
  const { rows: counted } = await sql<Omit<Merged, 'size'>>`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as g(id text, email text, "firstName" text, "lastName" text, company text, tags text[], token text)),
    there as (
      select distinct on (p.email_norm) p.email_norm, p.id from participants p join given g on p.email_norm = lower(g.email)
      where p.tenant_id = ${ctx.tenantId} and p.event_id = ${ctx.event.id} and p.flow_slug = ${flowSlug}
        and p.status in ('complete', 'waitlisted') and not p.is_test_data
      order by p.email_norm, p.id),
    listed as (
      select i.email_norm, i.status from invite_list_entries i join given g on i.email_norm = lower(g.email)
      where i.tenant_id = ${ctx.tenantId} and i.event_id = ${ctx.event.id} and i.flow_slug = ${flowSlug}),
    kept as (
      insert into invite_list_entries as i
        (tenant_id, event_id, id, flow_slug, email, first_name, last_name, company, tags, token_hash, status, participant_id)
      select ${ctx.tenantId}, ${ctx.event.id}, g.id, ${flowSlug}, g.email, g."firstName", g."lastName", g.company, g.tags, decode(g.token, 'hex'),
        case when t.id is null then 'invited' else 'registered' end, t.id
      from given g left join there t on t.email_norm = lower(g.email)
      on conflict (tenant_id, event_id, flow_slug, email_norm) do update set
        first_name = coalesce(i.first_name, excluded.first_name), last_name = coalesce(i.last_name, excluded.last_name),
        company = coalesce(i.company, excluded.company),
        tags = array(select distinct t from unnest(i.tags || excluded.tags) t order by t),
        participant_id = coalesce(i.participant_id, excluded.participant_id),
        status = case when excluded.participant_id is not null then 'registered' when i.status = 'removed' then 'invited' else i.status end
      returning 1)
    select
      (count(*) filter (where t.id is null and (l.email_norm is null or l.status = 'removed')))::int as added,
      (count(*) filter (where t.id is null and l.email_norm is not null and l.status <> 'removed'))::int as listed,
      (count(*) filter (where t.id is not null))::int as registered,
      (select count(*) from kept)::int as changed
    from given g left join there t on t.email_norm = lower(g.email) left join listed l on l.email_norm = lower(g.email)`.execute(ctx.db)
  const { size } = await ctx.db
    .selectFrom('invite_list_entries')
    .select((eb) => eb.fn.countAll<number>().as('size'))
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('flow_slug', '=', flowSlug)
    .where('status', '<>', 'removed')
    .executeTakeFirstOrThrow()
  return { ...counted[0]!, size }
}
