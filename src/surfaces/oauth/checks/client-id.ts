import { takeRateLimitToken } from '../../../domains/access/rate-windows.ts'
import { isClientMetadataUrl, resolveClientByMetadataUrl } from '../../../domains/oauth/client-documents.ts'
import { findOauthClient, type OauthClient } from '../../../domains/access/oauth-clients.ts'
import { AppError } from '../../../kernel/errors.ts'
import { OAuthError } from '../oauth-error.ts'
import type { OauthParameters } from '../parameters.ts'
import type { OauthServerContext } from '../site.ts'

const DOCUMENT_FETCH_LIMIT = { perMinute: 20, burst: 200 }

/** The requesting app: registered here, or described by the document at the URL that is its id. */
export async function getRequestingClient({ web }: OauthServerContext, parameters: OauthParameters, address: string): Promise<OauthClient> {
  const [id, ...more] = parameters.all('client_id')
  if (id === undefined || more.length > 0) throw new OAuthError('invalid_request', 'client_id must be given once')
  if (!/^[\x21-\x7e]+$/.test(id)) throw unknown()
  const { pool, write } = web.services.database
  if (!isClientMetadataUrl(id)) {
    const client = await findOauthClient(write, id)
    if (!client) throw unknown()
    return client
  }
  const mayFetch = () => takeRateLimitToken(pool, `oauth-document:${address}`, DOCUMENT_FETCH_LIMIT)
  try {
    return await resolveClientByMetadataUrl({ db: write, fetcher: web.services.fetcher, appSchemes: web.appSchemes, mayFetch }, id)
  } catch (error) {
    if (error instanceof AppError) throw new OAuthError('invalid_client', error.message)
    throw error
  }
}

const unknown = () => new OAuthError('invalid_client', 'No app with this client_id is registered: it has to register again')
