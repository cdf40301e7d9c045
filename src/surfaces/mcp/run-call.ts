import { hashCanonicalJson } from '../../kernel/canonical.ts'
import type { Db } from '../../kernel/columns.ts'
import {
  type ToolCallToConfirm,
  createConfirmToken,
  requireConfirmToken,
  type ConfirmThresholds,
  redeemConfirmToken,
} from '../../kernel/confirm.ts'
import type { Context } from '../../kernel/context.ts'
import { claimIdempotencyKey, hasIdempotentResult, type IdempotentCall, saveIdempotentResult } from '../../kernel/idempotency.ts'
import { type AuditedAction, commitChange, toSingleStatementChange } from '../../kernel/commit-change.ts'
import { chooseReadConnection } from '../../kernel/replica.ts'
import { PrefetchNeededError } from '../../kernel/prefetch-needed.ts'
import type { Tool } from '../../kernel/tool.ts'
import { reportFailure } from '../http/report-failure.ts'
import type { AppServices } from '../services.ts'
import { createExternalCallRunner } from '../worker/run-external-calls.ts'
import type { CallArguments } from './decode-arguments.ts'
import type { ToolCallOutcome } from './outcome.ts'
import { acquireToolLock, runToolPrefetch, runTool, runToolInOneStatement } from './run-tool.ts'
import { validateToolResult } from './shape-result.ts'

/** An authorized call: its arguments, its context, and its name in the audit log. */
export interface AuthorizedToolCall<C extends Context> {
  tool: Tool
  input: CallArguments
  createContext: (db: Db) => C
  action: AuditedAction
  /** Returns how many email recipients and deletions a call may have without confirmation; null if calls of this caller never need one. */
  thresholds: ((ctx: C) => Promise<ConfirmThresholds> | ConfirmThresholds) | null
  /**
   * The rows of the call's SQL statement, if the statement already ran together with the verification of the caller; otherwise undefined.
   */
  ran?: readonly unknown[] | undefined
}

/**
 * Runs a call of an organizer or participant: claims an exclusive resource, makes external requests, returns the stored result of a
 * repeated call, runs the tool, requires confirmation, checks the result, writes the audit log and commits.
 */
export async function runAuthorizedToolCall<C extends Context>(
  services: AppServices,
  call: AuthorizedToolCall<C>,
): Promise<ToolCallOutcome> {
  const endClaim = call.tool.claim ? await acquireToolLock(call.tool, call.createContext(services.database.write), call.input) : null
  try {
    return await runClaimedCall(services, call)
  } finally {
    await endClaim?.()
  }
}

async function runClaimedCall<C extends Context>(services: AppServices, call: AuthorizedToolCall<C>): Promise<ToolCallOutcome> {
  const { tool, input, createContext } = call
  const reading = tool.readsOnly(input)
  const prefetch = () =>
    runToolPrefetch(
      tool,
      {
        ...createContext(reading ? services.database.read : services.database.write),
        fetcher: services.fetcher,
        files: services.files,
        model: services.model,
        taxNumberVerifier: services.taxNumberVerifier ?? null,
        hotels: services.hotels ?? null,
        esign: services.esign ?? null,
        log: services.log,
        isDryRun: input['dryRun'] === true,
      },
      input,
    )
  const isPrefetched = tool.prefetch !== null && !tool.prefetchOnDemand
  const isSkipped = isPrefetched && !reading && (await isRepeated(services, call))
  const prefetched = isPrefetched && !isSkipped ? await prefetch() : undefined
  if (reading) return read(tool, createContext(await readerOf(services, call)), input, prefetched)
  const atOnce = tool.runAtOnce ? await runAtOnce(services, call) : null
  if (atOnce) return atOnce
  const commit = (fetched: unknown, isMissing = false) =>
    commitChange(services.database, call.action, createContext, (ctx) => change(call, { fetched, isMissing }, ctx))
  try {
    const kept = await commit(prefetched, isSkipped).catch(async (error: unknown) => {
      if (!(error instanceof PrefetchNeededError)) throw error
      return commit(await prefetch())
    })
    return tool.afterCommit ? await awaitExternalCalls(services, call, kept) : kept
  } catch (error) {
    if (error instanceof DryRunRollback) return error.outcome
    throw error
  }
}

/**
 * Whether the call repeats an earlier one and returns its stored result. A repeated call makes no external requests, because they could
 * fail by now, for example because a file was deleted.
 */
async function isRepeated<C extends Context>(
  { database }: AppServices,
  { tool, input, createContext }: AuthorizedToolCall<C>,
): Promise<boolean> {
  const { keyed } = splitArguments(tool, input)
  return keyed !== null && hasIdempotentResult(createContext(database.write), keyed)
}

/**
 * Runs the call as one SQL statement; null if it needs several. A result that does not match the tool's schema is reported as an error,
 * although the statement has committed by then.
 */
async function runAtOnce<C extends Context>(
  { database }: AppServices,
  { tool, input, createContext, action, ran }: AuthorizedToolCall<C>,
): Promise<ToolCallOutcome | null> {
  const ctx = createContext(database.write)
  const result = await runToolInOneStatement(tool, ctx, input, toSingleStatementChange(database, action, ctx, ran))
  return result === null ? null : { kind: 'result', ...validateToolResult(tool, result), pictures: ctx.pictures }
}

/**
 * Chooses the database connection for a read. A call with `updatedSince` must return every change since then, so it never reads a replica,
 * which may lag behind.
 */
