import { digestOf } from '../../kernel/canonical.ts'
import type { Db } from '../../kernel/columns.ts'
import { type ConfirmedCall, confirmTokenFor, refuseUnconfirmed, type Thresholds, useConfirmToken } from '../../kernel/confirm.ts'
import type { Context } from '../../kernel/context.ts'
import { claimKey, keepResult } from '../../kernel/idempotency.ts'
import { type Doing, keepChange } from '../../kernel/keep-change.ts'
import type { Tool } from '../../kernel/tool.ts'
import { reportFailure } from '../http/report-failure.ts'
import type { Road } from '../road.ts'
import { outsideCallRunner } from '../worker/run-outside-calls.ts'
import type { Arguments } from './decode-arguments.ts'
import type { Outcome } from './outcome.ts'
import { reachOut, runTool } from './run-tool.ts'
import { shapeResult } from './shape-result.ts'

/** A call that is allowed: what it says, as whom it runs, and what the audit log will call it. */
export interface Call<C extends Context> {
  tool: Tool
  input: Arguments
  contextOn: (db: Db) => C
  doing: Doing
  /** How much may be done without a confirm token; null where callers have none to give. */
  thresholds: ((ctx: C) => Promise<Thresholds> | Thresholds) | null
}

/** The stretch of the road that organizers and participants share: ask outside, seen before, run, confirmed, check, audit, commit. */
export async function runCall<C extends Context>(road: Road, call: Call<C>): Promise<Outcome> {
  const { tool, input, contextOn } = call
  const reading = tool.effect === 'read'
  const reached = tool.reach
    ? await reachOut(
        tool,
        {
          ...contextOn(reading ? road.database.read : road.database.write),
          fetcher: road.fetcher,
          files: road.files,
          model: road.model,
          taxOffices: road.taxOffices ?? null,
        },
        input,
      )
    : undefined
  if (reading) return read(tool, contextOn(road.database.read), input, reached)
  try {
    const kept = await keepChange(road.database, call.doing, contextOn, (ctx) => change(call, reached, ctx))
    return tool.settled ? await settled(road, call, kept) : kept
  } catch (error) {
    if (error instanceof Unkept) return error.outcome
    throw error
  }
}

/** How long a request waits for those outside, for all of them together. */
const SETTLE_MS = 15_000

/** The change is kept whatever happens here: what cannot be told yet is told as it was. */
async function settled<C extends Context>(road: Road, { tool, contextOn }: Call<C>, kept: Outcome): Promise<Outcome> {
  if (kept.kind === 'error') return kept
  const ctx = contextOn(road.database.read)
  const settle = (callIds: readonly string[]) => outsideCallRunner(road).settleAllSoon(ctx.tenantId, callIds, SETTLE_MS)
  try {
    return { ...kept, ...shapeResult(tool, await tool.settled!({ ...ctx, settle } as never, JSON.parse(kept.json) as never)) }
  } catch (error) {
    reportFailure(road, { tool: tool.name }, error)
    return kept
  }
}

async function read(tool: Tool, ctx: Context, input: Arguments, reached: unknown): Promise<Outcome> {
  const { json, untrusted } = shapeResult(tool, await runTool(tool, ctx, input, reached))
  return { kind: 'result', json, untrusted, pictures: ctx.pictures }
}

/** Leaves the transaction without keeping anything of it, with the answer it had worked out. */
class Unkept {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    this.outcome = outcome
  }
}

/** Everything between begin and the audit row. */
async function change<C extends Context>({ tool, input, thresholds }: Call<C>, reached: unknown, ctx: C): Promise<Outcome> {
  const { idempotencyKey, dryRun, confirmToken, ...own } = input as { idempotencyKey?: string; dryRun?: boolean; confirmToken?: string }
  const digest = digestOf(own)
  const keyed = tool.keyed && idempotencyKey !== undefined && !dryRun ? { tool: tool.name, key: idempotencyKey, digest } : null
  if (keyed) {
    const earlier = await claimKey(ctx, keyed)
    if (earlier) return { kind: 'result', ...shapeResult(tool, earlier.replay), pictures: [], replayed: true }
  }

  const result = await runTool(tool, ctx, input, reached)
  const confirmed: ConfirmedCall = { tool: tool.name, digest, preview: { tool: tool.name, arguments: { ...own, dryRun: true } } }
  const confirms = tool.confirmable && thresholds !== null
  if (dryRun) throw new Unkept(await previewOf(tool, ctx, result, confirms ? confirmed : null))
  if (confirms) {
    if (confirmToken !== undefined) await useConfirmToken(ctx, confirmed, confirmToken)
    else refuseUnconfirmed(ctx, confirmed, await thresholds(ctx), tool.confirms(own))
  }
  const { json, untrusted } = shapeResult(tool, result)
  if (keyed) await keepResult(ctx, keyed, json)
  return { kind: 'result', json, untrusted, pictures: ctx.pictures }
}

/** The answer of a dry run: what the call would have returned, what it would have done, and the token that lets it. */
async function previewOf(tool: Tool, ctx: Context, result: unknown, confirmed: ConfirmedCall | null): Promise<Outcome> {
  const preview = {
    effects: { ...ctx.effects.counts(), samples: ctx.effects.samples() },
    ...tool.previewed(result as object),
    dryRun: true,
    ...(confirmed ? { confirmToken: await confirmTokenFor(ctx, confirmed) } : {}),
  }
  return { kind: 'result', ...shapeResult(tool, preview), pictures: ctx.pictures }
}
