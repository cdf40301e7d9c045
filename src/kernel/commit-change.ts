import { performance } from 'node:perf_hooks'
import { parseWebhookAnnouncements, type WebhookAnnouncementContext, readAnnouncementJsonLines } from './announce.ts'
import { type AuditContext, compileAuditInsertIfNoWebhook, toAuditColumns, writeAudit } from './audit.ts'
import type { Db } from './columns.ts'
import { AppError } from './errors.ts'
import type { CommitPipeline, Database } from './ports.ts'

/** The action and its scope, as the audit log shows them. */
export interface AuditedAction {
  /** The tool's name, or the name that a page, job or command gives its action. */
  name: string
  clientId?: string | undefined
  eventId?: string | null | undefined
  /**
   * Writes no audit row. Only for steps of visitors who have not identified themselves, who could otherwise grow the log without limit. The
   * change that completes these steps is recorded with all their results.
   */
  isAnonymousStep?: boolean
}

/** Time limit of a transaction, because other callers wait for the rows that it has locked. */
const MAX_TRANSACTION_MS = 20_000

/** The context in which a change runs. Changes without webhook announcements lack the fields for them. */
type ChangeContext = AuditContext & Partial<WebhookAnnouncementContext> & DeferringContext

/**
 * A change that is a single SQL statement: a transaction of its own, which also writes the audit row. The statement cannot notify webhooks,
 * so it must change nothing if the tenant has one.
 */
export interface SingleStatementChange {
  /** The columns of the audit row, except the list of changed records. */
  entry: ReturnType<typeof toAuditColumns>
  query: <R>(text: string, values: readonly unknown[]) => Promise<R[]>
  /** The result rows of the change's statement, if it was sent together with the verification of the caller; otherwise undefined. */
  rows?: readonly unknown[] | undefined
}

/**
 * A database function that runs a whole call of an event tool and writes its audit row. Its arguments are the tenant, the event, the
 * given values and the columns of the audit row. It returns no row if it has changed nothing, because the call needs several statements.
 */
export interface ToolCallDatabaseFunction {
  name: string
  values: readonly { type: 'text' | 'jsonb'; value: string }[]
}

export const toSingleStatementChange = (
  { runStatement }: Pick<Database, 'runStatement'>,
  action: AuditedAction,
  ctx: Pick<AuditContext, 'tenantId' | 'actor'>,
  rows?: readonly unknown[],
): SingleStatementChange => ({
  rows,
  entry: toAuditColumns(ctx, action),
  query: (text, values) => runStatement(text, values, action),
})

/**
 * Commits a change in one transaction, with one audit row (except for anonymous steps) and the webhook announcements. All changes use this
 * function, except a `SingleStatementChange`. On a serialization conflict the whole change is retried, so `run` gets a new context each time and
 * must not keep state outside it.
 */
export function commitChange<C extends ChangeContext, T>(
  database: Database,
  action: AuditedAction,
  createContext: (db: Db) => C,
  run: (ctx: C) => Promise<T>,
): Promise<T> {
  return commitThenRunDeferredWork(database, action, createContext, (ctx) => applyChangeInTransaction(action, ctx, run))
}

/**
 * Runs a transaction, and after its commit the deferred work, each part in a transaction of its own. The change is committed by then, so a
 * failure of deferred work is not reported to the caller. For work that must not be lost, the change also stores that it is due, so that
 * the worker can complete it.
 */
export async function commitThenRunDeferredWork<C extends DeferringContext, T>(
  database: Database,
  action: Pick<AuditedAction, 'name' | 'eventId'>,
  createContext: (db: Db) => C | Promise<C>,
  run: (ctx: C) => Promise<T>,
): Promise<T> {
  let attempts = 0
  const { result, left } = await transactWithTimeLimit(database, action, async (db, atCommit) => {
    // Only the first attempt sends the audit row with the commit. It fails if the tenant has a webhook, and the change is retried.
    const last = attempts++ === 0 ? { atCommit } : {}
    const ctx: C = { ...(await createContext(db)), ...last, afterCommit: [] }
    return { result: await run(ctx), left: ctx.afterCommit! }
  })
  for (const work of left)
    await transactWithTimeLimit(database, action, async (db) => work((await createContext(db)) as never)).catch(() => {})
  return result
}

interface DeferringContext {
  /** Adds statements that are sent together with the commit; undefined if the transaction does not support them. */
  atCommit?: CommitPipeline | undefined
  beginCommit?: (() => (() => void) | null) | undefined
  afterCommit?: ((ctx: never) => Promise<unknown>)[] | undefined
}

