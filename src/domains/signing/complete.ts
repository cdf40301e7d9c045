import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { enqueueJob } from '../../kernel/jobs.ts'
import { runInSavepoint } from '../../kernel/savepoint.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { type HousingContext, readTodayAtEvent } from '../housing/context.ts'
import { signRoomContract } from '../housing/contracts/sign.ts'
import { readContractVersion } from '../supplier-contracts/contracts.ts'
import { updateContractMilestones } from '../supplier-contracts/milestones.ts'
import { applyClauseRatesToOffer } from '../supplier-contracts/rates.ts'
import { changeContractStatus } from '../supplier-contracts/ready.ts'
import { readAwardedOfferOfContract } from '../supplier-contracts/sources.ts'
import type { ContractRow } from '../supplier-contracts/tables.ts'
import { readTermsFromClauses } from '../supplier-contracts/terms.ts'
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
  await confirmRooms(ctx, executed)
  await updateContractMilestones(ctx, executed)
  await enqueueJob(ctx, sealSignedFilesJob, { envelopeId: envelope.id }, { eventId: ctx.event.id })
  return executed
}

/**
 * Makes the hotel's room contract definite with the signed numbers. If that is rejected, for example because more rooms are in use than
 * were signed, the error is only recorded and the signature stays valid.
 */
async function confirmRooms(ctx: HousingContext, contract: ContractRow): Promise<void> {
  const { clauses } = await readContractVersion(ctx, contract)
  const source = await readAwardedOfferOfContract(ctx, contract)
  const terms = readTermsFromClauses(clauses, source.content.currency)
  const { method, commitPercent, profitPercent, creditResold } = terms.attrition
  const { refused } = await runInSavepoint(ctx, () =>
    signRoomContract(ctx, {
      sourcingContractId: contract.id,
      supplierId: contract.supplier_id,
      signedOn: contract.executed_on!,
      reason: `Signed contract ${contract.number}`,
      terms: {
        ...(terms.cutoffOn === null ? {} : { cutoffOn: terms.cutoffOn }),
        ...(terms.roomingListOn === null ? {} : { roomingListDueOn: terms.roomingListOn }),
        ...(terms.nameDeadlineOn === null ? {} : { nameDeadlineOn: terms.nameDeadlineOn }),
        ...(terms.reviewDates.length === 0 ? {} : { reviewDates: terms.reviewDates }),
        ...(commitPercent === null ? {} : { attrition: { method, commitPercent, profitPercent, creditResold } }),
        ...(terms.compPer === null ? {} : { compPer: terms.compPer }),
        ...(terms.rebatePerRoomNight === null ? {} : { rebatePerRoomNight: terms.rebatePerRoomNight }),
        ...(terms.commissionPercent === null ? {} : { commissionPercent: terms.commissionPercent }),
      } as never,
      rates: applyClauseRatesToOffer(source.content.rooms, clauses, source.content.currency).map(({ night, roomType, rates }) => ({
        night,
        roomType,
        single: rates.single,
        double: rates.double,
      })),
      rooms: terms.nights,
    }),
  )
  if (refused) recordChange(ctx, { kind: 'contract', id: contract.id, after: { roomContract: refused.message } })
}
