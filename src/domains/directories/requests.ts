import { isDeepStrictEqual } from 'node:util'
import type { EventContext } from '../../kernel/context.ts'
import { editableRecord, keepEdit, planEdit, refuseStale } from '../../kernel/edit-record.ts'
import { type FieldError, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { CONNECTION, type ConnectionRow, lockConnection } from './connections.ts'
import { credentialNamesOf } from './credential-names.ts'
import { toConnection } from './describe.ts'
import { findPreset, settingsOf } from './engine/presets.ts'
import { type DirectoryRequest, type DirectoryRequests, INPUTS } from './engine/spec.ts'
import { checkRequest, credentialsUsed, previewRequest, settingsUsed } from './engine/template.ts'
import { statusAfter } from './configure.ts'
import { dropAnswers } from './lookups.ts'
import { isList } from './uploaded-lists.ts'

const REQUESTS = ['lookup', 'search', 'probe'] as const

interface Edit extends DirectoryRequests {
  connection: string
  ifRevision?: number | undefined
}

/** They are edited apart from the rest of their connection, by a tool of their own. */
const CONNECTION_REQUESTS = editableRecord({
  ...CONNECTION,
  fields: { requests: { column: 'requests', json: 'merged' }, status: 'status' },
})

/** Replaces the requests that are given and keeps the others. */
export async function configureRequests(ctx: EventContext, { connection, ifRevision, ...edit }: Edit) {
  const before = await lockConnection(ctx, connection)
  refuseStale(CONNECTION, before, ifRevision)
  if (isList(before)) throw preconditionFailed(`Connection ${before.code} is an uploaded list, which is asked here: it sends no requests`)
  const issues = REQUESTS.flatMap((name) => (edit[name] ? issuesOf(before, name, edit[name]) : []))
  if (issues.length > 0) throw invalidArguments(issues)

  const planned = planEdit(CONNECTION_REQUESTS, before, { requests: edit })
  const edited = planned.changed.length > 0
  const { row, changed } = await keepEdit(ctx, planned, edited ? statusAfter(before.status, { tested: false }) : {})
  if (edited) await dropAnswers(ctx, before.id)
  const replaced = REQUESTS.filter((name) => !isDeepStrictEqual(before.requests[name], row.requests[name]))
  return {
    connection: await toConnection(ctx, row),
    changed: [...replaced, ...changed.filter((field) => field !== 'requests')],
    preview: previewOf(row),
  }
}

function issuesOf(connection: ConnectionRow, name: string, request: DirectoryRequest): FieldError[] {
  const known = {
    inputs: INPUTS,
    settings: [...(findPreset(connection.preset)?.settingNames.map((one) => one.name) ?? []), ...Object.keys(connection.settings)],
    credentials: credentialNamesOf(connection),
  }
  const issues = checkRequest(request, findPreset(connection.preset)?.authKind === 'any' ? withOwnNames(known, request) : known)
  return issues.map(({ path, ...issue }) => ({ ...issue, path: path === '' ? name : `${name}/${path}` }))
}

type Known = Parameters<typeof checkRequest>[1]

/** A free connection names its settings and secrets itself, by using them. */
function withOwnNames(known: Known, request: DirectoryRequest): Known {
  try {
    return {
      ...known,
      settings: [...known.settings, ...settingsUsed(request)],
      credentials: [...known.credentials, ...credentialsUsed(request)],
    }
  } catch {
    // A template that cannot be read is reported where it stands.
    return known
  }
}

const previewOf = (connection: ConnectionRow) =>
  REQUESTS.flatMap((name) => {
    const request = connection.requests[name]
    if (!request) return []
    const { method, url, body } = previewRequest(request, { baseUrl: connection.base_url, settings: settingsOf(connection) })
    return [{ name, method, url, ...(body === undefined ? {} : { body }) }]
  })
