import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Context } from '../../kernel/context.ts'
import { AppError, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import type { Secret } from '../../kernel/secrets.ts'
import { type Endpoint, type EndpointRow, type Listener, toEndpoint } from './endpoints.ts'
import { keptSecret, newSigningSecret } from './secrets.ts'
import { placeOf } from './where.ts'

const MOST = 20

export interface NewEndpoint {
  /** Checked by the caller, who may ask name servers. */
  url: string
  kinds: readonly string[]
  clientCode?: string | null | undefined
  eventCode?: string | null | undefined
  description?: string | undefined
}

/** The secret is in no record but sealed: the caller shows it once. */
export async function createEndpoint(
  ctx: Context,
  listener: Listener,
  asked: NewEndpoint,
): Promise<{ endpoint: Endpoint; secret: Secret }> {
  await refuseTooMany(ctx, listener)
  const { clientCode, eventCode } = await placeOf(ctx, listener, asked)
  const id = newId()
  const secret = newSigningSecret()
  const row: EndpointRow = await ctx.db
    .insertInto('webhook_endpoints')
    .values({
      tenant_id: ctx.tenantId,
      id,
      account_id: listener.id,
      url: asked.url,
      kinds: [...asked.kinds],
      client_code: clientCode,
      event_code: eventCode,
      description: asked.description ?? '',
      secrets: JSON.stringify([keptSecret(ctx.keys, { tenantId: ctx.tenantId, endpointId: id }, secret)]),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const { url, kinds } = row
  recordChange(ctx, { kind: 'webhook', id, after: { url: withoutQuery(url), kinds, clientCode, eventCode, accountId: listener.id } })
  return { endpoint: toEndpoint(row), secret }
}

/** What stands after the question mark of an address is often a key. */
export const withoutQuery = (url: string): string => url.replace(/\?.*$/s, '?…')

/** Behind the account's lock: of two at once the second counts the first. */
async function refuseTooMany(ctx: Context, { id }: Listener): Promise<void> {
  await sql`select from api_accounts where tenant_id = ${ctx.tenantId} and id = ${id} for no key update`.execute(ctx.db)
  const { count } = await tenantDb(ctx)
    .selectFrom('webhook_endpoints')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', id)
    .executeTakeFirstOrThrow()
  if (count >= MOST) throw preconditionFailed(`An API account has at most ${MOST} webhooks: delete one first`)
}

/** For an edit too: an address that nobody could be reached at is told when it is saved. */
export const refuseAddress = (error: unknown): never => {
  throw error instanceof AppError ? invalidArguments([{ path: 'url', message: error.message }]) : error
}
