import type { FieldError } from '../../../kernel/errors.ts'
import { nearest } from '../../../kernel/nearest.ts'
import { credentialNamesOf } from './credentials.ts'
import { encodeName, encodePart, isHeaderName, isHeaderText } from './encoding.ts'
import { parseTemplate, placeholdersOf, spelled } from './placeholders.ts'
import { findPreset } from './presets.ts'
import type { DirectoryAuth, DirectoryRequest, DirectorySpec, SecretOf } from './spec.ts'
import { StepFailed } from './step-failed.ts'
import { type BuiltRequest, credentialsUsed } from './template.ts'

const RESERVED = /^(host|content-length|cookie|content-type|connection|transfer-encoding)$/i

/** What is wrong with the way a connection signs in, by path into it. A placeholder in the host would let a setting send the credentials elsewhere. */
export function checkAuth(auth: DirectoryAuth, { settings }: { settings: readonly string[] }): FieldError[] {
  const { header, tokenUrl, scope } = auth.settings
  const issues: FieldError[] = []
  const carrier = CARRIERS[auth.kind]
  if (carrier && header === undefined) issues.push({ path: 'settings/header', message: `is needed: the name of ${carrier}` })
  if (header !== undefined && (!isHeaderName(header) || RESERVED.test(header)))
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

/** Where the key goes differs from directory to directory: one that is sent under another name is not looked at. */
const CARRIERS: Partial<Record<DirectoryAuth['kind'], string>> = {
  apiKeyHeader: 'the header that carries the key, such as X-API-Key',
  apiKeyQuery: 'the parameter that carries the key, such as api_key',
}

function checkSettingsOnly(text: string, settings: readonly string[]): string[] {
  try {
    const known = settings.map((name) => `setting.${name}`)
    return placeholdersOf(parseTemplate(text)).flatMap((placeholder) => {
      const name = `${placeholder.of}.${placeholder.name}`
      if (known.includes(name)) return []
      const near = nearest(name, known)
      return [`unknown placeholder ${spelled(placeholder)}; ${near ? `did you mean {{${near}}}?` : 'only settings can stand here'}`]
    })
  } catch (error) {
    return [(error as Error).message]
  }
}

export const isOauth = ({ kind }: DirectoryAuth): boolean => kind === 'oauth2ClientCredentials' || kind === 'oauth2Password'

/** Every credential that goes out with a request. */
export const credentialsSent = (spec: DirectorySpec, request: DirectoryRequest): string[] => [
  ...new Set([...credentialNamesOf(spec.auth, findPreset(spec.preset)).map(({ name }) => name), ...credentialsUsed(request)]),
]

/** Credentials that a request needs and that are not set. */
export function missingCredentials(spec: DirectorySpec, request: DirectoryRequest, secretOf: SecretOf): string[] {
  const needed = credentialNamesOf(spec.auth, findPreset(spec.preset)).filter(({ optional }) => !optional)
  return [...new Set([...needed.map(({ name }) => name), ...credentialsUsed(request)])].filter((name) => !secretOf(name))
}

/** The request with what proves who asks. `token` is the one that was obtained, for the kinds that obtain one. */
export function signRequest(request: BuiltRequest, auth: DirectoryAuth, secretOf: SecretOf, token: string | null): BuiltRequest {
  const { header } = auth.settings
  const reveal = (name: string) => secretOf(name)?.reveal() ?? ''
  switch (auth.kind) {
    case 'none':
      return request
    case 'apiKeyQuery':
      return { ...request, url: withParameter(request.url, carrierOf(auth), reveal('apiKey')) }
    case 'apiKeyHeader':
      return withHeader(request, carrierOf(auth), reveal('apiKey'))
    case 'basic':
      return withHeader(request, header ?? 'authorization', basic(reveal('username'), reveal('password')))
    case 'bearer':
      return withHeader(request, header ?? 'authorization', `Bearer ${reveal('token')}`)
    default:
      return withHeader(request, header ?? 'authorization', `Bearer ${token ?? ''}`)
  }
}

function carrierOf({ kind, settings: { header } }: DirectoryAuth): string {
  if (header === undefined) throw new StepFailed('auth', `Not set: auth/settings/header, ${CARRIERS[kind]}`)
  return header
}

export const basic = (name: string, password: string): string => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

function withHeader(request: BuiltRequest, name: string, value: string): BuiltRequest {
  if (!isHeaderText(value)) throw new StepFailed('auth', 'A credential holds characters that a header cannot carry')
  return { ...request, headers: { ...request.headers, [name.toLowerCase()]: value } }
}

/** Replaces it where it is already there, as in the address of a next page. What follows a # is never sent, and goes. */
function withParameter(url: string, name: string, value: string): string {
  const [sent = ''] = url.split('#', 1)
  const [address = ''] = sent.split('?', 1)
  const query = sent.slice(address.length + 1)
  const others = query.split('&').filter((pair) => pair !== '' && decodedName(pair) !== name)
  return `${address}?${[...others, `${encodeName(name)}=${encodePart(value)}`].join('&')}`
}

function decodedName(pair: string): string {
  try {
    return decodeURIComponent(pair.split('=', 1)[0] ?? '')
  } catch {
    return ''
  }
}
