import type { Tool } from '../../src/kernel/tool.ts'
import type { ToolAnswer } from '../support/world.ts'
import { answerTo, type Call, confirmationOf } from './examples.ts'
import { inWords, type RowChange, watched } from './rows.ts'
import type { SpecifiedTool } from './specified-tools.ts'
import type { Caller, Stage } from './stage.ts'

/** What a call answered, and the rows that it changed. */
interface Seen {
  answer: ToolAnswer
  changes: RowChange[]
}

export interface Tried {
  dry: Seen | null
  real: Seen
  /** Once more with the same key. */
  again: Seen | null
}

const watch = (call: Call, more: object = {}): Promise<Seen> => watched(call.stage.world.database.pool, () => answerTo(call, { ...more }))

/** The call made for real. */
const doing = async (call: Call): Promise<Seen> => watch(call, await confirmationOf(call))

/** The call made as a dry run, then for real, and then again with the same key, as far as the tool takes them. */
export async function trying(call: Call): Promise<Tried> {
  const keyed = takesKey(call.tool) && !isReport(call)
  const dry = call.tool.previews ? await watch(call, { dryRun: true }) : null
  const { confirmToken } = dry?.answer.structuredContent ?? {}
  const sent = {
    ...(call.tool.confirmable ? { confirmToken } : {}),
    ...(keyed ? { idempotencyKey: `example-${++keys}` } : {}),
  }
  return { dry, real: await watch(call, sent), again: keyed ? await watch(call, sent) : null }
}

let keys = 0
export const takesKey = ({ input }: Pick<Tool, 'input'>) => 'idempotencyKey' in input.shape

/** Rows that triggers write of others, and take away again: nobody loses anything by that. */
const DERIVED = ['appointment_people']

const among = (changes: readonly RowChange[], table: string) => changes.filter((change) => change.table === table)
const beside = (changes: readonly RowChange[], ...tables: string[]) => changes.filter(({ table }) => !tables.includes(table))

const refused = ({ isError, content }: ToolAnswer) => (isError ? [`was refused: ${content[0]!.text}`] : [])
const wrote = (when: string, changes: readonly RowChange[]) => (changes.length > 0 ? [`${when}: ${inWords(changes)}`] : [])

export async function problemsOfRead(call: Call, seen?: Seen): Promise<string[]> {
  const { answer, changes } = seen ?? (await watch(call))
  return [...refused(answer), ...wrote('is a read and wrote', changes)]
}

/** Some jobs have no reading tool: with nothing but its id they are asked how they stand, and change nothing. */
const REPORTS: Record<string, string> = {
  start_tax_assessment: 'assessmentId',
  setup_import_flow: 'setupId',
  create_test_registrations: 'runId',
}

const isReport = ({ tool, args }: Pick<Call, 'tool' | 'args'>): boolean => {
  const own = Object.keys(args).filter((name) => tool.own.includes(name))
  return own.length === 1 && own[0] === REPORTS[tool.name]
}

/** What was changed is recorded once, under who did it and where; what leaves the house is marked and can be repeated safely. */
export async function problemsOfChange(call: Call, seen?: Seen): Promise<string[]> {
  const { tool, stage } = call
  if (isReport(call)) return problemsOfRead(call, seen)
  const { answer, changes } = seen ?? (await doing(call))
  const audits = among(changes, 'audit_entries')
  const mails = among(changes, 'messages').filter(({ kind }) => kind === 'added')
  if (answer.isError) return refused(answer)
  if (beside(changes, 'audit_entries', 'confirmations', 'idempotency_keys', 'webhook_messages').length === 0)
    return ['changed nothing in its example']
  const problems = (await leaving(stage, mails)) === 0 ? [] : problemsOfSending(tool)
  const { audited } = stage.callerOf(tool)
  if (!audited) return audits.length === 0 ? problems : [...problems, `left ${audits.length} audit rows`]
  if (audits.length !== 1 || audits[0]!.kind !== 'added') return [...problems, `left ${audits.length} audit rows`]
  const made = among(changes, 'events')
    .filter(({ kind }) => kind === 'added')
    .map(({ key }) => (JSON.parse(key) as [number, string])[1])
  const event = await eventOf(call, made)
  return [...problems, ...(await problemsOfAudit(call, { ...audited, event }, JSON.parse(audits[0]!.key) as [number, string]))]
}

/** Mails of test data are kept to be looked at, and never leave. */
async function leaving({ world }: Stage, mails: readonly { key: string }[]): Promise<number> {
  const ids = mails.map(({ key }) => (JSON.parse(key) as [number, string])[1])
  const { rows } = await world.database.pool.query('select 1 from messages where id = any($1) and not is_test_data', [ids])
  return rows.length
}

const problemsOfSending = ({ wire, keyed }: Tool) => [
  ...(wire.annotations.openWorldHint ? [] : ['sends mail and is not marked openWorld']),
  ...(keyed ? [] : ['sends mail and takes no idempotencyKey']),
]

