import { performance } from 'node:perf_hooks'
import { preconditionFailed } from '../../kernel/errors.ts'
import type { Fetcher } from '../../kernel/fetcher.ts'
import type { DerivedKeys } from '../../kernel/secrets.ts'
import type { ConnectionRow, ConnectionQueryScope } from './connections.ts'
import { decryptCredentials } from './credentials.ts'
import { queryDirectory } from './engine/query-directory.ts'
import type { DirectoryLookupResult, DirectoryLookupInput, DirectoryLookupInputs, DirectoryConnectionSpec } from './engine/spec.ts'
import { resolveConnectionSettings } from './engine/presets.ts'
import { listRequiredInputs, findInvalidInputReason } from './engine/template.ts'
import { queryUploadedList, isUploadedList, UPLOADED_LIST_INPUTS } from './uploaded-lists.ts'

export type DirectoryQueryContext = ConnectionQueryScope & { keys: DerivedKeys; fetcher: Fetcher }

export const toDirectoryConnectionSpec = (row: ConnectionRow): DirectoryConnectionSpec => ({
  id: row.id,
  preset: row.preset,
  baseUrl: row.base_url,
  settings: row.settings,
  auth: row.auth,
  requests: row.requests,
  bindings: row.bindings,
  tagRules: row.tag_rules,
  timeoutMs: row.timeout_ms,
})

const hasInput = (inputs: DirectoryLookupInputs) => (name: string) => Boolean(inputs[name as DirectoryLookupInput]?.trim())

/** Chooses the request that uses most of the given inputs: name and email may identify a person together if neither does alone. */
function chooseRequest({ requests }: ConnectionRow, inputs: DirectoryLookupInputs): 'lookup' | 'search' | null {
  const fits = (['lookup', 'search'] as const).filter(
    (name) => requests[name] && listRequiredInputs(requests[name]).every(hasInput(inputs)),
  )
  const [best] = fits.toSorted((a, b) => listRequiredInputs(requests[b]!).length - listRequiredInputs(requests[a]!).length)
  return best ?? null
}

/** Rejects inputs that no request of the connection can use. This is a caller error and does not count as a directory failure. */
export function requireLookupInputs(row: ConnectionRow, inputs: DirectoryLookupInputs): void {
  const wanted = isUploadedList(row)
    ? UPLOADED_LIST_INPUTS.join(' or ')
    : listRequiredInputs(row.requests.lookup ?? { ...EMPTY_REQUEST }).join(' and ')
  const asked = isUploadedList(row) ? UPLOADED_LIST_INPUTS.some(hasInput(inputs)) : chooseRequest(row, inputs) !== null
  if (!asked) throw preconditionFailed(`Directory connection ${row.code} needs ${wanted || 'a lookup request'} for a lookup`)
}

/**
 * Whether the inputs contain a value that cannot be sent in any request. Such inputs match no person: no request is sent, and no failure of
 * the directory is counted.
 */
export function hasUnsendableInputs(row: ConnectionRow, inputs: DirectoryLookupInputs): boolean {
  const request = isUploadedList(row) ? undefined : row.requests[chooseRequest(row, inputs) ?? 'lookup']
  return (
    request !== undefined &&
    findInvalidInputReason(request, { baseUrl: row.base_url, settings: resolveConnectionSettings(row), inputs }) !== null
  )
}

const EMPTY_REQUEST = {
  method: 'GET',
  path: '',
  query: {},
  headers: {},
  bodyType: 'json',
  inputs: [],
  resultPath: '$',
  notFoundStatuses: [],
  pick: 'only',
} as const

/**
 * Sends the lookup request, bypassing the cache and without using the database. If the directory fails, the answer has the outcome
 * `error`.
 */
export type PreparedQuery = (fetcher: Fetcher) => Promise<{ answer: DirectoryLookupResult; ms: number }>

/** Prepares a lookup: reads the secrets or the uploaded list now, so that the returned function needs no database transaction. */
export async function prepareDirectoryLookup(
  ctx: ConnectionQueryScope & { keys: DerivedKeys },
  row: ConnectionRow,
  inputs: DirectoryLookupInputs,
): Promise<PreparedQuery> {
  const start = performance.now()
  if (isUploadedList(row)) {
    const answer = await queryUploadedList(ctx, row, inputs)
    return () => Promise.resolve({ answer, ms: elapsedMs(start) })
  }
  const secretOf = await decryptCredentials(ctx, row.id)
  return async (fetcher) => {
    const sent = performance.now()
    const answer = await queryDirectory(fetcher, toDirectoryConnectionSpec(row), secretOf, inputs, {
      which: chooseRequest(row, inputs) ?? 'lookup',
    })
    return { answer, ms: elapsedMs(sent) }
  }
}

export const runDirectoryQuery = async (ctx: DirectoryQueryContext, row: ConnectionRow, inputs: DirectoryLookupInputs) =>
  (await prepareDirectoryLookup(ctx, row, inputs))(ctx.fetcher)

const elapsedMs = (start: number) => Math.round(performance.now() - start)
