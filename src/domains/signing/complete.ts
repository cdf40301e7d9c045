import { sql } from 'kysely'
import { enqueueJob } from '../../kernel/jobs.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { type HousingContext, readTodayAtEvent } from '../housing/context.ts'
import { updateContractMilestones } from '../supplier-contracts/milestones.ts'
import { changeContractStatus } from '../supplier-contracts/ready.ts'
import { confirmRoomContract } from '../supplier-contracts/room-contract.ts'
import type { ContractRow } from '../supplier-contracts/tables.ts'
import { getEnvelope } from './envelopes.ts'
import { sealSignedFilesJob } from './sealed-files.ts'
import { ENVELOPE_STATES } from './states.ts'
import { addSigningStep } from './steps.ts'
import type { EnvelopeRow } from './tables.ts'

/**
 * Completes an envelope that all signers have signed: the contract is executed, the room contract becomes definite, and its milestones are
 * created. A job then seals and emails the signed document, so that no lock is held while the PDF is rendered. The caller has locked
 * contract and envelope.
 */
export async function completeEnvelope(
  ctx: HousingContext,
  { contract, envelope }: { contract: ContractRow; envelope: EnvelopeRow },
): Promise<ContractRow> {
  await addSigningStep(ctx, envelope.id, { step: 'completed', actor: envelope.provider === 'docusign' ? 'DocuSign' : 'Lanyard' })
  const current = await getEnvelope(ctx, envelope.id)
  await changeRecordState<EnvelopeRow['status'], EnvelopeRow>(ctx, ENVELOPE_STATES, current, 'completed', {
    columns: { completed_at: sql`lanyard_now()` },
  })
  const executed = await changeContractStatus(ctx, contract, 'executed', { executed_on: await readTodayAtEvent(ctx) })
  await confirmRoomContract(ctx, executed)
  await updateContractMilestones(ctx, executed)
  await enqueueJob(ctx, sealSignedFilesJob, { envelopeId: envelope.id }, { eventId: ctx.event.id })
  return executed
}
