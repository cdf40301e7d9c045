import { SERVER_INFO_META_KEY, type CallToolResult, type ServerContext } from '@modelcontextprotocol/server'
import type { Permissions } from '../../kernel/permissions.ts'
import type { Tool, Toolset, WireTool } from '../../kernel/tool.ts'
import { type OpenGzip, openGzip } from '../http/gzip.ts'

/** A tool that answers in the protocol's own blocks and messages instead of taking the road. The product has none; the conformance suite asks for some. */
export interface RawTool {
  wire: Pick<WireTool, 'name' | 'description' | 'inputSchema'> & Partial<WireTool>
  respond: (args: Record<string, unknown>, ctx: ServerContext) => Promise<CallToolResult>
}

/** What one kind of caller sees: the list, ready to be written, and the tools that can be called. */
export interface View {
  tools: ReadonlyMap<string, Tool>
  raw: ReadonlyMap<string, RawTool>
  list: readonly RawTool['wire'][]
  modernList: ListHead
  legacyList: ListHead
}

/** Everything of a `tools/list` answer up to its id, plain and compressed. */
export interface ListHead {
  plain: Buffer
  packed: () => OpenGzip
}

export const LIST_TTL_MS = 60_000
export const SERVER_INFO = { name: 'lanyard', title: 'Lanyard', version: '0.1.0' }
export const SERVER_META = { [SERVER_INFO_META_KEY]: SERVER_INFO }

export function viewOf(listed: readonly Tool[], callable: readonly Tool[], raw: readonly RawTool[] = []): View {
  const list = [...listed.map((tool) => tool.wire), ...raw.map((tool) => tool.wire)]
  const tools = JSON.stringify(list)
  const modern = `"resultType":"complete","ttlMs":${LIST_TTL_MS},"cacheScope":"private","_meta":${JSON.stringify(SERVER_META)}`
  return {
    tools: new Map(callable.map((tool) => [tool.name, tool])),
    raw: new Map(raw.map((tool) => [tool.wire.name, tool])),
    list,
    modernList: listHead(`{"result":{"tools":${tools},${modern}},"jsonrpc":"2.0","id":`),
    legacyList: listHead(`{"result":{"tools":${tools}},"jsonrpc":"2.0","id":`),
  }
}

function listHead(text: string): ListHead {
  const plain = Buffer.from(text)
  let packed: OpenGzip | undefined
  return { plain, packed: () => (packed ??= openGzip(plain)) }
}

/** Roles come in few combinations and most apps choose a preset, so this is room for everybody; and a list of all tools alone is large. */
const MAX_BYTES = 64 * 1024 * 1024
/** A list is kept plain, and compressed when somebody asks for that. */
const bytesOf = ({ modernList, legacyList }: View) => (modernList.plain.length + legacyList.plain.length) * 1.25
const MAX_NUMBERS = 1000
const ALWAYS = 'list_my_events'

/** Keeps the views of the toolsets, made when first asked for and dropped when long unused. */
export function toolsetViews(toolsets: readonly Toolset[], raw: readonly RawTool[] = [], maxBytes = MAX_BYTES) {
  const made = new Map<string, View>()
  let bytes = 0
  const numbers = new Map<string, number>()
  let numbersGiven = 0
  const numbered = new WeakMap<Permissions, number>()
  const first = toolsets.flatMap((t) => t.tools).filter((tool) => tool.name === ALWAYS)

  /** Equal permissions, equal number: as a key it is looked up faster than their names. */
  function shortKey(permissions: Permissions): number {
    let key = numbered.get(permissions)
    if (key === undefined) {
      const names = [...permissions].toSorted().join(' ')
      key = numbers.get(names) ?? numbersGiven++
      // A number is never given twice: what forgot it only makes its view once more.
      if (numbers.size >= MAX_NUMBERS) numbers.clear()
      numbers.set(names, key)
      numbered.set(permissions, key)
    }
    return key
  }

  /** `chosen` in any order; null is all of them. */
  return function viewFor(chosen: readonly string[] | null, permissions: Permissions): View {
    const key = `${chosen === null ? '*' : chosen.toSorted().join(',')}|${shortKey(permissions)}`
    let view = made.get(key)
    if (view) made.delete(key)
    else {
      const inChosen = toolsets.filter((t) => chosen === null || chosen.includes(t.name)).flatMap((t) => t.tools)
      const callable = [...first, ...inChosen.filter((tool) => tool.name !== ALWAYS)]
      view = viewOf(
        callable.filter((tool) => tool.permissions.every((permission) => permissions.has(permission))),
        callable,
        raw,
      )
      bytes += bytesOf(view)
    }
    made.set(key, view)
    for (const [oldest, dropped] of made) {
      if (bytes <= maxBytes || dropped === view) break
      made.delete(oldest)
      bytes -= bytesOf(dropped)
    }
    return view
  }
}
