import { omitEmptyFields } from '../../src/kernel/empty-fields.ts'
import type { InputShape } from '../../src/kernel/input-shape.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import type { ToolAnswer } from '../support/world.ts'
import { callExample, type ExampleCall, getConfirmation } from './examples.ts'
import { describeChanges, type RowChange, recordRowChanges } from './row-changes.ts'
import type { SpecifiedTool } from './specified-tools.ts'
import type { ToolCaller, Stage } from './stage.ts'

/** The result of a call, and the rows that it changed. */
interface ObservedCall {
  answer: ToolAnswer
  changes: RowChange[]
}

export interface CallAttempts {
  dry: ObservedCall | null
  real: ObservedCall
  /** The call repeated with the same idempotency key; null if the call cannot have a key. */
  again: ObservedCall | null
}

const observeCall = (call: ExampleCall, more: object = {}): Promise<ObservedCall> =>
  recordRowChanges(call.stage.world.database.pool, () => callExample(call, { ...more }))

const makeCall = async (call: ExampleCall): Promise<ObservedCall> => observeCall(call, await getConfirmation(call))

/** Makes the call as a dry run, then for real, then again with the same idempotency key, as far as the tool supports each. */
export async function attemptCall(call: ExampleCall): Promise<CallAttempts> {
  // A reading action of a tool that changes rows has nothing to preview.
  const reads = call.tool.effect !== 'read' && call.tool.readsOnly(call.args)
  const keyed = takesIdempotencyKey(call.tool) && !isStatusCall(call) && !reads
  const dry = call.tool.previews && !reads ? await observeCall(call, { dryRun: true }) : null
  const { confirmToken } = dry?.answer.structuredContent ?? {}
  const sent = {
    ...(call.tool.confirmable ? { confirmToken } : {}),
    ...(keyed ? { idempotencyKey: `example-${++keys}` } : {}),
  }
  return { dry, real: await observeCall(call, sent), again: keyed ? await observeCall(call, sent) : null }
}

let keys = 0
export const takesIdempotencyKey = ({ input }: Pick<Tool, 'input'>) => 'idempotencyKey' in input.shape

/** Derived tables that triggers rewrite: a row removed there is not a deletion that a dry run has to count. */
const DERIVED_TABLES = ['appointment_people']

const changesOf = (changes: readonly RowChange[], table: string) => changes.filter((change) => change.table === table)
const changesExcept = (changes: readonly RowChange[], ...tables: string[]) => changes.filter(({ table }) => !tables.includes(table))

const refused = ({ isError, content }: ToolAnswer) => (isError ? [`was refused: ${content[0]!.text}`] : [])
const wrote = (when: string, changes: readonly RowChange[]) => (changes.length > 0 ? [`${when}: ${describeChanges(changes)}`] : [])

export async function findReadProblems(call: ExampleCall, seen?: ObservedCall): Promise<string[]> {
  const { answer, changes } = seen ?? (await observeCall(call))
  return [...refused(answer), ...wrote('is a read and wrote', changes)]
}

/** Some background jobs have no status tool. These tools return the job's status if they are called with only the job's id. */
const STATUS_ARGUMENTS: Record<string, string> = {
  start_tax_assessment: 'assessmentId',
  setup_import_flow: 'setupId',
  create_test_registrations: 'runId',
}

const isStatusCall = ({ tool, args }: Pick<ExampleCall, 'tool' | 'args'>): boolean => {
  const own = Object.keys(args).filter((name) => tool.ownArguments.includes(name))
  return own.length === 1 && own[0] === STATUS_ARGUMENTS[tool.name]
}

