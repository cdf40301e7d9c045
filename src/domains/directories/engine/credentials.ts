import type { DirectoryPreset } from './presets/preset.ts'
import type { DirectoryAuth } from './spec.ts'

export interface CredentialName {
  name: string
  optional: boolean
}

const CREDENTIALS_BY_AUTH_KIND: Record<DirectoryAuth['kind'], readonly CredentialName[]> = {
  none: [],
  apiKeyHeader: [needed('apiKey')],
  apiKeyQuery: [needed('apiKey')],
  basic: [needed('username'), needed('password')],
  bearer: [needed('token')],
  oauth2ClientCredentials: [needed('clientId'), needed('clientSecret')],
  oauth2Password: [needed('username'), needed('password'), optional('clientId'), optional('clientSecret')],
}

/**
 * Lists the secrets that the auth method needs. The credential names of the preset apply only if the connection uses the auth kind of the
 * preset.
 */
export function listAuthCredentials(
  auth: DirectoryAuth,
  preset: Pick<DirectoryPreset, 'authKind' | 'credentialNames' | 'client'> | null,
): CredentialName[] {
  if (preset?.authKind !== auth.kind) return [...CREDENTIALS_BY_AUTH_KIND[auth.kind]]
  return preset.credentialNames.map((name) => CREDENTIALS_BY_AUTH_KIND[auth.kind].find((one) => one.name === name) ?? needed(name))
}

function needed(name: string): CredentialName {
  return { name, optional: false }
}

function optional(name: string): CredentialName {
  return { name, optional: true }
}
