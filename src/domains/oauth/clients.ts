import type { Db } from '../../kernel/columns.ts'
import { hashToken, newToken, equalInConstantTime, Secret } from '../../kernel/secrets.ts'
import type {} from '../access/tables.ts'
import type { AuthMethod, ClientMetadata } from './client-metadata.ts'

export interface OauthClient {
  id: string
  name: string
  redirectUris: readonly string[]
  authMethod: AuthMethod
  secretHash: Buffer | null
}

const CLIENT_COLUMNS = ['id', 'name', 'redirect_uris as redirectUris', 'auth_method as authMethod', 'secret_hash as secretHash'] as const

export async function findClient(db: Db, id: string): Promise<OauthClient | null> {
  return (await db.selectFrom('oauth_clients').select(CLIENT_COLUMNS).where('id', '=', id).executeTakeFirst()) ?? null
}

/** Registers an app. Its secret, if requested, is returned once. */
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
    .returning([...CLIENT_COLUMNS, 'created_at'])
    .executeTakeFirstOrThrow()
  return { client, issuedAt, secret }
}

/** Verifies the client secret. Public clients have none; they prove themselves with the code verifier. */
export function isClientSecretValid(client: OauthClient, secret: string | null): boolean {
  if (client.secretHash === null) return secret === null
  return secret !== null && equalInConstantTime(hashToken(secret), client.secretHash)
}
