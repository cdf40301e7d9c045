import { type Selectable, sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext } from '../../kernel/context.ts'
import { AppError, invalidArguments, notFound } from '../../kernel/errors.ts'
import { permissionsOf } from '../../kernel/permissions.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { createApiAccount } from './api-accounts.ts'
import type { ApiAccountsTable, EventCoveredByApiAccount } from './tables.ts'

type Purpose = 'rest' | 'assistant' | 'both'
export const API_ACCOUNT_PURPOSES = ['rest', 'assistant', 'both'] as const

export interface ClientApiAccount {
  id: string
  name: string
  active: boolean
  purpose: Purpose | 'none'
  contactEmail: string | null
  rateLimitPerMinute: number
  wholeClient: boolean
  events: string[]
  /** Codes of the other clients that the API account covers: only an administrator of all of them may change the account. */
  alsoCovers: string[]
  otpSuspendedAt: Date | null
  otpSuspendedReason: string | null
  createdAt: Date
  liveTokens: number
  lastUsedAt: Date | null
}

type AccountRow = Selectable<ApiAccountsTable> & { liveTokens: number; lastUsedAt: Date | null }

const selectAccounts = (ctx: ClientContext) => {
  const here = JSON.stringify([{ tenantCode: ctx.tenantCode, clientCode: ctx.client.code }])
  const tokens = sql`from api_tokens t where t.tenant_id = a.tenant_id and t.account_id = a.id`
  return tenantDb(ctx)
    .selectFrom('api_accounts as a')
    .selectAll('a')
    .select([
      sql<number>`(select count(*)::int ${tokens} and t.revoked_at is null and (t.expires_at is null or t.expires_at > lanyard_now()))`.as(
        'liveTokens',
      ),
      sql<Date | null>`(select max(t.last_used_at) ${tokens})`.as('lastUsedAt'),
    ])
    .where(sql<boolean>`(a.allowed_clients @> ${here}::jsonb or a.allowed_events @> ${here}::jsonb)`)
}

export async function listClientApiAccounts(ctx: ClientContext): Promise<ClientApiAccount[]> {
  const rows = await selectAccounts(ctx)
    .orderBy('a.active', 'desc')
    .orderBy(sql`lower(a.name)`)
    .orderBy('a.id')
    .execute()
  return rows.map((row) => toClientAccount(ctx, row))
}

export async function getClientApiAccount(ctx: ClientContext, id: string): Promise<ClientApiAccount> {
  const row = await selectAccounts(ctx).where('a.id', '=', id).executeTakeFirst()
  if (!row) throw notFound(`No such API account at ${ctx.client.name}`)
  return toClientAccount(ctx, row)
}

function toClientAccount(ctx: ClientContext, row: AccountRow): ClientApiAccount {
  const isHere = (one: { tenantCode: string; clientCode: string }) =>
    one.tenantCode === ctx.tenantCode && one.clientCode === ctx.client.code
  const others = [...row.allowed_clients, ...row.allowed_events].filter((one) => !isHere(one)).map((one) => one.clientCode)
  return {
    id: row.id,
    name: row.name,
    active: row.active,
    purpose: row.rest_access
      ? row.can_act_as_participant_agent
        ? 'both'
        : 'rest'
      : row.can_act_as_participant_agent
        ? 'assistant'
        : 'none',
    contactEmail: row.contact_email,
    rateLimitPerMinute: row.rate_limit_per_minute,
    wholeClient: row.allowed_clients.some(isHere),
    events: row.allowed_events.filter(isHere).map((one) => one.eventCode),
    alsoCovers: [...new Set(others)].toSorted(),
    otpSuspendedAt: row.otp_suspended_at,
    otpSuspendedReason: row.otp_suspended_reason,
    createdAt: row.created_at,
    liveTokens: row.liveTokens,
    lastUsedAt: row.lastUsedAt,
  }
}

/** Whether the actor administers every other client that the account covers. */
export const canChangeApiAccount = (ctx: ClientContext, account: Pick<ClientApiAccount, 'alsoCovers'>): boolean =>
  account.alsoCovers.every((code) =>
    ctx.access.clients.some((client) => client.code === code && permissionsOf(client.roles).has('clients.admin')),
  )

/** Locks the account, so that the audit log records the true previous values. */
export async function lockClientApiAccount(ctx: ClientContext, id: string): Promise<Selectable<ApiAccountsTable>> {
  const row = await selectAccounts(ctx).where('a.id', '=', id).forNoKeyUpdate('a').executeTakeFirst()
  if (!row) throw notFound(`No such API account at ${ctx.client.name}`)
  const account = toClientAccount(ctx, row)
  if (!canChangeApiAccount(ctx, account)) {
    throw new AppError(
      'forbidden',
      `${account.name} covers ${account.alsoCovers.join(', ')} too: changing it needs the clients.admin permission there as well.`,
    )
  }
  return row
}

export interface NewClientApiAccount {
  name: string
  purpose: Purpose
  contactEmail?: string | undefined
  rateLimitPerMinute: number
  /** Codes of the events that the API account covers; if left out, it covers the whole client including future events. */
  events?: readonly string[] | undefined
}

export async function createClientApiAccount(ctx: ClientContext, account: NewClientApiAccount): Promise<string> {
  const here = { tenantCode: ctx.tenantCode, clientCode: ctx.client.code }
  const events = account.events ? await listEvents(ctx, account.events) : []
  const id = await createApiAccount(ctx.db, {
    tenantId: ctx.tenantId,
    name: account.name,
    canActAsParticipantAgent: account.purpose !== 'rest',
    restAccess: account.purpose !== 'assistant',
    allowedClients: account.events ? [] : [here],
    allowedEvents: events,
    contactEmail: account.contactEmail,
    rateLimitPerMinute: account.rateLimitPerMinute,
  })
  const { events: _events, ...fields } = account
  recordChange(ctx, {
    kind: 'apiAccount',
    id,
    after: { ...fields, covers: account.events ? events.map((event) => event.eventCode) : 'all events' },
  })
  return id
}

async function listEvents(ctx: ClientContext, codes: readonly string[]): Promise<EventCoveredByApiAccount[]> {
  const found = await tenantDb(ctx)
    .selectFrom('events')
    .select('code')
    .where('client_id', '=', ctx.client.id)
    .where('code', 'in', codes.length > 0 ? [...codes] : [''])
    .orderBy('code')
    .execute()
  if (found.length === 0) throw invalidArguments([{ path: 'coverage', message: 'choose at least one event, or the whole client' }])
  return found.map(({ code }) => ({ tenantCode: ctx.tenantCode, clientCode: ctx.client.code, eventCode: code }))
}
