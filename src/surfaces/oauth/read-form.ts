import type { IncomingMessage } from 'node:http'
import { readBody } from '../http/read-body.ts'
import { OAuthError } from './oauth-error.ts'
import { type OauthParameters, parseOauthParameters } from './parameters.ts'

const MAX_BYTES = 32 * 1024

/** Reads the parameters from the form body. Parameters in the URL are not accepted, because URLs are logged. */
export async function readOauthForm(request: IncomingMessage): Promise<OauthParameters> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new OAuthError('invalid_request', 'The body must be application/x-www-form-urlencoded')
  const text = await readBody(request, MAX_BYTES)
  if (text === null) throw new OAuthError('invalid_request', `The body must have at most ${MAX_BYTES} bytes`)
  return parseOauthParameters(text)
}
