import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { hashToken, newToken, equalInConstantTime, Secret } from '../../kernel/secrets.ts'

export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const
export type AuthMethod = (typeof AUTH_METHODS)[number]

export interface ClientMetadata {
  name: string
  redirectUris: string[]
  authMethod: AuthMethod
}

export interface OauthClient {
  id: string
  name: string
  redirectUris: readonly string[]
  authMethod: AuthMethod
  secretHash: Buffer | null
}

const CLIENT_COLUMNS = ['id', 'name', 'redirect_uris as redirectUris', 'auth_method as authMethod', 'secret_hash as secretHash'] as const

export async function findOauthClient(db: Db, id: string): Promise<OauthClient | null> {
  return (await db.selectFrom('oauth_clients').select(CLIENT_COLUMNS).where('id', '=', id).executeTakeFirst()) ?? null
}

/** Registers an app. Its secret, if requested, is returned once. */
export async function registerOauthClient(
  db: Db,
  metadata: ClientMetadata,
): Promise<{ client: OauthClient; issuedAt: Date; secret: Secret | null }> {
  const secret = metadata.authMethod === 'none' ? null : new Secret(newToken('lcs_'))
  const { created_at: issuedAt, ...client } = await db
    .insertInto('oauth_clients')
    .values({
      id: newToken('loc_'),
      name: metadata.name,
      redirect_uris: metadata.redirectUris,
      auth_method: metadata.authMethod,
      secret_hash: secret && hashToken(secret.reveal()),
    })
    .returning([...CLIENT_COLUMNS, 'created_at'])
    .executeTakeFirstOrThrow()
  return { client, issuedAt, secret }
}

/** Stores an app's client metadata document, or replaces the stored one. `id` is the URL of the document. */
export async function saveOauthClientMetadata(db: Db, id: string, { name, redirectUris }: ClientMetadata): Promise<void> {
  await sql`
    insert into oauth_clients (id, name, redirect_uris, auth_method, fetched_at)
    values (${id}, ${name}, ${redirectUris}, 'none', lanyard_now())
    on conflict (id) do update set name = excluded.name, redirect_uris = excluded.redirect_uris, fetched_at = excluded.fetched_at`.execute(
    db,
  )
}

/** Deletes apps that never had a grant: after 30 days, and the oldest ones above `maxUnused`. */
export async function deleteUnusedOauthClients(db: Db, maxUnused: number): Promise<void> {
  await sql`
    delete from oauth_clients a
    where a.first_grant_at is null and not exists (select from oauth_grants g where g.client_id = a.id)
      and (coalesce(a.fetched_at, a.created_at) < lanyard_now() - interval '30 days'
        or a.id in (select id from oauth_clients where first_grant_at is null order by created_at desc, id offset ${maxUnused}))`.execute(
    db,
  )
}

/** Verifies the client secret. Public clients have none; they prove themselves with the code verifier. */
export function isClientSecretValid(client: OauthClient, secret: string | null): boolean {
  if (client.secretHash === null) return secret === null
  return secret !== null && equalInConstantTime(hashToken(secret), client.secretHash)
}
