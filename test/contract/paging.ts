import { isId } from '../../src/kernel/ids.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import type { ToolAnswer } from '../support/world.ts'
import type { ExampleCall } from './examples.ts'
import { type Arguments, atSiblingEvent, type ToolCaller, scopeArguments } from './stage.ts'

export const isPaged = ({ shape }: Tool) => Boolean(shape.properties?.cursor)

/** The paged rows are in the first list that the output schema declares, or in a list of its first row. */
const rowsIn = ({ name: tool, wire }: Tool, answer: ToolAnswer): unknown[] => {
  if (tool === 'get_flow_rehearsal') {
    const { coverage, findings = [], negative, people = [] } = answer.structuredContent ?? {}
    return [...(coverage?.unreached ?? []), ...findings, ...(negative?.wronglyAccepted ?? []), ...people]
  }
  if (tool === 'get_audience_profile') return (answer.structuredContent?.profiles as { members?: unknown[] }[])?.[0]?.members ?? []
  const [name] = Object.entries(wire.outputSchema.properties ?? {}).find(([, { type }]) => type === 'array') ?? ['']
  return (answer.structuredContent?.[name] as unknown[] | undefined) ?? []
}

const cursorIn = ({ structuredContent }: ToolAnswer) => structuredContent?.nextCursor as string | null | undefined

// A whole list has at most 100 rows, so more pages than this mean that the cursor never ends.
const MAX_PAGES = 101

/** Links are encrypted with a new nonce each time, so they are masked before rows are compared. */
const comparableRow = (row: unknown) => JSON.stringify(row, (key, value: unknown) => (key === 'pdfUrl' ? 'a link' : value))

/** Whether an example requests one record by its id or number. It cannot test paging; the tool's other examples do. */
const namesOneRow = (args: Arguments, rows: readonly unknown[]) =>
  rows.length === 1 &&
  Object.entries(args).some(
    ([name, value]) => name !== 'participantId' && (isId(value) || isNumbered(value)) && JSON.stringify(rows[0]).includes(value),
  )

const isNumbered = (value: unknown): value is string => typeof value === 'string' && /^[A-Z]-\d{6}$/.test(value)

/** Pages of one row must return the same rows in the same order as the whole list. */
export async function findPageWalkProblems({ stage, tool, args }: ExampleCall): Promise<string[]> {
  const ask = (more: Arguments) => stage.callerOf(tool).answer(tool.name, { ...args, ...more })
  const whole = await ask({ limit: 100 })
  const rows = rowsIn(tool, whole)
  if (whole.isError) return [`was refused: ${whole.content[0]!.text}`]
  if (namesOneRow(args, rows)) return []
  if (rows.length < 3) return [`lists ${rows.length} rows in its example: give it three, or paging is not checked`]
  const walked: unknown[] = []
  const totals = new Set<unknown>([whole.structuredContent.total])
  let cursor: string | null | undefined
  for (let pages = 0; cursor !== null; pages++) {
    const page = await ask({ limit: 1, ...(cursor ? { cursor } : {}) })
    cursor = cursorIn(page)
    if (page.isError || cursor === undefined) return [`was refused a page: ${page.content[0]!.text}`]
    if (pages === MAX_PAGES) return ['never ends']
    walked.push(...rowsIn(tool, page))
    totals.add(page.structuredContent.total)
  }
  const [once, byOne] = [rows.map(comparableRow), walked.map(comparableRow)]
  return [
    ...(new Set(byOne).size < byOne.length ? ['repeats rows'] : []),
    ...(once.some((row) => !byOne.includes(row)) ? ['loses rows'] : []),
    ...(byOne.some((row) => !once.includes(row)) ? ['returns rows that are not in the whole list'] : []),
    ...(once.join() === [...new Set(byOne)].join() ? [] : ['returns pages in another order than the whole list']),
    ...(totals.size > 1 ? ['returns different totals on different pages'] : []),
    ...(cursorIn(whole) === null ? [] : ['returns a cursor after the last row']),
  ]
}

