import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { TenantScope } from '../../kernel/scoped-db.ts'
import { hashToken, newToken, Secret } from '../../kernel/secrets.ts'
import type { ClientCoveredByApiAccount, EventCoveredByApiAccount } from './tables.ts'

interface NewAccount {
  tenantId: number
  name: string
  canActAsParticipantAgent: boolean
  restAccess: boolean
  allowedClients: readonly ClientCoveredByApiAccount[]
  allowedEvents: readonly EventCoveredByApiAccount[]
  contactEmail?: string | undefined
  rateLimitPerMinute?: number | undefined
}

export async function createApiAccount(db: Db, account: NewAccount): Promise<string> {
  const id = newId()
  await db
    .insertInto('api_accounts')
    .values({
      tenant_id: account.tenantId,
      id,
      name: account.name,
      can_act_as_participant_agent: account.canActAsParticipantAgent,
      rest_access: account.restAccess,
      contact_email: account.contactEmail ?? null,
      ...(account.rateLimitPerMinute ? { rate_limit_per_minute: account.rateLimitPerMinute } : {}),
      allowed_clients: JSON.stringify(account.allowedClients),
      allowed_events: JSON.stringify(account.allowedEvents),
      otp_suspended_reason: null,
    })
    .execute()
  return id
}

/** Creates an API token, which is shown once. Only its hash is stored, with the last four characters to distinguish tokens. */
export async function issueApiToken(
  db: Db,
  account: { tenantId: number; accountId: string },
  { lifetimeDays }: { lifetimeDays?: number | undefined } = {},
): Promise<Secret> {
  const token = newToken('lak_')
  await sql`
    insert into api_tokens (hash, tenant_id, account_id, hint, expires_at)
    values (${hashToken(token)}, ${account.tenantId}, ${account.accountId}, ${token.slice(-4)},
      lanyard_now() + make_interval(days => ${lifetimeDays ?? null}::int))`.execute(db)
  return new Secret(token)
}

export async function getApiAccount(db: Db, id: string) {
  const account = await db
    .selectFrom('api_accounts')
    .select(['tenant_id as tenantId', 'id as accountId', 'name'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!account) throw notFound(`No API account ${id}`)
  return account
}

/** Stops an API account from requesting sign-in codes. Returns the time of the suspension. */
export async function suspendSignInCodeRequests({ db, tenantId }: TenantScope, accountId: string, reason: string): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`
    update api_accounts set otp_suspended_at = lanyard_now(), otp_suspended_reason = ${reason}
    where tenant_id = ${tenantId} and id = ${accountId} returning otp_suspended_at as at`.execute(db)
  return rows[0]!.at
}

export async function revokeApiTokens(db: Db, account: { tenantId: number; accountId: string }): Promise<number> {
  const { rows } = await sql`
    update api_tokens set revoked_at = lanyard_now()
    where tenant_id = ${account.tenantId} and account_id = ${account.accountId} and revoked_at is null returning 1`.execute(db)
  return rows.length
}

export async function listApiAccounts(db: Db) {
  return db
    .selectFrom('api_accounts')
    .select((eb) => [
      'id',
      'name',
      'active',
      'can_act_as_participant_agent as agent',
      'rest_access as rest',
      'allowed_clients as clients',
      'allowed_events as events',
      eb
        .selectFrom('api_tokens')
        .whereRef('api_tokens.tenant_id', '=', 'api_accounts.tenant_id')
        .whereRef('api_tokens.account_id', '=', 'api_accounts.id')
        .where('api_tokens.revoked_at', 'is', null)
        .select(eb.fn.countAll<number>().as('n'))
        .as('liveTokens'),
    ])
    .orderBy('id')
    .execute()
}
