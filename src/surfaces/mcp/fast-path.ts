import { classifyInboundRequest, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import type { Tool } from '../../kernel/tool.ts'
import { type Arguments, isPlainObject } from './decode-arguments.ts'
import { header, type Inbound } from './message.ts'
import { type Outcome, resultMembers } from './outcome.ts'
import { type ListHead, SERVER_META, type View } from './views.ts'

type Spoken = Pick<Inbound, 'headers' | 'body'>
/** A list made ready, and the end that makes it the answer to one message. */
export interface ListAnswer {
  head: ListHead
  tail: string
}
export type FastAnswer = ListAnswer | { text: string } | null

const MODERN = '2026-07-28'
const LEGACY_VERSIONS = new Set<string>(SUPPORTED_PROTOCOL_VERSIONS)

/**
 * Answers the two messages that make up nearly all traffic, when they are in perfect order, without the protocol library's cost
 * of ten to sixty times as much. Everything else, and every doubt, is null: the library answers, and a test holds both to the same words.
 */
export async function answerFast(
  inbound: Spoken,
  view: View,
  call: (tool: Tool, args: Arguments) => Promise<Outcome>,
): Promise<FastAnswer> {
  const { body } = inbound
  if (!isPlainObject(body) || (body.method !== 'tools/call' && body.method !== 'tools/list')) return null
  const { jsonrpc, id, method, params, ...others } = body
  if (jsonrpc !== '2.0' || Object.keys(others).length > 0) return null
  if (!(typeof id === 'string' || Number.isSafeInteger(id)) || (params !== undefined && !isPlainObject(params))) return null
  // Progress is told on a stream, which the library keeps.
  if (method === 'tools/call' && !isPlainMeta(params?._meta)) return null
  const era = eraOf(inbound, method, params)
  if (!era) return null

  const tail = `${JSON.stringify(id)}}`
  if (method === 'tools/list') {
    if (params?.cursor !== undefined) return null
    return { head: era === 'modern' ? view.modernList : view.legacyList, tail }
  }
  if (!params || params.inputResponses !== undefined || params.requestState !== undefined || params.task !== undefined) return null
  const tool = typeof params.name === 'string' ? view.tools.get(params.name) : undefined
  if (!tool || !(params.arguments === undefined || isPlainObject(params.arguments))) return null
  const outcome = await call(tool, params.arguments ?? {})
  const members = era === 'modern' ? `${resultMembers(outcome, SERVER_META)},"resultType":"complete"` : resultMembers(outcome)
  return { text: `{"result":{${members}},"jsonrpc":"2.0","id":${tail}` }
}

/** Which protocol the message speaks, if it does so without fault. */
function eraOf({ headers }: Spoken, method: string, params: Arguments | undefined): 'modern' | 'legacy' | null {
  const version = header(headers, 'mcp-protocol-version')
  const meta = params?._meta
  if (meta !== undefined && !isPlainObject(meta)) return null
  if (version === MODERN) {
    const nameHeader = header(headers, 'mcp-name')
    const named = method === 'tools/list' ? nameHeader === undefined : nameHeader === params?.name
    return named && header(headers, 'mcp-method') === method && meta && claimIn(meta) === MODERN ? 'modern' : null
  }
  if (version !== undefined && !LEGACY_VERSIONS.has(version)) return null
  const accept = header(headers, 'accept') ?? ''
  const accepts = accept.includes('application/json') && accept.includes('text/event-stream')
  return accepts && (meta === undefined || claimIn(meta) === 'none') ? 'legacy' : null
}

const MAX_CLAIMS = 1000
const MAX_CLAIM_LENGTH = 2000
const claims = new Map<string, string | null>()

/** The revision that a message's `_meta` claims to speak. A client sends the same claim with every message, so each is judged once. */
function claimIn(meta: Arguments): string | null {
  const text = JSON.stringify(meta)
  let claim = claims.get(text)
  if (claim === undefined) {
    claim = judgedClaim(meta)
    if (claims.size >= MAX_CLAIMS) claims.clear()
    if (text.length <= MAX_CLAIM_LENGTH) claims.set(text, claim)
  }
  return claim
}

/** The library's judgement: `none` when nothing is claimed, null when the claim is at fault. */
function judgedClaim(meta: Arguments): string | null {
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } },
  })
  if (outcome.kind === 'modern' && outcome.messageKind === 'request') return outcome.classification.revision ?? null
  return outcome.kind === 'legacy' && outcome.reason === 'no-claim' ? 'none' : null
}

const isPlainMeta = (meta: unknown) => meta === undefined || (isPlainObject(meta) && meta.progressToken === undefined)
