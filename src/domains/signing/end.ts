import { changeRecordState } from '../../kernel/states.ts'
import type { HousingContext } from '../housing/context.ts'
import { changeContractStatus } from '../supplier-contracts/ready.ts'
import type { ContractRow } from '../supplier-contracts/tables.ts'
import { sendEnvelopeEndedEmail } from './emails.ts'
import { getEnvelope, listSigners } from './envelopes.ts'
import { ENVELOPE_STATES } from './states.ts'
import { addSigningStep, UNKNOWN_SIGNER_DEVICE, type SignerDevice } from './steps.ts'
import type { EnvelopeRow, SignerRow } from './tables.ts'

interface Ending {
  how: 'voided' | 'declined' | 'expired'
  /** The name of the person who ended the envelope. */
  name: string
  reason: string
  from?: SignerDevice
  /** Returns true for signers who get no email about the end of the envelope. */
  except?: (signer: SignerRow) => boolean
}

/** The status of a contract after its envelope ended without all signatures, by the status of the envelope. */
const CONTRACT_AFTER = { voided: 'readyForSignature', expired: 'readyForSignature', declined: 'redlinesReceived' } as const

/** Ends an envelope without all signatures. Its links then only show the status. The caller has locked contract and envelope. */
export async function endEnvelope(
  ctx: HousingContext,
  { contract, envelope }: { contract: ContractRow; envelope: EnvelopeRow },
  { how, name, reason, from = UNKNOWN_SIGNER_DEVICE, except = () => false }: Ending,
): Promise<ContractRow> {
  await addSigningStep(ctx, envelope.id, { step: how, actor: name, from })
  const current = await getEnvelope(ctx, envelope.id)
  await changeRecordState<EnvelopeRow['status'], EnvelopeRow>(ctx, ENVELOPE_STATES, current, how, {
    columns: { void_reason: reason === '' ? null : reason },
    audited: { reason },
  })
  for (const signer of await listSigners(ctx, envelope.id))
    if (signer.status !== 'waiting' && !except(signer))
      await sendEnvelopeEndedEmail(ctx, { envelope, signer, number: contract.number }, { how, name, reason })
  return changeContractStatus(ctx, contract, CONTRACT_AFTER[how])
}
