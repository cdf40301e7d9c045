import { performance } from 'node:perf_hooks'
import { preconditionFailed } from '../../kernel/errors.ts'
import type { Fetcher } from '../../kernel/fetcher.ts'
import type { Keys } from '../../kernel/secrets.ts'
import type { ConnectionRow, EventPlace } from './connections.ts'
import { openCredentials } from './credentials.ts'
import { askDirectory } from './engine/ask.ts'
import type { DirectoryAnswer, DirectoryInput, DirectoryInputs, DirectorySpec } from './engine/spec.ts'
import { settingsOf } from './engine/presets.ts'
import { inputsNeeded, unsendableBy } from './engine/template.ts'
import { askList, isList, LIST_INPUTS } from './uploaded-lists.ts'

/** Who may ask a directory: at an event, outside any transaction, by the guarded fetcher. */
export type Asking = EventPlace & { keys: Keys; fetcher: Fetcher }

export const toSpec = (row: ConnectionRow): DirectorySpec => ({
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

const isGiven = (inputs: DirectoryInputs) => (name: string) => Boolean(inputs[name as DirectoryInput]?.trim())

/** The request that makes the most of what is known of the person: a search by two inputs tells people apart that a lookup by one does not. */
function requestFor({ requests }: ConnectionRow, inputs: DirectoryInputs): 'lookup' | 'search' | null {
  const fits = (['lookup', 'search'] as const).filter((name) => requests[name] && inputsNeeded(requests[name]).every(isGiven(inputs)))
  const [best] = fits.toSorted((a, b) => inputsNeeded(requests[b]!).length - inputsNeeded(requests[a]!).length)
  return best ?? null
}

/** Refuses a question that cannot be put, which is no fault of the directory. */
export function refuseUnaskable(row: ConnectionRow, inputs: DirectoryInputs): void {
  const wanted = isList(row) ? LIST_INPUTS.join(' or ') : inputsNeeded(row.requests.lookup ?? { ...NOTHING }).join(' and ')
  const asked = isList(row) ? LIST_INPUTS.some(isGiven(inputs)) : requestFor(row, inputs) !== null
  if (!asked) throw preconditionFailed(`Directory connection ${row.code} needs ${wanted || 'a lookup request'} to look somebody up`)
}

/** An input that no request can carry is nobody's. That is known without the directory, and says nothing about how it is doing. */
export function isNobodys(row: ConnectionRow, inputs: DirectoryInputs): boolean {
  const request = isList(row) ? undefined : row.requests[requestFor(row, inputs) ?? 'lookup']
  return request !== undefined && unsendableBy(request, { baseUrl: row.base_url, settings: settingsOf(row), inputs }) !== null
}

const NOTHING = {
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

/** Asks, past the cache, and touches no database. Whatever the directory does is an answer. */
export type Question = (fetcher: Fetcher) => Promise<{ answer: DirectoryAnswer; ms: number }>

/** Reads what the question needs of the database: its secrets, or the list itself. */
export async function prepareQuestion(ctx: EventPlace & { keys: Keys }, row: ConnectionRow, inputs: DirectoryInputs): Promise<Question> {
  const start = performance.now()
  if (isList(row)) {
    const answer = await askList(ctx, row, inputs)
    return () => Promise.resolve({ answer, ms: since(start) })
  }
  const secretOf = await openCredentials(ctx, row.id)
  return async (fetcher) => {
    const sent = performance.now()
    const answer = await askDirectory(fetcher, toSpec(row), secretOf, inputs, { which: requestFor(row, inputs) ?? 'lookup' })
    return { answer, ms: since(sent) }
  }
}

export const ask = async (ctx: Asking, row: ConnectionRow, inputs: DirectoryInputs) =>
  (await prepareQuestion(ctx, row, inputs))(ctx.fetcher)

const since = (start: number) => Math.round(performance.now() - start)
