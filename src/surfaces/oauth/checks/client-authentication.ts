import { findClient, isSecretRight, type OauthClient } from '../../../domains/oauth/clients.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Parameters } from '../parameters.ts'
import type { OauthSite } from '../site.ts'

interface Credentials {
  id: string
  secret: string | null
}

/** The app itself, by its secret if it has one. Either way of sending it will do: some apps register one and use the other. */
export async function clientAuthentication(
  { web }: OauthSite,
  parameters: Parameters,
  authorization: string | undefined,
): Promise<OauthClient> {
  const basic = authorization === undefined ? null : basicOf(authorization)
  const [id, secret] = [parameters.get('client_id'), parameters.get('client_secret')]
  if (basic && secret !== null) throw new OAuthError('invalid_request', 'The app authenticates in two ways at once')
  if (basic && id !== null && id !== basic.id) throw new OAuthError('invalid_request', 'client_id differs from the Authorization header')
  const given = basic ?? (id === null ? null : { id, secret })
  if (!given) throw new OAuthError('invalid_client', 'The app does not say who it is: client_id is missing')
  const client = /^[\x21-\x7e]+$/.test(given.id) ? await findClient(web.road.database.write, given.id) : null
  if (!client || !isSecretRight(client, given.secret))
    throw new OAuthError('invalid_client', 'The app is not known here, or its secret is wrong')
  return client
}

/** RFC 6749, 2.3.1: both halves are form-encoded before they are joined. */
function basicOf(authorization: string): Credentials {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1]
  const [id = '', ...secret] = Buffer.from(encoded ?? '', 'base64')
    .toString('utf8')
    .split(':')
  try {
    if (id !== '' && secret.length > 0) return { id: formDecoded(id), secret: formDecoded(secret.join(':')) || null }
  } catch {
    // Not encoded as it should be: refused like everything else that cannot be read.
  }
  throw new OAuthError('invalid_client', 'The Authorization header cannot be read')
}

const formDecoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))
