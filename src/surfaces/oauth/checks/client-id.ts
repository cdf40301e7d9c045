import { takeFromBucket } from '../../../domains/access/rate-windows.ts'
import { isDocumentAddress, resolveClientDocument } from '../../../domains/oauth/client-documents.ts'
import { findClient, type OauthClient } from '../../../domains/oauth/clients.ts'
import { AppError } from '../../../kernel/errors.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Parameters } from '../parameters.ts'
import type { OauthSite } from '../site.ts'

const LOOK_UPS = { perMinute: 20, burst: 200 }

/** The app that asks: one that registered here, or one that is described at the address it has for an id. */
export async function clientId({ web }: OauthSite, parameters: Parameters, address: string): Promise<OauthClient> {
  const [id, ...more] = parameters.all('client_id')
  if (id === undefined || more.length > 0) throw new OAuthError('invalid_request', 'client_id must be given once')
  if (!/^[\x21-\x7e]+$/.test(id)) throw unknown()
  const { pool, write } = web.road.database
  if (!isDocumentAddress(id)) {
    const client = await findClient(write, id)
    if (!client) throw unknown()
    return client
  }
  const mayFetch = () => takeFromBucket(pool, `oauth-document:${address}`, LOOK_UPS)
  try {
    return await resolveClientDocument({ db: write, fetcher: web.road.fetcher, appSchemes: web.appSchemes, mayFetch }, id)
  } catch (error) {
    if (error instanceof AppError) throw new OAuthError('invalid_client', error.message)
    throw error
  }
}

const unknown = () => new OAuthError('invalid_client', 'No app with this client_id is known here: it has to register again')
