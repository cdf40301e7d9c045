import { preconditionFailed } from '../../../kernel/errors.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import type { ExhibitorContext } from '../context.ts'
import { type BoothRow, boothStates } from '../floor/booths.ts'
import { getBoothByNumber, lockBooths, requireAllowedBoothStatusChange } from './lock.ts'

interface Blocking {
  number: string
  reason: string
}

/** Takes an available booth off sale. */
export async function blockBooth(ctx: ExhibitorContext, { number, reason }: Blocking): Promise<BoothRow> {
  const [booth] = (await lockBooths(ctx, [(await getBoothByNumber(ctx, number)).id])) as [BoothRow]
  requireAllowedBoothStatusChange(booth, 'blocked', 'blocked')
  return changeRecordState(ctx, boothStates, booth, 'blocked', { columns: { block_reason: reason }, audited: { reason } })
}

/** Puts a blocked booth back on sale. */
export async function unblockBooth(ctx: ExhibitorContext, { number, reason }: Blocking): Promise<BoothRow> {
  const [booth] = (await lockBooths(ctx, [(await getBoothByNumber(ctx, number)).id])) as [BoothRow]
  if (booth.status !== 'blocked') throw preconditionFailed(`Booth ${booth.number} is ${booth.status} and cannot be unblocked`)
  return changeRecordState(ctx, boothStates, booth, 'available', { columns: { block_reason: null }, audited: { reason } })
}
