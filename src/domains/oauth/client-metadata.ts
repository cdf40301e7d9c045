import { invalidArguments } from '../../kernel/errors.ts'
import { cleanName, cleanText } from '../../kernel/outside-text.ts'
import { problemOfRedirectUri, returnPlaceOf } from './redirect-uris.ts'

export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const
export type AuthMethod = (typeof AUTH_METHODS)[number]

export interface ClientMetadata {
  name: string
  redirectUris: string[]
  authMethod: AuthMethod
}

const MAX_URIS = 10
const MAX_NAME = 80

type Given = Record<string, unknown>

const refuse = (path: string, message: string) => {
  throw invalidArguments([{ path, message }])
}

/** What an app says of itself at registration. One bad address refuses all, as the standard has it: the app would fail later otherwise. */
export function registrationOf(given: Given, appSchemes: readonly string[]): ClientMetadata {
  const uris = listOf(given['redirect_uris'])
  if (uris.length === 0 || uris.length > MAX_URIS) refuse('redirect_uris', `must list 1 to ${MAX_URIS} addresses`)
  uris.forEach((uri, at) => {
    const problem = problemOfRedirectUri(uri, appSchemes)
    if (problem) refuse('redirect_uris', `entry ${at + 1} ${problem}`)
  })
  if (!offers(given['grant_types'], 'authorization_code')) refuse('grant_types', 'must include authorization_code')
  if (!offers(given['response_types'], 'code')) refuse('response_types', 'must include code')
  const redirectUris = uris as string[]
  return { name: nameOf(given['client_name'], redirectUris), redirectUris, authMethod: authMethodOf(given) }
}

/** What an app's own document says of it. Addresses that we do not serve are left out: the document was not written for us alone. */
export function documentOf(given: Given, url: string, appSchemes: readonly string[]): ClientMetadata {
  if (given['client_id'] !== url) refuse('client_id', 'of the document differs from its address')
  if ('client_secret' in given) refuse('client_secret', 'has no place in a public document')
  if ((given['token_endpoint_auth_method'] ?? 'none') !== 'none') refuse('token_endpoint_auth_method', 'must be none')
  const uris = listOf(given['redirect_uris'])
  const redirectUris = uris.filter((uri) => problemOfRedirectUri(uri, appSchemes) === null).slice(0, MAX_URIS) as string[]
  if (redirectUris.length === 0) refuse('redirect_uris', 'has no address that this server allows')
  return { name: nameOf(given['client_name'], [url]), redirectUris, authMethod: 'none' }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const offers = (value: unknown, wanted: string) => value === undefined || listOf(value).includes(wanted)

function authMethodOf(given: Given): AuthMethod {
  const method = given['token_endpoint_auth_method'] ?? 'client_secret_basic'
  if (!AUTH_METHODS.includes(method as AuthMethod)) refuse('token_endpoint_auth_method', `must be one of ${AUTH_METHODS.join(', ')}`)
  return method as AuthMethod
}

/** The name is shown where somebody decides about trust: one line, nothing hidden in it, and never empty. */
function nameOf(value: unknown, addresses: readonly string[]): string {
  const name = typeof value === 'string' ? cleanText(cleanName(value), MAX_NAME).trim() : ''
  return name || cleanText(returnPlaceOf(addresses[0]!).shown, MAX_NAME)
}
