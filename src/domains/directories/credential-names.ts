import type { ConnectionRow } from './connections.ts'
import { credentialNamesOf as namesOfAuth, findPreset } from './engine/presets.ts'
import type { DirectoryRequest } from './engine/spec.ts'
import { listUsedCredentials } from './engine/template.ts'

type CredentialUser = Pick<ConnectionRow, 'preset' | 'auth' | 'requests'>

const listRequests = ({ requests }: CredentialUser): DirectoryRequest[] =>
  [requests.lookup, requests.search, requests.probe].filter((request) => request !== undefined)

/** Lists the names of secrets that can be set: those of the auth method, and those that requests use as {{secret.name}}. */
export const listCredentialNames = (connection: CredentialUser): string[] => [
  ...new Set([
    ...namesOfAuth(connection.auth, findPreset(connection.preset)).map(({ name }) => name),
    ...listRequests(connection).flatMap(listUsedCredentials),
  ]),
]

/** Lists the names of secrets that must be set before a lookup is possible. */
export const listRequiredCredentials = (connection: CredentialUser): string[] => [
  ...new Set([
    ...namesOfAuth(connection.auth, findPreset(connection.preset)).flatMap(({ name, optional }) => (optional ? [] : [name])),
    ...(connection.requests.lookup ? listUsedCredentials(connection.requests.lookup) : []),
  ]),
]
