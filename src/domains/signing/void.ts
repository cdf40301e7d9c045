import type { EventContext } from '../../kernel/context.ts'
import { conflict, preconditionFailed } from '../../kernel/errors.ts'
import { lockSupplierContract } from '../supplier-contracts/contracts.ts'
import { toContractSummary } from '../supplier-contracts/ready.ts'
import { scheduleDocuSignVoid } from './docusign.ts'
import { endEnvelope } from './end.ts'
import { findLatestEnvelope, getEnvelope, isLiveEnvelope, lockEnvelope, buildEnvelopeResult } from './envelopes.ts'

/** Voids the envelope of a contract, even if some signers have signed. An envelope at DocuSign is voided there first. */
export async function voidEnvelope(
  ctx: EventContext,
  { contractId, reason, notify }: { contractId: string; reason: string; notify: boolean },
) {
  const contract = await lockSupplierContract(ctx, contractId)
  const latest = await findLatestEnvelope(ctx, contract.id)
  if (latest?.status === 'completed') throw conflict(`Contract ${contract.number} was already executed on ${contract.executed_on}`)
  if (!latest || !isLiveEnvelope(latest)) throw preconditionFailed(`Contract ${contract.number} has no envelope out for signature`)
  const envelope = await lockEnvelope(ctx, latest.id)
  ctx.effects.add('changes', envelope.id, { contract: contract.number, envelope: 'voided' })
  if (envelope.provider === 'docusign' && envelope.provider_ref !== null) {
    await scheduleDocuSignVoid(ctx, envelope, { reason, notify, by: ctx.actor.name })
    return { envelope: await buildEnvelopeResult(ctx, envelope), contract: toContractSummary(contract) }
  }
  const after = await endEnvelope(ctx, { contract, envelope }, { how: 'voided', name: ctx.actor.name, reason, except: () => !notify })
  return { envelope: await buildEnvelopeResult(ctx, await getEnvelope(ctx, envelope.id)), contract: toContractSummary(after) }
}