/** A cursor is valid only unaltered, and for the caller, the tool and the filters it was issued for. */
export async function findCursorProblems(
  call: ExampleCall,
  others: { person: Pick<ToolCaller, 'answer'> | null; own?: Arguments; tools: readonly Tool[] },
): Promise<string[]> {
  const { stage, tool, args } = call
  const caller = stage.callerOf(tool)
  const first = await caller.answer(tool.name, { ...args, limit: 1 })
  const cursor = cursorIn(first)
  if (!cursor && namesOneRow(args, rowsIn(tool, first))) return []
  if (!cursor) return ['returns no cursor in its example: give it three rows']
  const opens = async (what: string, person: Pick<ToolCaller, 'answer'>, name: string, sent: Arguments): Promise<string[]> => {
    const { isError, _meta } = await person.answer(name, sent)
    const error = isError ? _meta!['lanyard/error'] : null
    const named = error?.code === 'invalid_arguments' && error.fields?.some(({ path }: { path: string }) => path === 'cursor')
    return named ? [] : [`accepts a cursor ${what}`]
  }
  const problems: string[] = []
  const tried = (what: string, sent: Arguments, person: Pick<ToolCaller, 'answer'> = caller, name = tool.name) =>
    opens(what, person, name, sent).then((found) => void problems.push(...found))

  for (const altered of alterationsOf(cursor)) await tried('that was altered', { ...args, cursor: altered })
  if (others.person) await tried('of another person', { ...args, ...others.own, cursor }, others.person)
  for (const filters of otherFilters(call)) {
    // Other actions of the tool take other arguments, and other events have other records.
    if (tool.findArgumentErrors({ ...args, ...filters, cursor }).length > 0) continue
    if ('eventCode' in filters && Object.values(args).some(isId)) continue
    await tried('of other filters', { ...args, ...filters, cursor })
  }
  for (const other of nextTwoLists(tool, others.tools)) {
    await tried(`of another list (to ${other.name})`, { ...scopeArguments(other, stage), ...listAction(other), cursor }, caller, other.name)
  }
  return [...new Set(problems)]
}

/** A tool with several actions pages its action `list`. */
const listAction = ({ shape }: Tool): Arguments => (shape.properties?.action ? { action: 'list' } : {})

function alterationsOf(cursor: string): string[] {
  const at = [0, 1, Math.floor(cursor.length / 3), Math.floor(cursor.length / 2), cursor.length - 2, cursor.length - 1]
  const replaced = at.map((i) => cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1))
  // The last base64url character has unused bits: characters that differ only there decode to the same bytes.
  const index = BASE64URL_CHARACTERS.indexOf(cursor.at(-1)!)
  const last = [1, 2, 4, 8].map((bit) => cursor.slice(0, -1) + BASE64URL_CHARACTERS[index ^ bit])
  return [...new Set([...replaced, ...last, `${cursor}=`, `${cursor}A`, cursor.slice(0, -1)])].filter((text) => text !== cursor)
}

const BASE64URL_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Whether the list is that of one record, which the call must name. */
const needsRecord = ({ wire }: Tool) =>
  (wire.inputSchema.required ?? []).some((name) => !['eventCode', 'clientCode', 'action'].includes(name))

/** Returns the next two paged lists in a circle, so that every list is called with cursors of two other lists. */
const nextTwoLists = (tool: Tool, tools: readonly Tool[]): readonly Tool[] => {
  const others = tools.filter((other) => other.name !== tool.name && !needsRecord(other))
  const at = tools.findIndex(({ name }) => name === tool.name)
  return [...others.slice(Math.max(at, 0)), ...others].slice(0, Math.min(2, others.length))
}

/** Other arguments under which the same cursor must be refused. */
function otherFilters({ stage, tool }: ExampleCall): Arguments[] {
  const { properties = {} } = tool.shape
  const sibling = atSiblingEvent(stage).home
  return [
    ...(properties.search ? [{ search: `${stage.word} or another` }] : []),
    ...(tool.scope === 'event' ? [{ eventCode: sibling.eventCode }] : []),
    ...(tool.scope === 'client' ? [{ clientCode: sibling.clientCode.replace('main', 'second') }] : []),
  ]
}