async function readerOf<C extends Context>({ database }: AppServices, { tool, input, createContext }: AuthorizedToolCall<C>): Promise<Db> {
  if (!tool.toleratesLag || input['updatedSince'] !== undefined) return database.read
  const { tenantId, actor } = createContext(database.read)
  return chooseReadConnection(database, { tenantId, actorId: actor.id })
}

/** How long a request waits for all its external calls (such as card charges) together. */
const MAX_SETTLE_MS = 15_000

/**
 * Waits for the external calls (such as card charges) of a committed change, and updates the result. If the update fails, the result as
 * committed is returned.
 */
async function awaitExternalCalls<C extends Context>(
  services: AppServices,
  { tool, createContext }: AuthorizedToolCall<C>,
  kept: ToolCallOutcome,
): Promise<ToolCallOutcome> {
  if (kept.kind === 'error') return kept
  const ctx = createContext(services.database.read)
  const settle = (callIds: readonly string[]) => createExternalCallRunner(services).settleAllSoon(ctx.tenantId, callIds, MAX_SETTLE_MS)
  try {
    const shaped = validateToolResult(tool, await tool.afterCommit!({ ...ctx, settle } as never, kept.result as never))
    return { ...kept, ...shaped, pictures: [...kept.pictures, ...ctx.pictures] }
  } catch (error) {
    reportFailure(services, { tool: tool.name }, error)
    return kept
  }
}

async function read(tool: Tool, ctx: Context, input: CallArguments, prefetched: unknown): Promise<ToolCallOutcome> {
  return { kind: 'result', ...validateToolResult(tool, await runTool(tool, ctx, input, prefetched)), pictures: ctx.pictures }
}

/** Thrown to roll back the transaction of a dry run. Carries the response out of the transaction. */
class DryRunRollback {
  readonly outcome: ToolCallOutcome
  constructor(outcome: ToolCallOutcome) {
    this.outcome = outcome
  }
}

/** Runs the part of a data-changing tool call that is inside the database transaction, before its audit entry is written. */
async function change<C extends Context>(
  { tool, input, thresholds }: AuthorizedToolCall<C>,
  prefetched: { fetched: unknown; isMissing: boolean },
  ctx: C,
): Promise<ToolCallOutcome> {
  const { own, digest, keyed, dryRun, confirmToken } = splitArguments(tool, input)
  if (keyed) {
    const earlier = await claimIdempotencyKey(ctx, keyed)
    if (earlier) return { kind: 'result', ...validateToolResult(tool, earlier.replay), pictures: [], replayed: true }
  }
  // The call repeats an earlier one whose stored result has expired meanwhile, so the external requests that were skipped are needed.
  if (prefetched.isMissing) throw new PrefetchNeededError()

  const confirms = tool.confirmable && thresholds !== null
  // A tool may start the commit together with its last statement, but only if no rollback, stored result or confirmation follows.
  const committing = dryRun || keyed || confirms ? { ...ctx, beginCommit: undefined } : ctx
  // A dry run counts effects, so work deferred until after the commit runs immediately. Texts and files of emails are not created.
  const acting = dryRun ? { ...committing, isPreview: true, afterCommit: undefined } : committing
  const result = await runTool(tool, acting, input, prefetched.fetched)
  const confirmed: ToolCallToConfirm = { tool: tool.name, digest, preview: { tool: tool.name, arguments: { ...own, dryRun: true } } }
  if (dryRun) throw new DryRunRollback(await buildPreview(tool, ctx, result, confirms ? confirmed : null))
  if (confirms) {
    if (confirmToken !== undefined) await redeemConfirmToken(ctx, confirmed, confirmToken)
    else requireConfirmToken(ctx, confirmed, await thresholds(ctx), tool.alwaysConfirms(own))
  }
  const shaped = validateToolResult(tool, omitPreviewOnly(tool, result))
  if (keyed) await saveIdempotentResult(ctx, keyed, JSON.stringify(shaped.result))
  return { kind: 'result', ...shaped, pictures: ctx.pictures }
}

/** Separates a tool's own arguments from the arguments that every tool accepts. */
function splitArguments(tool: Tool, input: CallArguments) {
  const { idempotencyKey, dryRun, confirmToken, ...own } = input as { idempotencyKey?: string; dryRun?: boolean; confirmToken?: string }
  const digest = hashCanonicalJson(own)
  const keyed: IdempotentCall | null =
    tool.keyed && idempotencyKey !== undefined && !dryRun ? { tool: tool.name, key: idempotencyKey, digest } : null
  return { own, digest, keyed, dryRun, confirmToken }
}

const omitPreviewOnly = ({ previewOnly }: Tool, result: unknown): unknown =>
  previewOnly.length === 0 ? result : Object.fromEntries(Object.entries(result as object).filter(([name]) => !previewOnly.includes(name)))

/** The response of a dry run: the result the call would return, its effects, and the confirm token. */
async function buildPreview(tool: Tool, ctx: Context, result: unknown, confirmed: ToolCallToConfirm | null): Promise<ToolCallOutcome> {
  const preview = {
    effects: { ...ctx.effects.counts(), samples: ctx.effects.samples() },
    ...tool.toPreview(result as object),
    dryRun: true,
    ...(confirmed ? { confirmToken: await createConfirmToken(ctx, confirmed) } : {}),
  }
  return { kind: 'result', ...validateToolResult(tool, preview), pictures: ctx.pictures }
}