/** Defers work until after the commit, such as writing an email, so that the change does not hold its locks for longer than needed. */
export async function runAfterCommit<C extends DeferringContext>(ctx: C, work: (ctx: C) => Promise<unknown>): Promise<void> {
  if (ctx.afterCommit) ctx.afterCommit.push(work)
  else await work(ctx)
}

/** Executes a change for a dry run: rolls it back and returns the result that it would have. Work deferred until the commit is not done. */
export async function previewChange<C extends DeferringContext, T>(
  database: Database,
  action: Pick<AuditedAction, 'name' | 'eventId'>,
  contextFor: (db: Db) => C,
  run: (ctx: C) => Promise<T>,
): Promise<T> {
  try {
    return await transactWithTimeLimit<never>(database, action, async (db) => {
      throw new PreviewRollback(await run({ ...contextFor(db), afterCommit: [] }))
    })
  } catch (error) {
    if (error instanceof PreviewRollback) return error.result as T
    throw error
  }
}

class PreviewRollback {
  readonly result: unknown
  constructor(result: unknown) {
    this.result = result
  }
}

/** Applies a change inside an open transaction, for changes that must commit together. */
export async function applyChangeInTransaction<C extends ChangeContext, T>(
  action: AuditedAction,
  ctx: C,
  run: (ctx: C) => Promise<T>,
): Promise<T> {
  const end = !action.isAnonymousStep && TENANTS_WITHOUT_LISTENERS.has(ctx.tenantId) ? ctx.atCommit : undefined
  const deferring: DeferringContext = ctx
  let audited = 0
  if (end) {
    deferring.beginCommit = () => {
      audited = ctx.audit.targets.length
      return audited === 0 ? null : end.begin(compileAuditInsertIfNoWebhook(ctx, action))
    }
  }
  const result = await run(ctx)
  if (audited > 0) {
    if (ctx.audit.targets.length !== audited) throw new Error(`${action.name} recorded a change after its audit row was written`)
    return result
  }
  if (end && ctx.audit.targets.length > 0) {
    end.add(compileAuditInsertIfNoWebhook(ctx, action))
    return result
  }
  const row = action.isAnonymousStep ? null : await writeAudit(ctx, action)
  if (row) noteListeners(ctx.tenantId, row.hasListeners)
  if (announces(ctx) && row?.hasListeners !== false) {
    const announced = [...ctx.announced, ...parseWebhookAnnouncements(row ? row.noted : await readAnnouncementJsonLines(ctx.db))]
    if (announced.length > 0) await ctx.writeAnnouncements(ctx, announced)
  }
  return result
}

/**
 * Tenants whose latest change had no webhook to notify. Their next change sends its audit row together with its commit. The database checks
 * this again, because an endpoint may have been added meanwhile.
 */
const TENANTS_WITHOUT_LISTENERS = new Set<number>()
const MAX_REMEMBERED_TENANTS = 10_000

function noteListeners(tenantId: number, hasListeners: boolean): void {
  if (hasListeners) TENANTS_WITHOUT_LISTENERS.delete(tenantId)
  else if (TENANTS_WITHOUT_LISTENERS.size < MAX_REMEMBERED_TENANTS) TENANTS_WITHOUT_LISTENERS.add(tenantId)
}

const announces = (ctx: ChangeContext): ctx is AuditContext & WebhookAnnouncementContext => ctx.writeAnnouncements !== undefined

/** A transaction without an audit row, for data that belongs to no tenant. It is rolled back if it exceeds the time limit. */
export function transactWithTimeLimit<T>(
  database: Database,
  { name, eventId }: Pick<AuditedAction, 'name' | 'eventId'>,
  within: (db: Db, atCommit?: CommitPipeline) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + (database.maxTransactionMs ?? MAX_TRANSACTION_MS)
  const requireTime = () => {
    if (performance.now() > deadline) throw createTimeLimitError(name)
  }
  const run = async (db: Db, end?: CommitPipeline) => {
    let isCommitted = false
    const begin: CommitPipeline['begin'] = (statement) => {
      const commit = end!.begin(statement)
      return () => {
        requireTime()
        isCommitted = true
        commit()
      }
    }
    const result = await within(db, end && { ...end, begin })
    if (!isCommitted) requireTime()
    return result
  }
  return database.transact(run, { eventId })
}

export const createTimeLimitError = (name: string) =>
  new AppError('unavailable', `${name} took longer than 20 seconds and was undone; try a smaller part`)
