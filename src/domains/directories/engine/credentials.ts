import type { DirectoryPreset } from './presets/preset.ts'
import type { DirectoryAuth } from './spec.ts'

export interface CredentialName {
  name: string
  optional: boolean
}

const BY_KIND: Record<DirectoryAuth['kind'], readonly CredentialName[]> = {
  none: [],
  apiKeyHeader: [needed('apiKey')],
  apiKeyQuery: [needed('apiKey')],
  basic: [needed('username'), needed('password')],
  bearer: [needed('token')],
  oauth2ClientCredentials: [needed('clientId'), needed('clientSecret')],
  oauth2Password: [needed('username'), needed('password'), optional('clientId'), optional('clientSecret')],
}

/** What has to be set, and what may be. A preset has its own names as long as the connection keeps the preset's way of signing in. */
export function credentialNamesOf(
  auth: DirectoryAuth,
  preset: Pick<DirectoryPreset, 'authKind' | 'credentialNames' | 'client'> | null,
): CredentialName[] {
  if (preset?.authKind !== auth.kind) return [...BY_KIND[auth.kind]]
  return preset.credentialNames.map((name) => BY_KIND[auth.kind].find((one) => one.name === name) ?? needed(name))
}

function needed(name: string): CredentialName {
  return { name, optional: false }
}

function optional(name: string): CredentialName {
  return { name, optional: true }
}