/** A change is audited exactly once, with its actor and event; a tool that sends email is marked openWorld and can be retried safely. */
export async function findChangeProblems(call: ExampleCall, seen?: ObservedCall): Promise<string[]> {
  const { tool, stage } = call
  if (isStatusCall(call)) return findReadProblems(call, seen)
  const { answer, changes } = seen ?? (await makeCall(call))
  const audits = changesOf(changes, 'audit_entries')
  const emails = changesOf(changes, 'messages').filter(({ kind }) => kind === 'added')
  if (answer.isError) return refused(answer)
  if (changesExcept(changes, 'audit_entries', 'confirmations', 'idempotency_keys', 'webhook_messages').length === 0)
    return ['changed nothing in its example']
  const problems = (await countSentEmails(stage, emails)) === 0 ? [] : findSendingProblems(tool)
  if (MONEY_TABLES.some((table) => changesOf(changes, table).length > 0) && !tool.keyed) problems.push(MONEY_WITHOUT_KEY)
  const { audited } = stage.callerOf(tool)
  if (!audited) return audits.length === 0 ? problems : [...problems, `left ${audits.length} audit rows`]
  if (audits.length !== 1 || audits[0]!.kind !== 'added') return [...problems, `left ${audits.length} audit rows`]
  const made = changesOf(changes, 'events')
    .filter(({ kind }) => kind === 'added')
    .map(({ key }) => (JSON.parse(key) as [number, string])[1])
  const event = await expectedEventId(call, made)
  return [...problems, ...(await findAuditProblems(call, { ...audited, event }, JSON.parse(audits[0]!.key) as [number, string]))]
}

/** Counts emails that are really sent; emails of test data are stored but never sent. */
async function countSentEmails({ world }: Stage, emails: readonly { key: string }[]): Promise<number> {
  const ids = emails.map(({ key }) => (JSON.parse(key) as [number, string])[1])
  const { rows } = await world.database.pool.query('select 1 from messages where id = any($1) and not is_test_data', [ids])
  return rows.length
}

const findSendingProblems = ({ wire, keyed }: Tool) => [
  ...(wire.annotations.openWorldHint ? [] : ['sends email and is not marked openWorld']),
  ...(keyed ? [] : ['sends email and takes no idempotencyKey']),
]

/** Every movement of money adds a row to one of these tables. */
const MONEY_TABLES = ['order_lines', 'ledger_entries', 'payments', 'refunds', 'charges']
const MONEY_WITHOUT_KEY = 'moves money and takes no idempotencyKey'

/** Lists changing tools that take an amount of money but no idempotency key. Other movements of money show in the examples. */
export const findMoneyToolsWithoutKey = (tools: readonly Tool[]): string[] =>
  tools
    .filter(({ effect, keyed, shape }) => effect !== 'read' && !keyed && takesMoney(shape))
    .map(({ name }) => `${name} ${MONEY_WITHOUT_KEY}`)

const takesMoney = ({ properties = {}, items }: InputShape): boolean =>
  ('amount' in properties && 'currency' in properties) || [...Object.values(properties), ...(items ? [items] : [])].some(takesMoney)

