import type { ConnectionRow } from './connections.ts'
import { credentialNamesOf as namesOfAuth, findPreset } from './engine/presets.ts'
import type { DirectoryRequest } from './engine/spec.ts'
import { credentialsUsed } from './engine/template.ts'

type Named = Pick<ConnectionRow, 'preset' | 'auth' | 'requests'>

const requestsOf = ({ requests }: Named): DirectoryRequest[] =>
  [requests.lookup, requests.search, requests.probe].filter((request) => request !== undefined)

/** What may be set: the names of its way of signing in, and those that its requests write as {{secret.name}}. */
export const credentialNamesOf = (connection: Named): string[] => [
  ...new Set([
    ...namesOfAuth(connection.auth, findPreset(connection.preset)).map(({ name }) => name),
    ...requestsOf(connection).flatMap(credentialsUsed),
  ]),
]

/** What must be set before it can be asked. */
export const credentialsNeededBy = (connection: Named): string[] => [
  ...new Set([
    ...namesOfAuth(connection.auth, findPreset(connection.preset)).flatMap(({ name, optional }) => (optional ? [] : [name])),
    ...(connection.requests.lookup ? credentialsUsed(connection.requests.lookup) : []),
  ]),
]
