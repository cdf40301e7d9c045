import { classifyInboundRequest, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import type { Tool } from '../../kernel/tool.ts'
import { type CallArguments, isPlainObject } from './decode-arguments.ts'
import { readHeader, type InboundMessage } from './message.ts'
import { type ToolCallOutcome, serializeResultFields } from './outcome.ts'
import { type ToolListResponsePrefix, SERVER_INFO_META, type VisibleTools } from './views.ts'

type FastInbound = Pick<InboundMessage, 'headers' | 'body'>
/** A serialized `tools/list` response in two parts: the head, which all callers share, and the tail with the id of the request. */
export interface FastToolListResponse {
  head: ToolListResponsePrefix
  tail: string
}
export type FastPathResponse = FastToolListResponse | { text: string } | null

const MODERN = '2026-07-28'
const LEGACY_VERSIONS = new Set<string>(SUPPORTED_PROTOCOL_VERSIONS)

/**
 * Answers well-formed `tools/call` and `tools/list` messages, nearly all traffic, without the protocol library, which costs ten to sixty
 * times as much. Returns null for everything else and in case of doubt; then the library answers. A test compares both answers.
 */
export async function respondByFastPath(
  inbound: FastInbound,
  view: VisibleTools,
  call: (tool: Tool, args: CallArguments) => Promise<ToolCallOutcome>,
): Promise<FastPathResponse> {
  const message = readMessage(inbound)
  if (!message) return null
  const { era, id, called } = message
  const tail = `${JSON.stringify(id)}}`
  if (!called) return { head: era === 'modern' ? view.modernList : view.legacyList, tail }
  const tool = view.tools.get(called.name)
  if (!tool) return null
  const outcome = await call(tool, called.args)
  const members =
    era === 'modern' ? `${serializeResultFields(outcome, SERVER_INFO_META)},"resultType":"complete"` : serializeResultFields(outcome)
  return { text: `{"result":{${members}},"jsonrpc":"2.0","id":${tail}` }
}

interface FastMessage {
  era: 'modern' | 'legacy'
  id: unknown
  /** The tool to call and its arguments; null for `tools/list`. */
  called: { name: string; args: CallArguments } | null
}

/**
 * The tool that a well-formed `tools/call` message calls; null for other messages, and for unusual ones that only the MCP library handles.
 */
export const parseToolCall = (inbound: FastInbound): FastMessage['called'] => readMessage(inbound)?.called ?? null

function readMessage(inbound: FastInbound): FastMessage | null {
  const { body } = inbound
  if (!isPlainObject(body) || (body.method !== 'tools/call' && body.method !== 'tools/list')) return null
  const { jsonrpc, id, method, params, ...others } = body
  if (jsonrpc !== '2.0' || Object.keys(others).length > 0) return null
  if (!(typeof id === 'string' || Number.isSafeInteger(id)) || (params !== undefined && !isPlainObject(params))) return null
  // A call that requests progress needs an event stream, which only the MCP library supports.
  if (method === 'tools/call' && !isPlainMeta(params?._meta)) return null
  const era = findEra(inbound, method, params)
  if (!era) return null
  if (method === 'tools/list') return params?.cursor === undefined ? { era, id, called: null } : null
  if (!params || params.inputResponses !== undefined || params.requestState !== undefined || params.task !== undefined) return null
  const { name, arguments: args = {} } = params
  return typeof name === 'string' && isPlainObject(args) ? { era, id, called: { name, args } } : null
}

/**
 * The protocol generation of a well-formed message: `modern` (without initialization) or `legacy`. Null if the message is not
 * well-formed.
 */
function findEra({ headers }: FastInbound, method: string, params: CallArguments | undefined): 'modern' | 'legacy' | null {
  const version = readHeader(headers, 'mcp-protocol-version')
  const meta = params?._meta
  if (meta !== undefined && !isPlainObject(meta)) return null
  if (version === MODERN) {
    const nameHeader = readHeader(headers, 'mcp-name')
    const named = method === 'tools/list' ? nameHeader === undefined : nameHeader === params?.name
    return named && readHeader(headers, 'mcp-method') === method && meta && readClaim(meta) === MODERN ? 'modern' : null
  }
  if (version !== undefined && !LEGACY_VERSIONS.has(version)) return null
  const accept = readHeader(headers, 'accept') ?? ''
  const accepts = accept.includes('application/json') && accept.includes('text/event-stream')
  return accepts && (meta === undefined || readClaim(meta) === 'none') ? 'legacy' : null
}

const MAX_CLAIMS = 1000
const MAX_CLAIM_LENGTH = 2000
const claims = new Map<string, string | null>()

/** Reads the protocol revision in a message's `_meta`. A client sends the same `_meta` with every message, so the revision is cached. */
function readClaim(meta: CallArguments): string | null {
  const text = JSON.stringify(meta)
  let claim = claims.get(text)
  if (claim === undefined) {
    claim = classifyClaim(meta)
    if (claims.size >= MAX_CLAIMS) claims.clear()
    if (text.length <= MAX_CLAIM_LENGTH) claims.set(text, claim)
  }
  return claim
}

/** The MCP library's classification of `_meta`: the protocol revision, `none` if `_meta` names no revision, null if it is invalid. */
function classifyClaim(meta: CallArguments): string | null {
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } },
  })
  if (outcome.kind === 'modern' && outcome.messageKind === 'request') return outcome.classification.revision ?? null
  return outcome.kind === 'legacy' && outcome.reason === 'no-claim' ? 'none' : null
}

const isPlainMeta = (meta: unknown) => meta === undefined || (isPlainObject(meta) && meta.progressToken === undefined)
