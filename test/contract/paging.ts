import { isId } from '../../src/kernel/ids.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import type { ToolAnswer } from '../support/world.ts'
import type { Call } from './examples.ts'
import { type Arguments, atSibling, type Caller, codesFor } from './stage.ts'

export const isPaged = ({ shape }: Tool) => Boolean(shape.properties?.cursor)

/** The list that is paged is the first that the result declares. */
const rowsIn = ({ wire }: Tool, answer: ToolAnswer): unknown[] => {
  const [name] = Object.entries(wire.outputSchema.properties ?? {}).find(([, { type }]) => type === 'array') ?? ['']
  return (answer.structuredContent?.[name] as unknown[] | undefined) ?? []
}

const cursorIn = ({ structuredContent }: ToolAnswer) => structuredContent?.nextCursor as string | null | undefined

// What is read at once has a hundred rows at most.
const ENDLESS = 101

/** A row as a reader sees it: a sealed link is another text each time it is made. */
const told = (row: unknown) => JSON.stringify(row, (key, value: unknown) => (key === 'pdfUrl' ? 'a link' : value))

/** Who asks for one record by its id gets that one: of pages, the tool's other examples tell. */
const namesOneRow = (args: Arguments, rows: readonly unknown[]) =>
  rows.length === 1 &&
  Object.entries(args).some(([name, value]) => name !== 'participantId' && isId(value) && JSON.stringify(rows[0]).includes(value))

/** Row by row and all at once must be the same rows in the same order. */
export async function problemsOfWalk({ stage, tool, args }: Call): Promise<string[]> {
  const ask = (more: Arguments) => stage.callerOf(tool).answer(tool.name, { ...args, ...more })
  const whole = await ask({ limit: 100 })
  const rows = rowsIn(tool, whole)
  if (whole.isError) return [`was refused: ${whole.content[0]!.text}`]
  if (namesOneRow(args, rows)) return []
  if (rows.length < 3) return [`lists ${rows.length} rows in its example: let it have three, or paging is not seen`]
  const walked: unknown[] = []
  const totals = new Set<unknown>([whole.structuredContent.total])
  let cursor: string | null | undefined
  for (let pages = 0; cursor !== null; pages++) {
    const page = await ask({ limit: 1, ...(cursor ? { cursor } : {}) })
    cursor = cursorIn(page)
    if (page.isError || cursor === undefined) return [`was refused a page: ${page.content[0]!.text}`]
    if (pages === ENDLESS) return ['never comes to an end']
    walked.push(...rowsIn(tool, page))
    totals.add(page.structuredContent.total)
  }
  const [once, byOne] = [rows.map(told), walked.map(told)]
  return [
    ...(new Set(byOne).size < byOne.length ? ['repeats rows'] : []),
    ...(once.some((row) => !byOne.includes(row)) ? ['loses rows'] : []),
    ...(byOne.some((row) => !once.includes(row)) ? ['shows rows that the whole list has not'] : []),
    ...(once.join() === [...new Set(byOne)].join() ? [] : ['pages in another order than it lists']),
    ...(totals.size > 1 ? ['counts another total on another page'] : []),
    ...(cursorIn(whole) === null ? [] : ['says there is more when there is not']),
  ]
}

/** A cursor opens for the person, the tool and the filters it was made for, letter by letter, and for nothing else. */
export async function problemsOfCursor(
  call: Call,
  others: { person: Pick<Caller, 'answer'> | null; own?: Arguments; tools: readonly Tool[] },
): Promise<string[]> {
  const { stage, tool, args } = call
  const caller = stage.callerOf(tool)
  const first = await caller.answer(tool.name, { ...args, limit: 1 })
  const cursor = cursorIn(first)
  if (!cursor && namesOneRow(args, rowsIn(tool, first))) return []
  if (!cursor) return ['gives no cursor in its example: let it have three rows']
  const opens = async (what: string, person: Pick<Caller, 'answer'>, name: string, sent: Arguments): Promise<string[]> => {
    const { isError, _meta } = await person.answer(name, sent)
    const error = isError ? _meta!['lanyard/error'] : null
    const named = error?.code === 'invalid_arguments' && error.fields?.some(({ path }: { path: string }) => path === 'cursor')
    return named ? [] : [`takes a cursor ${what}`]
  }
  const problems: string[] = []
  const tried = (what: string, sent: Arguments, person: Pick<Caller, 'answer'> = caller, name = tool.name) =>
    opens(what, person, name, sent).then((found) => void problems.push(...found))

  for (const altered of alterationsOf(cursor)) await tried('that was altered', { ...args, cursor: altered })
  if (others.person) await tried('of another person', { ...args, ...others.own, cursor }, others.person)
  for (const filters of otherFilters(call)) await tried('of other filters', { ...args, ...filters, cursor })
  for (const other of nextTo(tool, others.tools)) {
    await tried(`of another list (to ${other.name})`, { ...codesFor(other, stage), cursor }, caller, other.name)
  }
  return [...new Set(problems)]
}

function alterationsOf(cursor: string): string[] {
  const at = [0, 1, Math.floor(cursor.length / 3), Math.floor(cursor.length / 2), cursor.length - 2, cursor.length - 1]
  const replaced = at.map((i) => cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1))
  // The last letter of such a text holds bits that mean nothing: letters that differ only there would decode to the same.
  const index = LETTERS.indexOf(cursor.at(-1)!)
  const last = [1, 2, 4, 8].map((bit) => cursor.slice(0, -1) + LETTERS[index ^ bit])
  return [...new Set([...replaced, ...last, `${cursor}=`, `${cursor}A`, cursor.slice(0, -1)])].filter((text) => text !== cursor)
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The two lists that come next: between them all, every list is tried with two others. */
const nextTo = (tool: Tool, tools: readonly Tool[]): readonly Tool[] => {
  const others = tools.filter(({ name }) => name !== tool.name)
  const at = tools.findIndex(({ name }) => name === tool.name)
  return [...others.slice(Math.max(at, 0)), ...others].slice(0, Math.min(2, others.length))
}

/** What can be asked otherwise: another search, another place. */
function otherFilters({ stage, tool }: Call): Arguments[] {
  const { properties = {} } = tool.shape
  const sibling = atSibling(stage).home
  return [
    ...(properties.search ? [{ search: `${stage.word} or another` }] : []),
    ...(tool.scope === 'event' ? [{ eventCode: sibling.eventCode }] : []),
    ...(tool.scope === 'client' ? [{ clientCode: sibling.clientCode.replace('main', 'second') }] : []),
  ]
}
