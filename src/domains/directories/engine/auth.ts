import type { FieldError } from '../../../kernel/errors.ts'
import { findMostSimilarName } from '../../../kernel/nearest.ts'
import { listAuthCredentials } from './credentials.ts'
import { encodeParameterName, encodeUrlPart, isValidHeaderName, isValidHeaderValue } from './encoding.ts'
import { parseTemplate, pickPlaceholders, formatPlaceholder } from './placeholders.ts'
import { findPreset } from './presets.ts'
import type { DirectoryAuth, DirectoryRequest, DirectoryConnectionSpec, GetSecret } from './spec.ts'
import { DirectoryCallError } from './step-failed.ts'
import { type DirectoryHttpRequest, listUsedCredentials } from './template.ts'

const RESERVED_HEADER = /^(host|content-length|cookie|content-type|connection|transfer-encoding)$/i

/**
 * Lists problems of the auth settings, by path. Placeholders are rejected in the host, because a setting could send the credentials
 * elsewhere.
 */
export function checkAuthSettings(auth: DirectoryAuth, { settings }: { settings: readonly string[] }): FieldError[] {
  const { header, tokenUrl, scope } = auth.settings
  const issues: FieldError[] = []
  const carrier = KEY_CARRIERS[auth.kind]
  if (carrier && header === undefined) issues.push({ path: 'settings/header', message: `is needed: the name of ${carrier}` })
  if (header !== undefined && (!isValidHeaderName(header) || RESERVED_HEADER.test(header)))
    issues.push({
      path: 'settings/header',
      message: `cannot be used as the name of a ${auth.kind === 'apiKeyQuery' ? 'parameter' : 'header'}`,
    })
  if (tokenUrl !== undefined && !/^(\{base\}|https?:\/\/[^/{}\s@]+)(\/|$)/.test(tokenUrl))
    issues.push({ path: 'settings/tokenUrl', message: 'must start with {base}/ or with https:// and a host without placeholders' })
  for (const [name, text] of Object.entries({ tokenUrl, scope })) {
    if (text !== undefined) issues.push(...checkSettingsOnly(text, settings).map((message) => ({ path: `settings/${name}`, message })))
  }
  return issues
}

/**
 * Describes the header or parameter that contains the API key, for auth kinds that send one. Its name has no default, because directories
 * use different names.
 */
const KEY_CARRIERS: Partial<Record<DirectoryAuth['kind'], string>> = {
  apiKeyHeader: 'the header that carries the key, such as X-API-Key',
  apiKeyQuery: 'the parameter that carries the key, such as api_key',
}

function checkSettingsOnly(text: string, settings: readonly string[]): string[] {
  try {
    const known = settings.map((name) => `setting.${name}`)
    return pickPlaceholders(parseTemplate(text)).flatMap((placeholder) => {
      const name = `${placeholder.of}.${placeholder.name}`
      if (known.includes(name)) return []
      const near = findMostSimilarName(name, known)
      return [
        `unknown placeholder ${formatPlaceholder(placeholder)}; ${near ? `did you mean {{${near}}}?` : 'only settings are allowed here'}`,
      ]
    })
  } catch (error) {
    return [(error as Error).message]
  }
}

export const usesOauth = ({ kind }: DirectoryAuth): boolean => kind === 'oauth2ClientCredentials' || kind === 'oauth2Password'

export const listSentCredentialNames = (spec: DirectoryConnectionSpec, request: DirectoryRequest): string[] => [
  ...new Set([...listAuthCredentials(spec.auth, findPreset(spec.preset)).map(({ name }) => name), ...listUsedCredentials(request)]),
]

export function listMissingCredentials(spec: DirectoryConnectionSpec, request: DirectoryRequest, secretOf: GetSecret): string[] {
  const needed = listAuthCredentials(spec.auth, findPreset(spec.preset)).filter(({ optional }) => !optional)
  return [...new Set([...needed.map(({ name }) => name), ...listUsedCredentials(request)])].filter((name) => !secretOf(name))
}

/** Adds the credentials to the request. `token` is the access token, for the OAuth kinds. */
export function addRequestCredentials(
  request: DirectoryHttpRequest,
  auth: DirectoryAuth,
  secretOf: GetSecret,
  token: string | null,
): DirectoryHttpRequest {
  const { header } = auth.settings
  const reveal = (name: string) => secretOf(name)?.reveal() ?? ''
  switch (auth.kind) {
    case 'none':
      return request
    case 'apiKeyQuery':
      return { ...request, url: withParameter(request.url, getCarrierName(auth), reveal('apiKey')) }
    case 'apiKeyHeader':
      return withHeader(request, getCarrierName(auth), reveal('apiKey'))
    case 'basic':
      return withHeader(request, header ?? 'authorization', toBasicAuth(reveal('username'), reveal('password')))
    case 'bearer':
      return withHeader(request, header ?? 'authorization', `Bearer ${reveal('token')}`)
    default:
      return withHeader(request, header ?? 'authorization', `Bearer ${token ?? ''}`)
  }
}

function getCarrierName({ kind, settings: { header } }: DirectoryAuth): string {
  if (header === undefined) throw new DirectoryCallError('auth', `Not set: auth/settings/header, ${KEY_CARRIERS[kind]}`)
  return header
}

export const toBasicAuth = (name: string, password: string): string => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

function withHeader(request: DirectoryHttpRequest, name: string, value: string): DirectoryHttpRequest {
  if (!isValidHeaderValue(value)) throw new DirectoryCallError('auth', 'A credential contains characters that are not allowed in a header')
  return { ...request, headers: { ...request.headers, [name.toLowerCase()]: value } }
}

/**
 * Sets a query parameter of a URL. Replaces an existing one, which may be part of a next-page URL. The fragment is removed, because it is
 * never sent.
 */
function withParameter(url: string, name: string, value: string): string {
  const [sent = ''] = url.split('#', 1)
  const [address = ''] = sent.split('?', 1)
  const query = sent.slice(address.length + 1)
  const others = query.split('&').filter((pair) => pair !== '' && decodedName(pair) !== name)
  return `${address}?${[...others, `${encodeParameterName(name)}=${encodeUrlPart(value)}`].join('&')}`
}

function decodedName(pair: string): string {
  try {
    return decodeURIComponent(pair.split('=', 1)[0] ?? '')
  } catch {
    return ''
  }
}
