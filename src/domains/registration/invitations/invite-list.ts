import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { recordChange } from '../../../kernel/audit.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { foldEmailCase, toEmailAddress } from '../../../kernel/email-address.ts'
import { AppError } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { findAnswerErrorMessage, getResponseTypeRules } from '../../configuration/flow/answer-rules.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'
import { assertKnownTags } from '../add.ts'
import { getFlow, loadEventSnapshot } from '../event-snapshot.ts'
import { INVITE_LIST_STATES } from '../states.ts'

export interface InviteListRow {
  email: string
  firstName?: string | undefined
  lastName?: string | undefined
  company?: string | undefined
  /** The tags of the person, by code; in a spreadsheet also by name. */
  tags?: readonly string[] | undefined
  /** The number of the person's row in the spreadsheet. */
  row?: number | undefined
}

export const MAX_INVITE_LIST_ROWS = 5000

export const createTooManyInvitesError = (given: string) =>
  new AppError('limit_exceeded', `${given} rows are too many for one call. The maximum is ${MAX_INVITE_LIST_ROWS}.`)

const emails = getResponseTypeRules('email')

/** Adds people to the invite list of a flow. They do not count as participants until they register. No emails are sent. */
export async function addToInviteList(
  ctx: EventContext,
  request: { flowSlug: string; rows: readonly InviteListRow[]; tags: readonly string[] },
) {
  if (request.rows.length > MAX_INVITE_LIST_ROWS) throw createTooManyInvitesError(String(request.rows.length))
  const snapshot = await loadEventSnapshot(ctx)
  const { slug } = getFlow(snapshot, request.flowSlug)
  const toCode = createTagLookup(snapshot.config)
  const rows = request.rows.map(({ tags = [], ...row }) => ({ ...row, tags: tags.map(toCode) }))
  assertKnownTags(snapshot.config, [...new Set([...request.tags, ...rows.flatMap(({ tags }) => tags)])])
  const invalid: { row: number; value: string; reason: string }[] = []
  const people = new Map<string, InviteListRow & { tags: string[] }>()
  let repeated = 0
  rows.forEach(({ row: number, ...row }, index) => {
    const email = toEmailAddress(row.email.trim()) ?? row.email.trim()
    const wrong = findAnswerErrorMessage(emails, null, email)
    if (wrong) return void invalid.push({ row: number ?? index + 1, value: row.email.slice(0, 254), reason: wrong })
    const known = people.get(foldEmailCase(email))
    if (known) repeated++
    const tags = [...new Set([...(known?.tags ?? []), ...request.tags, ...row.tags])].sort()
    people.set(foldEmailCase(email), { ...row, ...known, email: known?.email ?? email, tags })
  })
  const outcome = await mergeInviteList(ctx, slug, [...people.values()])
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

/** Returns a function that finds a tag by code or name. An unknown tag is kept unchanged and reported. */
function createTagLookup({ tags }: Pick<EventConfig, 'tags'>): (named: string) => string {
  const codes = new Map(tags.flatMap(({ code, name }) => [[name.trim().toLowerCase(), code] as const]))
  for (const { code } of tags) codes.set(code, code)
  return (named) => codes.get(named.trim().toLowerCase()) ?? named
}

interface Merged {
  added: number
  listed: number
  registered: number
  changed: number
  size: number
}

const REMOVED = 'removed'
const LISTED_AGAIN = INVITE_LIST_STATES.move(REMOVED, 'invited')
const REGISTERED = INVITE_LIST_STATES.move(REMOVED, 'registered')

/**
 * Merges people into the invite list in one statement: adds new entries, fills in missing fields of existing ones, and links people who
 * have already registered in the flow.
 */
async function mergeInviteList(ctx: EventContext, flowSlug: string, people: readonly InviteListRow[]): Promise<Merged> {
  // The hashes of link tokens are random placeholders: no invitation link exists until these people are invited by email.
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
      select distinct on (p.email_norm) p.email_norm, p.id from participants p join given g on p.email_norm = lanyard_fold_email(g.email)
      where p.tenant_id = ${ctx.tenantId} and p.event_id = ${ctx.event.id} and p.flow_slug = ${flowSlug}
        and p.status in ('complete', 'waitlisted') and not p.is_test_data
      order by p.email_norm, p.id),
    listed as (
      select i.email_norm, i.status from invite_list_entries i join given g on i.email_norm = lanyard_fold_email(g.email)
      where i.tenant_id = ${ctx.tenantId} and i.event_id = ${ctx.event.id} and i.flow_slug = ${flowSlug}),
    kept as (
      insert into invite_list_entries as i
        (tenant_id, event_id, id, flow_slug, email, first_name, last_name, company, tags, token_hash, status, participant_id)
      select ${ctx.tenantId}, ${ctx.event.id}, g.id, ${flowSlug}, g.email, g."firstName", g."lastName", g.company, g.tags, decode(g.token, 'hex'),
        case when t.id is null then 'invited' else 'registered' end, t.id
      from given g left join there t on t.email_norm = lanyard_fold_email(g.email)
      on conflict (tenant_id, event_id, flow_slug, email_norm) do update set
        first_name = coalesce(i.first_name, excluded.first_name), last_name = coalesce(i.last_name, excluded.last_name),
        company = coalesce(i.company, excluded.company),
        tags = array(select distinct t from unnest(i.tags || excluded.tags) t order by t),
        participant_id = coalesce(i.participant_id, excluded.participant_id),
        status = case when excluded.participant_id is not null then ${REGISTERED} when i.status = ${REMOVED} then ${LISTED_AGAIN} else i.status end
      returning 1)
    select
      (count(*) filter (where t.id is null and (l.email_norm is null or l.status = 'removed')))::int as added,
      (count(*) filter (where t.id is null and l.email_norm is not null and l.status <> 'removed'))::int as listed,
      (count(*) filter (where t.id is not null))::int as registered,
      (select count(*) from kept)::int as changed
    from given g left join there t on t.email_norm = lanyard_fold_email(g.email) left join listed l on l.email_norm = lanyard_fold_email(g.email)`.execute(
    ctx.db,
  )
  const { size } = await eventDb(ctx)
    .selectFrom('invite_list_entries')
    .select((eb) => eb.fn.countAll<number>().as('size'))
    .where('flow_slug', '=', flowSlug)
    .where('status', '<>', 'removed')
    .executeTakeFirstOrThrow()
  return { ...counted[0]!, size }
}
