import { classifyInboundRequest, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import type { Tool } from '../../kernel/tool.ts'
import { type Arguments, isPlainObject } from './decode-arguments.ts'
import { header, type Inbound } from './message.ts'
import { type Outcome, resultMembers } from './outcome.ts'
import { SERVER_META, type View } from './views.ts'

export type FastAnswer = { head: Buffer; tail: string } | { text: string } | null

const MODERN = '2026-07-28'
const LEGACY_VERSIONS = new Set<string>(SUPPORTED_PROTOCOL_VERSIONS)

/**
 * Answers the two messages that make up nearly all traffic, when they are in perfect order, without the protocol library's cost
 * of ten to sixty times as much. Everything else, and every doubt, is null: the library answers, and a test holds both to the same words.
 */
export async function answerFast(
  inbound: Inbound,
  view: View,
  call: (tool: Tool, args: Arguments) => Promise<Outcome>,
): Promise<FastAnswer> {
  const { body } = inbound
  if (!isPlainObject(body) || (body.method !== 'tools/call' && body.method !== 'tools/list')) return null
  const { id, method, params } = body
  if (!(typeof id === 'string' || Number.isSafeInteger(id)) || (params !== undefined && !isPlainObject(params))) return null
  const era = eraOf(inbound, method, params)
  if (!era) return null

  const tail = `${JSON.stringify(id)}}`
  if (method === 'tools/list') {
    if (params?.cursor !== undefined) return null
    return { head: era === 'modern' ? view.modernHead : view.legacyHead, tail }
  }
  if (!params || params.inputResponses !== undefined || params.requestState !== undefined || params.task !== undefined) return null
  const tool = typeof params.name === 'string' ? view.tools.get(params.name) : undefined
  if (!tool || !(params.arguments === undefined || isPlainObject(params.arguments)) || !isPlainMeta(params._meta)) return null
  const outcome = await call(tool, params.arguments ?? {})
  const members = era === 'modern' ? `${resultMembers(outcome, SERVER_META)},"resultType":"complete"` : resultMembers(outcome)
  return { text: `{"result":{${members}},"jsonrpc":"2.0","id":${tail}` }
}

/** Which protocol the message speaks, if it does so without fault. */
function eraOf({ headers, body }: Inbound, method: string, params: Arguments | undefined): 'modern' | 'legacy' | null {
  const version = header(headers, 'mcp-protocol-version')
  const methodHeader = header(headers, 'mcp-method')
  const nameHeader = header(headers, 'mcp-name')
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(methodHeader === undefined ? {} : { mcpMethodHeader: methodHeader }),
    ...(nameHeader === undefined ? {} : { mcpNameHeader: nameHeader }),
    body,
  })
  if (outcome.kind === 'modern') {
    const named = method === 'tools/list' ? nameHeader === undefined : nameHeader === params?.name
    const clear =
      outcome.messageKind === 'request' && outcome.classification.revision === MODERN && version === MODERN && methodHeader === method
    return clear && named ? 'modern' : null
  }
  if (outcome.kind !== 'legacy' || outcome.reason !== 'no-claim') return null
  const accept = header(headers, 'accept') ?? ''
  const accepts = accept.includes('application/json') && accept.includes('text/event-stream')
  return accepts && (version === undefined || LEGACY_VERSIONS.has(version)) ? 'legacy' : null
}

const isPlainMeta = (meta: unknown) => meta === undefined || (isPlainObject(meta) && meta.progressToken === undefined)
