import { findOauthClient, isClientSecretValid, type OauthClient } from '../../../domains/access/oauth-clients.ts'
import { OAuthError } from '../oauth-error.ts'
import type { OauthParameters } from '../parameters.ts'
import type { OauthServerContext } from '../site.ts'

interface Credentials {
  id: string
  secret: string | null
}

/**
 * Authenticates the app, by its secret if it has one. The secret is accepted in the header and in the body, because some apps register
 * one way and use the other.
 */
export async function authenticateClient(
  { web }: OauthServerContext,
  parameters: OauthParameters,
  authorization: string | undefined,
): Promise<OauthClient> {
  const basic = authorization === undefined ? null : parseBasicCredentials(authorization)
  const [id, secret] = [parameters.get('client_id'), parameters.get('client_secret')]
  if (basic && secret !== null) throw new OAuthError('invalid_request', 'The app must not authenticate in two ways')
  if (basic && id !== null && id !== basic.id) throw new OAuthError('invalid_request', 'client_id differs from the Authorization header')
  const given = basic ?? (id === null ? null : { id, secret })
  if (!given) throw new OAuthError('invalid_client', 'client_id is missing')
  const client = /^[\x21-\x7e]+$/.test(given.id) ? await findOauthClient(web.services.database.write, given.id) : null
  if (!client || !isClientSecretValid(client, given.secret))
    throw new OAuthError('invalid_client', 'The app is unknown, or its secret is wrong')
  return client
}

/** RFC 6749, 2.3.1: client id and secret are each form-encoded before they are joined by a colon. */
function parseBasicCredentials(authorization: string): Credentials {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1]
  const [id = '', ...secret] = Buffer.from(encoded ?? '', 'base64')
    .toString('utf8')
    .split(':')
  try {
    if (id !== '' && secret.length > 0) return { id: formDecoded(id), secret: formDecoded(secret.join(':')) || null }
  } catch {
    // Credentials with an invalid encoding are rejected like missing ones.
  }
  throw new OAuthError('invalid_client', 'The Authorization header cannot be read')
}

const formDecoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))
