import { isDeepStrictEqual } from 'node:util'
import type { EventContext } from '../../kernel/context.ts'
import { defineRecord, saveEdit, planEdit, rejectStaleEdit } from '../../kernel/records.ts'
import { type FieldError, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { CONNECTION_RECORD, type ConnectionRow, lockConnection } from './connections.ts'
import { listCredentialNames } from './credential-names.ts'
import { toConnectionResult } from './describe.ts'
import { findPreset, resolveConnectionSettings } from './engine/presets.ts'
import { type DirectoryRequest, type DirectoryRequests, DIRECTORY_LOOKUP_INPUTS } from './engine/spec.ts'
import { checkDirectoryRequest, listUsedCredentials, previewRequest, listUsedSettings } from './engine/template.ts'
import { resolveStatusAfterEdit } from './configure.ts'
import { deleteCachedLookupResults } from './lookups.ts'
import { isUploadedList } from './uploaded-lists.ts'

const REQUEST_NAMES = ['lookup', 'search', 'probe'] as const

interface RequestsEdit extends DirectoryRequests {
  connection: string
  ifRevision?: number | undefined
}

/** The audited record of a connection's request templates, which are edited by a tool of their own. */
const CONNECTION_REQUESTS = defineRecord({
  ...CONNECTION_RECORD,
  fields: { requests: { column: 'requests', json: 'merged' }, status: 'status' },
})

export async function configureRequests(ctx: EventContext, { connection, ifRevision, ...edit }: RequestsEdit) {
  const before = await lockConnection(ctx, connection)
  rejectStaleEdit(CONNECTION_RECORD, before, ifRevision)
  if (isUploadedList(before))
    throw preconditionFailed(`Connection ${before.code} is an uploaded list, which is stored here and sends no requests`)
  const issues = REQUEST_NAMES.flatMap((name) => (edit[name] ? checkConnectionRequest(before, name, edit[name]) : []))
  if (issues.length > 0) throw invalidArguments(issues)

  const planned = planEdit(CONNECTION_REQUESTS, before, { requests: edit })
  const edited = planned.changed.length > 0
  const { row, changed } = await saveEdit(ctx, planned, edited ? resolveStatusAfterEdit(before.status, { tested: false }) : {})
  if (edited) await deleteCachedLookupResults(ctx, before.id)
  const replaced = REQUEST_NAMES.filter((name) => !isDeepStrictEqual(before.requests[name], row.requests[name]))
  return {
    connection: await toConnectionResult(ctx, row),
    changed: [...replaced, ...changed.filter((field) => field !== 'requests')],
    preview: previewRequests(row),
  }
}

function checkConnectionRequest(connection: ConnectionRow, name: string, request: DirectoryRequest): FieldError[] {
  const known = {
    inputs: DIRECTORY_LOOKUP_INPUTS,
    settings: [...(findPreset(connection.preset)?.settingNames.map((one) => one.name) ?? []), ...Object.keys(connection.settings)],
    credentials: listCredentialNames(connection),
  }
  const issues = checkDirectoryRequest(request, findPreset(connection.preset)?.authKind === 'any' ? withOwnNames(known, request) : known)
  return issues.map(({ path, ...issue }) => ({ ...issue, path: path === '' ? name : `${name}/${path}` }))
}

type Known = Parameters<typeof checkDirectoryRequest>[1]

/**
 * Adds the names that a request uses to the known settings and secrets. A generic connection defines its settings and secrets by using
 * them in requests.
 */
function withOwnNames(known: Known, request: DirectoryRequest): Known {
  try {
    return {
      ...known,
      settings: [...known.settings, ...listUsedSettings(request)],
      credentials: [...known.credentials, ...listUsedCredentials(request)],
    }
  } catch {
    // A template that cannot be parsed adds no setting or secret names, because `checkDirectoryRequest` reports its error with the path.
    return known
  }
}

const previewRequests = (connection: ConnectionRow) =>
  REQUEST_NAMES.flatMap((name) => {
    const request = connection.requests[name]
    if (!request) return []
    const { method, url, body } = previewRequest(request, { baseUrl: connection.base_url, settings: resolveConnectionSettings(connection) })
    return [{ name, method, url, ...(body === undefined ? {} : { body }) }]
  })
