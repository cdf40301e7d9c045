import { invalidArguments } from '../../kernel/errors.ts'
import { cleanName, cleanText } from '../../kernel/clean-text.ts'
import { AUTH_METHODS, type AuthMethod, type ClientMetadata } from '../access/oauth-clients.ts'
import { findRedirectUriProblem, describeRedirectTarget } from './redirect-uris.ts'

const MAX_URIS = 10
const MAX_NAME = 80

type RawMetadata = Record<string, unknown>

const metadataError = (path: string, message: string) => {
  throw invalidArguments([{ path, message }])
}

/** Validates a dynamic client registration. One invalid redirect URI rejects the registration, as the standard requires. */
export function parseClientRegistration(given: RawMetadata, appSchemes: readonly string[]): ClientMetadata {
  const uris = readStringList(given['redirect_uris'])
  if (uris.length === 0 || uris.length > MAX_URIS) metadataError('redirect_uris', `must list 1 to ${MAX_URIS} URIs`)
  uris.forEach((uri, at) => {
    const problem = findRedirectUriProblem(uri, appSchemes)
    if (problem) metadataError('redirect_uris', `entry ${at + 1} ${problem}`)
  })
  if (!includesOrMissing(given['grant_types'], 'authorization_code')) metadataError('grant_types', 'must include authorization_code')
  if (!includesOrMissing(given['response_types'], 'code')) metadataError('response_types', 'must include code')
  const redirectUris = uris as string[]
  return { name: toDisplayName(given['client_name'], redirectUris), redirectUris, authMethod: parseAuthMethod(given) }
}

/**
 * Validates a client metadata document. Unsupported redirect URIs are ignored, because the document is not written for this server alone.
 */
export function parseClientMetadataDocument(given: RawMetadata, url: string, appSchemes: readonly string[]): ClientMetadata {
  if (given['client_id'] !== url) metadataError('client_id', 'of the document differs from its URL')
  if ('client_secret' in given) metadataError('client_secret', 'is not allowed in a public document')
  if ((given['token_endpoint_auth_method'] ?? 'none') !== 'none') metadataError('token_endpoint_auth_method', 'must be none')
  const uris = readStringList(given['redirect_uris'])
  const redirectUris = uris.filter((uri) => findRedirectUriProblem(uri, appSchemes) === null).slice(0, MAX_URIS) as string[]
  if (redirectUris.length === 0) metadataError('redirect_uris', 'has no URI that this server allows')
  return { name: toDisplayName(given['client_name'], [url]), redirectUris, authMethod: 'none' }
}

const readStringList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const includesOrMissing = (value: unknown, wanted: string) => value === undefined || readStringList(value).includes(wanted)

function parseAuthMethod(given: RawMetadata): AuthMethod {
  const method = given['token_endpoint_auth_method'] ?? 'client_secret_basic'
  if (!AUTH_METHODS.includes(method as AuthMethod)) metadataError('token_endpoint_auth_method', `must be one of ${AUTH_METHODS.join(', ')}`)
  return method as AuthMethod
}

/** Returns the app name for the consent page: a single line without hidden characters, never empty. */
function toDisplayName(value: unknown, addresses: readonly string[]): string {
  const name = typeof value === 'string' ? cleanText(cleanName(value), MAX_NAME).trim() : ''
  return name || cleanText(describeRedirectTarget(addresses[0]!).shown, MAX_NAME)
}
