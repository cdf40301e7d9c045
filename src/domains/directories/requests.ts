import { isDeepStrictEqual } from 'node:util'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { type FieldError, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { checkRevision } from '../../kernel/revisions.ts'
import { type ConnectionRow, lockConnection } from './connections.ts'
import { credentialNamesOf } from './credential-names.ts'
import { toConnection } from './describe.ts'
import { findPreset, settingsOf } from './engine/presets.ts'
import { type DirectoryRequest, type DirectoryRequests, INPUTS } from './engine/spec.ts'
import { checkRequest, credentialsUsed, previewRequest, settingsUsed } from './engine/template.ts'
import { saveEdit } from './configure.ts'
import { dropAnswers } from './lookups.ts'
import { isList } from './uploaded-lists.ts'

const REQUESTS = ['lookup', 'search', 'probe'] as const

interface Edit extends DirectoryRequests {
  connection: string
  ifRevision?: number | undefined
}

/** Replaces the requests that are given and keeps the others. */
export async function configureRequests(ctx: EventContext, edit: Edit) {
  const before = await lockConnection(ctx, edit.connection)
  checkRevision({ kind: 'Directory connection', name: before.code, revision: before.revision }, edit.ifRevision)
  if (isList(before)) throw preconditionFailed(`Connection ${before.code} is an uploaded list, which is asked here: it sends no requests`)
  const given = REQUESTS.flatMap((name) => (edit[name] ? [{ name, request: edit[name] }] : []))
  const issues = given.flatMap(({ name, request }) => issuesOf(before, name, request))
  if (issues.length > 0) throw invalidArguments(issues)

  const requests: DirectoryRequests = { ...before.requests, ...Object.fromEntries(given.map(({ name, request }) => [name, request])) }
  const preview = previewOf(before, requests)
  const changed = REQUESTS.filter((name) => !isDeepStrictEqual(plain(before.requests[name]), plain(requests[name])))
  if (changed.length === 0) return { connection: await toConnection(ctx, before), changed: [], preview }
  const after = await saveEdit(ctx, before, { requests: JSON.stringify(requests) }, { tested: false })
  await dropAnswers(ctx, before.id)
  const [was, is] = [before, after].map((row) => ({ ...row.requests, status: row.status }))
  const names = recordChange(ctx, { kind: 'directory connection', id: before.id, before: was!, after: is! })
  return { connection: await toConnection(ctx, after), changed: names, preview }
}

/** As it comes back from the database, where nothing is undefined. */
const plain = (request: DirectoryRequest | undefined): unknown => (request ? JSON.parse(JSON.stringify(request)) : undefined)

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

const previewOf = (connection: ConnectionRow, requests: DirectoryRequests) =>
  REQUESTS.flatMap((name) => {
    const request = requests[name]
    if (!request) return []
    const { method, url, body } = previewRequest(request, { baseUrl: connection.base_url, settings: settingsOf(connection) })
    return [{ name, method, url, ...(body === undefined ? {} : { body }) }]
  })