async function findAuditProblems(
  { tool, stage }: ExampleCall,
  audited: NonNullable<ToolCaller['audited']> & { event: string | null | undefined },
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
 * The event that the audit row must name: the event of the call, or of the participant's session; for a call at client or account scope,
 * the event that the call created, or null.
 */
async function expectedEventId({ tool: { scope }, stage, args }: ExampleCall, made: readonly string[]): Promise<string | null | undefined> {
  if (scope === 'event') return findEventId(stage, args.eventCode)
  if (scope === 'client' || scope === 'account') return made.length === 1 ? made[0]! : null
  return stage.home.eventId
}

/** Most examples act at the home event; one that archives an event acts at another event of the same client. */
async function findEventId({ world, home }: Stage, code: unknown): Promise<string | undefined> {
  const { rows } = await world.database.pool.query<{ id: string }>(
    `select id from events where tenant_id = $1 and client_id = $2 and code = $3`,
    [home.tenantId, home.clientId, code],
  )
  return rows[0]?.id
}

/** A dry run writes nothing, and returns exactly the effects of the real call. */
export async function findDryRunProblems(call: ExampleCall, tried?: CallAttempts): Promise<string[]> {
  const { dry, real } = tried ?? (await attemptCall(call))
  if (!dry) return []
  const { confirmable } = call.tool
  const { dryRun, effects, confirmToken, ...shown } = dry.answer.structuredContent ?? {}
  const { previewOnly } = call.tool
  const predicted = Object.fromEntries(Object.entries(shown).filter(([name]) => !previewOnly.includes(name)))
  if (dry.answer.isError) return refused(dry.answer)
  const problems = wrote('wrote in a dry run', dry.changes)
  if (dryRun !== true || !effects) problems.push('does not return dryRun and its effects')
  if (confirmable !== (typeof confirmToken === 'string')) problems.push(confirmable ? 'gave no confirmToken' : 'gave a confirmToken')

  if (real.answer.isError) return [...problems, ...refused(real.answer)]
  const emails = changesOf(real.changes, 'messages').filter(({ kind }) => kind === 'added')
  const removed = changesExcept(real.changes, ...DERIVED_TABLES).filter(({ kind }) => kind === 'removed')
  if (emails.length > effects?.recipients) problems.push(`sent ${emails.length} emails, ${effects.recipients} predicted`)
  if (call.tool.effect === 'destructive' && removed.length > 0 && effects?.deletes === 0)
    problems.push(`predicted no deletion: ${describeChanges(removed)}`)
  const unshown = previewOnly.filter((name) => !(name in shown) || name in real.answer.structuredContent)
  if (unshown.length > 0) problems.push(`does not return ${unshown.join(', ')} in the dry run only`)
  // Some tools also return `effects` from the real call.
  const expectedPreview = 'effects' in real.answer.structuredContent ? { effects, ...predicted } : predicted
  const realPreview = omitEmptyFields(call.tool.toPreview(real.answer.structuredContent), call.tool.emptyFields) as object
  if (maskIdsAndTimes(sortKeys(expectedPreview)) !== maskIdsAndTimes(sortKeys(realPreview)))
    problems.push('returned a result that differs from its dry run')
  return problems
}

const sortKeys = (result: object) => Object.fromEntries(Object.entries(result).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Ids and times differ between the dry run and the real call. */
const maskIdsAndTimes = (result: unknown) => JSON.stringify(result).replaceAll(/"[0-9a-f]{24}"|"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"new"')

/** Two calls with the same key have one effect and return the same result. */
export async function findIdempotencyKeyProblems(call: ExampleCall, tried?: CallAttempts): Promise<string[]> {
  const { real: first, again: second } = tried ?? (await attemptCall(call))
  if (!second) return findReadProblems(call, first)
  if (first.answer.isError) return refused(first.answer)
  const same = JSON.stringify(first.answer.structuredContent) === JSON.stringify(second.answer.structuredContent)
  return [
    ...(changesExcept(first.changes, 'idempotency_keys', 'audit_entries', 'confirmations').length > 0
      ? []
      : ['changed nothing with a key']),
    ...wrote('acted again for the same key', second.changes),
    ...(same && second.answer._meta?.['lanyard/replayed'] === true ? [] : ['did not repeat its first result for the same key']),
  ]
}

/** Clients retry tools that are marked idempotent without asking. */
export async function findRepeatProblems(call: ExampleCall, first?: ObservedCall): Promise<string[]> {
  const before = first ?? (await makeCall(call))
  const { answer, changes } = await makeCall(call)
  return [
    ...refused(before.answer),
    ...refused(answer),
    ...wrote('is marked idempotent and wrote when repeated', changesExcept(changes, 'confirmations')),
  ]
}

/** A tool declaration may turn off the dry run, but not for a destructive tool. */
export const findMissingPreviews = (tools: readonly Tool[]): string[] =>
  tools
    .filter(({ effect, input }) => effect === 'destructive' && !('dryRun' in input.shape && 'confirmToken' in input.shape))
    .map(({ name }) => `${name} cannot be undone and has no dry run`)

/**
 * Compares the tools with the specification in both directions: an unmarked destructive tool is dangerous, and a wrongly marked one asks
 * for needless confirmations.
 */
export function findDestructiveMismatches(tools: readonly Tool[], specified: readonly SpecifiedTool[]): string[] {
  const listed = new Set(specified.filter(([, effect]) => effect === 'destructive').map(([name]) => name))
  return tools
    .filter(({ name, effect }) => listed.has(name) !== (effect === 'destructive'))
    .map(({ name }) => `${name} is ${listed.has(name) ? 'not marked' : 'marked'} destructive`)
}
