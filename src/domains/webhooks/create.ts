import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Context } from '../../kernel/context.ts'
import { AppError, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import type { Secret } from '../../kernel/secrets.ts'
import { type WebhookEndpoint, type WebhookEndpointRow, type WebhookAccount, toWebhookEndpoint } from './endpoints.ts'
import { encryptSigningSecret, createSigningSecret } from './secrets.ts'
import { resolveEndpointScope } from './endpoint-scope.ts'

const MAX_ENDPOINTS_PER_ACCOUNT = 20

export interface NewEndpoint {
  /** The endpoint's URL. The caller has checked it, because the check needs a DNS lookup. */
  url: string
  kinds: readonly string[]
  clientCode?: string | null | undefined
  eventCode?: string | null | undefined
  description?: string | undefined
}

/** Creates a webhook endpoint. Returns its signing secret, so that the caller can show it once; only the encrypted secret is stored. */
export async function createEndpoint(
  ctx: Context,
  listener: WebhookAccount,
  asked: NewEndpoint,
): Promise<{ endpoint: WebhookEndpoint; secret: Secret }> {
  await assertEndpointLimit(ctx, listener)
  const { clientCode, eventCode } = await resolveEndpointScope(ctx, listener, asked)
  const id = newId()
  const secret = createSigningSecret()
  const row: WebhookEndpointRow = await ctx.db
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
      secrets: JSON.stringify([encryptSigningSecret(ctx.keys, { tenantId: ctx.tenantId, endpointId: id }, secret)]),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const { url, kinds } = row
  recordChange(ctx, {
    kind: 'webhook',
    id,
    after: { url: removeQueryString(url), kinds, clientCode, eventCode, accountId: listener.id },
  })
  return { endpoint: toWebhookEndpoint(row), secret }
}

/** Removes the query string from a URL, because it often contains an API key. */
export const removeQueryString = (url: string): string => url.replace(/\?.*$/s, '?…')

/**
 * Throws if the account has the maximum number of endpoints. The account is locked, so that concurrent requests cannot exceed the limit.
 */
async function assertEndpointLimit(ctx: Context, { id }: WebhookAccount): Promise<void> {
  await sql`select from api_accounts where tenant_id = ${ctx.tenantId} and id = ${id} for no key update`.execute(ctx.db)
  const { count } = await tenantDb(ctx)
    .selectFrom('webhook_endpoints')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', id)
    .executeTakeFirstOrThrow()
  if (count >= MAX_ENDPOINTS_PER_ACCOUNT)
    throw preconditionFailed(`An API account has at most ${MAX_ENDPOINTS_PER_ACCOUNT} webhooks. Delete one first.`)
}

/** Reports an invalid or unreachable URL as an error of the argument `url`, for created and edited endpoints. */
export const rethrowAsUrlArgumentError = (error: unknown): never => {
  throw error instanceof AppError ? invalidArguments([{ path: 'url', message: error.message }]) : error
}
