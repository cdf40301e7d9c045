import type { Db } from '../../kernel/columns.ts'
import { hashToken, newToken, sameBytes, Secret } from '../../kernel/secrets.ts'
import type {} from '../access/tables.ts'
import type { AuthMethod, ClientMetadata } from './client-metadata.ts'

export interface OauthClient {
  id: string
  name: string
  redirectUris: readonly string[]
  authMethod: AuthMethod
  secretHash: Buffer | null
}

const COLUMNS = ['id', 'name', 'redirect_uris as redirectUris', 'auth_method as authMethod', 'secret_hash as secretHash'] as const

export async function findClient(db: Db, id: string): Promise<OauthClient | null> {
  return (await db.selectFrom('oauth_clients').select(COLUMNS).where('id', '=', id).executeTakeFirst()) ?? null
}

/** Makes an app known. Its secret, if it asked for one, is shown in the answer and nowhere else. */
export async function registerClient(
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
    .returning([...COLUMNS, 'created_at'])
    .executeTakeFirstOrThrow()
  return { client, issuedAt, secret }
}

/** Whether this is the app itself: a public one proves nothing here, because its code verifier does. */
export function isSecretRight(client: OauthClient, secret: string | null): boolean {
  if (client.secretHash === null) return secret === null
  return secret !== null && sameBytes(hashToken(secret), client.secretHash)
}