async function problemsOfAudit(
  { tool, stage }: Call,
  audited: NonNullable<Caller['audited']> & { event: string | null | undefined },
  [tenantId, id]: [number, string],
): Promise<string[]> {
  const { rows } = await stage.world.database.pool.query(
    `select tool, actor_id as actor, app_name as app, event_id as event, client_id as client from audit_entries where tenant_id = $1 and id = $2`,
    [tenantId, id],
  )
  const expected = {
    tool: tool.name,
    ...audited,
    client: tool.scope === 'account' ? null : stage.home.clientId,
  }
  const wrong = Object.entries(expected).filter(([name, value]) => rows[0]![name] !== value)
  return [
    ...(tenantId === stage.home.tenantId ? [] : ['is audited in another tenant']),
    ...wrong.map(([name]) => `is audited with another ${name}`),
  ]
}

/**
 * The one event that what was done is found with: where the call was, participants' calls being at the event of their session; of a call at a
 * client or an account, the event that it made, as the rows say, and otherwise none.
 */
async function eventOf({ tool: { scope }, stage, args }: Call, made: readonly string[]): Promise<string | null | undefined> {
  if (scope === 'event') return eventIdOf(stage, args.eventCode)
  if (scope === 'client' || scope === 'account') return made.length === 1 ? made[0]! : null
  return stage.home.eventId
}

/** Most examples are at home; one that ends an event for good is at another of the same client. */
async function eventIdOf({ world, home }: Stage, code: unknown): Promise<string | undefined> {
  const { rows } = await world.database.pool.query<{ id: string }>(
    `select id from events where tenant_id = $1 and client_id = $2 and code = $3`,
    [home.tenantId, home.clientId, code],
  )
  return rows[0]?.id
}

/** A dry run keeps nothing, says what would happen, and is right about it. */
export async function problemsOfDryRun(call: Call, tried?: Tried): Promise<string[]> {
  const { dry, real } = tried ?? (await trying(call))
  if (!dry) return []
  const { confirmable } = call.tool
  const { dryRun, effects, confirmToken, ...predicted } = dry.answer.structuredContent ?? {}
  if (dry.answer.isError) return refused(dry.answer)
  const problems = wrote('wrote in a dry run', dry.changes)
  if (dryRun !== true || !effects) problems.push('does not say that it was a dry run, and of what')
  if (confirmable !== (typeof confirmToken === 'string')) problems.push(confirmable ? 'gave no confirmToken' : 'gave a confirmToken')

  if (real.answer.isError) return [...problems, ...refused(real.answer)]
  const mails = among(real.changes, 'messages').filter(({ kind }) => kind === 'added')
  const removed = beside(real.changes, ...DERIVED).filter(({ kind }) => kind === 'removed')
  if (mails.length > effects?.recipients) problems.push(`sent ${mails.length} mails, ${effects.recipients} foretold`)
  if (call.tool.effect === 'destructive' && removed.length > 0 && effects?.deletes === 0)
    problems.push(`foretold no delete: ${inWords(removed)}`)
  // A tool with effects of its own to tell foretells those.
  const told = 'effects' in real.answer.structuredContent ? { effects, ...predicted } : predicted
  if (masked(inOrder(told)) !== masked(inOrder(call.tool.previewed(real.answer.structuredContent))))
    problems.push('answered otherwise than its dry run')
  return problems
}

const inOrder = (result: object) => Object.fromEntries(Object.entries(result).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Ids and instants are made anew by the real run. */
const masked = (result: unknown) => JSON.stringify(result).replaceAll(/"[0-9a-f]{24}"|"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"new"')

/** The same key twice is one effect and one answer. */
export async function problemsOfKey(call: Call, tried?: Tried): Promise<string[]> {
  const { real: first, again: second } = tried ?? (await trying(call))
  if (!second) return problemsOfRead(call, first)
  if (first.answer.isError) return refused(first.answer)
  const same = JSON.stringify(first.answer.structuredContent) === JSON.stringify(second.answer.structuredContent)
  return [
    ...(beside(first.changes, 'idempotency_keys', 'audit_entries', 'confirmations').length > 0 ? [] : ['changed nothing with a key']),
    ...wrote('acted again for the same key', second.changes),
    ...(same && second.answer._meta?.['lanyard/replayed'] === true ? [] : ['did not repeat its first answer for the same key']),
  ]
}

/** Who retries what is marked idempotent relies on it. */
export async function problemsOfRepeat(call: Call, first?: Seen): Promise<string[]> {
  const before = first ?? (await doing(call))
  const { answer, changes } = await doing(call)
  return [
    ...refused(before.answer),
    ...refused(answer),
    ...wrote('is marked idempotent and wrote when repeated', beside(changes, 'confirmations')),
  ]
}

/** The preview may be switched off in a declaration; for what cannot be undone it must not be. */
export const problemsOfPreview = (tools: readonly Tool[]): string[] =>
  tools
    .filter(({ effect, input }) => effect === 'destructive' && !('dryRun' in input.shape && 'confirmToken' in input.shape))
    .map(({ name }) => `${name} cannot be undone and has no dry run`)

/** Both ways: nothing that cannot be undone goes unmarked, and nothing else asks people for nothing. */
export function problemsOfDestructive(tools: readonly Tool[], specified: readonly SpecifiedTool[]): string[] {
  const listed = new Set(specified.filter(([, effect]) => effect === 'destructive').map(([name]) => name))
  return tools
    .filter(({ name, effect }) => listed.has(name) !== (effect === 'destructive'))
    .map(({ name }) => `${name} is ${listed.has(name) ? 'not marked' : 'marked'} destructive`)
}
