import { SERVER_INFO_META_KEY, type CallToolResult, type ServerContext } from '@modelcontextprotocol/server'
import type { Permissions } from '../../kernel/permissions.ts'
import type { Tool, Toolset, ListedTool } from '../../kernel/tool.ts'
import { type GzippedBodyStart, startGzip } from '../http/gzip.ts'

/**
 * A tool that returns an MCP result itself, without the call pipeline. The product has no such tool; the MCP conformance suite requires
 * some.
 */
export interface McpProtocolTool {
  wire: Pick<ListedTool, 'name' | 'description' | 'inputSchema'> & Partial<ListedTool>
  respond: (args: Record<string, unknown>, ctx: ServerContext) => Promise<CallToolResult>
}

/** The tools one kind of caller sees: the serialized list, and the tools that can be called. */
export interface VisibleTools {
  tools: ReadonlyMap<string, Tool>
  raw: ReadonlyMap<string, McpProtocolTool>
  list: readonly McpProtocolTool['wire'][]
  modernList: ToolListResponsePrefix
  legacyList: ToolListResponsePrefix
}

/** A serialized `tools/list` response up to the request id, plain and compressed. */
export interface ToolListResponsePrefix {
  plain: Buffer
  packed: () => GzippedBodyStart
}

export const TOOL_LIST_TTL_MS = 60_000
export const SERVER_INFO = { name: 'lanyard', title: 'Lanyard', version: '0.1.0' }
export const SERVER_INFO_META = { [SERVER_INFO_META_KEY]: SERVER_INFO }

export function buildVisibleTools(listed: readonly Tool[], callable: readonly Tool[], raw: readonly McpProtocolTool[] = []): VisibleTools {
  const list = [...listed.map((tool) => tool.wire), ...raw.map((tool) => tool.wire)]
  const tools = JSON.stringify(list)
  const modern = `"resultType":"complete","ttlMs":${TOOL_LIST_TTL_MS},"cacheScope":"private","_meta":${JSON.stringify(SERVER_INFO_META)}`
  return {
    tools: new Map(callable.map((tool) => [tool.name, tool])),
    raw: new Map(raw.map((tool) => [tool.wire.name, tool])),
    list,
    modernList: listHead(`{"result":{"tools":${tools},${modern}},"jsonrpc":"2.0","id":`),
    legacyList: listHead(`{"result":{"tools":${tools}},"jsonrpc":"2.0","id":`),
  }
}

function listHead(text: string): ToolListResponsePrefix {
  const plain = Buffer.from(text)
  let packed: GzippedBodyStart | undefined
  return { plain, packed: () => (packed ??= startGzip(plain)) }
}

/**
 * Maximum size of the cached tool lists in bytes. Most apps use one of a few combinations of roles and presets, so their lists usually all
 * fit.
 */
const MAX_CACHED_VIEW_BYTES = 64 * 1024 * 1024
/** The size of a cached tool list: its plain text plus an estimate for the compressed one. */
const estimateBytes = ({ modernList, legacyList }: VisibleTools) => (modernList.plain.length + legacyList.plain.length) * 1.25
const MAX_NUMBERS = 1000
const ALWAYS = 'list_my_events'

/** Caches the tool lists of the toolsets. Each is built on first use and evicted when it is the least recently used one. */
export function createToolListCache(toolsets: readonly Toolset[], raw: readonly McpProtocolTool[] = [], maxBytes = MAX_CACHED_VIEW_BYTES) {
  const made = new Map<string, VisibleTools>()
  let bytes = 0
  const numbers = new Map<string, number>()
  let numbersGiven = 0
  const numbered = new WeakMap<Permissions, number>()
  const first = toolsets.flatMap((t) => t.tools).filter((tool) => tool.name === ALWAYS)

  /** Returns a number for a set of permissions. Equal permissions get equal numbers, which are faster cache keys than their names. */
  function shortKey(permissions: Permissions): number {
    let key = numbered.get(permissions)
    if (key === undefined) {
      const names = [...permissions].toSorted().join(' ')
      key = numbers.get(names) ?? numbersGiven++
      // The count continues after clearing: a reused number would return the cached tool list of other permissions.
      if (numbers.size >= MAX_NUMBERS) numbers.clear()
      numbers.set(names, key)
      numbered.set(permissions, key)
    }
    return key
  }

  /** Returns the tool list of the chosen toolsets, given in any order; null means all toolsets. */
  return function viewFor(chosen: readonly string[] | null, permissions: Permissions): VisibleTools {
    const key = `${chosen === null ? '*' : chosen.toSorted().join(',')}|${shortKey(permissions)}`
    let view = made.get(key)
    if (view) made.delete(key)
    else {
      const inChosen = toolsets.filter((t) => chosen === null || chosen.includes(t.name)).flatMap((t) => t.tools)
      const callable = [...first, ...inChosen.filter((tool) => tool.name !== ALWAYS)]
      view = buildVisibleTools(
        callable.filter((tool) => tool.permissions.every((permission) => permissions.has(permission))),
        callable,
        raw,
      )
      bytes += estimateBytes(view)
    }
    made.set(key, view)
    for (const [oldest, dropped] of made) {
      if (bytes <= maxBytes || dropped === view) break
      made.delete(oldest)
      bytes -= estimateBytes(dropped)
    }
    return view
  }
}
