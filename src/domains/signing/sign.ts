import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { conflict, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { changeRecordState } from '../../kernel/states.ts'
import type { HousingContext } from '../housing/context.ts'
import { lockSupplierContract } from '../supplier-contracts/contracts.ts'
import type { ContractRow } from '../supplier-contracts/tables.ts'
import { completeEnvelope } from './complete.ts'
import { endEnvelope } from './end.ts'
import { isLiveEnvelope, listNextSigners, listSigners, lockEnvelope } from './envelopes.ts'
import type { SignerFoundByLink } from './links.ts'
import { emailNextSigners } from './send.ts'
import { ENVELOPE_STATES, SIGNER_STATES } from './states.ts'
import { addSigningStep, type SignerDevice } from './steps.ts'
import type { EnvelopeRow, Signature, SignerRow } from './tables.ts'

type SignerLink = Pick<SignerFoundByLink, 'signerId' | 'envelopeId' | 'contractId'>

export interface LockedSigningRecords {
  contract: ContractRow
  envelope: EnvelopeRow
  signer: SignerRow
}

/** Locks the contract and the envelope of a signer. Throws if the envelope has ended, or if other signers have to sign first. */
export async function lockSigningRecords(ctx: HousingContext, link: SignerLink): Promise<LockedSigningRecords> {
  const contract = await lockSupplierContract(ctx, link.contractId)
  const envelope = await lockEnvelope(ctx, link.envelopeId)
  if (!isLiveEnvelope(envelope)) throw conflict(`This envelope is ${envelope.status}`)
  if (envelope.expires_at <= (await getDatabaseTime(ctx))) throw conflict('This envelope is expired')
  const signer = listNextSigners(await listSigners(ctx, envelope.id)).find(({ id }) => id === link.signerId)
  if (!signer) throw conflict('It is not the turn of this signer')
  return { contract, envelope, signer }
}

/** Records that the signer opened the document after entering the emailed code. */
export async function recordDocumentOpened(
  ctx: HousingContext,
  { envelope, signer }: LockedSigningRecords,
  from: SignerDevice,
): Promise<void> {
  await addSigningStep(ctx, envelope.id, { step: 'documentOpened', actor: signer.email, from })
  if (signer.status === 'sent') await changeRecordState<SignerRow['status'], SignerRow>(ctx, SIGNER_STATES, signer, 'viewed')
  if (envelope.status === 'sent') await changeRecordState<EnvelopeRow['status'], EnvelopeRow>(ctx, ENVELOPE_STATES, envelope, 'delivered')
}

/** Records that a signer downloaded the document. */
export const recordDocumentDownload = async (
  ctx: HousingContext,
  link: SignerLink & { email: string },
  from: SignerDevice,
): Promise<void> => {
  await lockSupplierContract(ctx, link.contractId)
  await addSigningStep(ctx, link.envelopeId, { step: 'documentDownloaded', actor: link.email, from })
}

/** Records the signature of one signer. The last signature executes the contract. */
export async function signDocument(
  ctx: HousingContext,
  link: SignerLink,
  signature: Signature,
  from: SignerDevice,
): Promise<{ isComplete: boolean }> {
  const locked = await lockSigningRecords(ctx, link)
  const { contract, envelope, signer } = locked
  if (signer.status !== 'viewed') throw preconditionFailed('Enter the code from the email first')
  await addSigningStep(ctx, envelope.id, { step: 'consented', actor: signer.email, from })
  await addSigningStep(ctx, envelope.id, { step: 'signed', actor: signer.email, from })
  await changeRecordState<SignerRow['status'], SignerRow>(ctx, SIGNER_STATES, signer, 'signed', {
    columns: {
      signature: JSON.stringify(signature),
      signed_at: sql`lanyard_now()`,
      consented_at: sql`lanyard_now()`,
      code_hash: null,
    },
  })
  const signers = await listSigners(ctx, envelope.id)
  if (signers.every(({ status }) => status === 'signed')) {
    await completeEnvelope(ctx, { contract, envelope })
    return { isComplete: true }
  }
  await emailNextSigners(ctx, envelope, contract)
  return { isComplete: false }
}

/**
 * Records that a signer declined, which ends the envelope. The reason is emailed to signers who have signed and to the client's signers.
 */
export async function declineDocument(ctx: HousingContext, link: SignerLink, reason: string, from: SignerDevice): Promise<void> {
  const { contract, envelope, signer } = await lockSigningRecords(ctx, link)
  if (signer.status !== 'viewed') throw preconditionFailed('Enter the code from the email first')
  await changeRecordState<SignerRow['status'], SignerRow>(ctx, SIGNER_STATES, signer, 'declined', {
    columns: { declined_reason: reason, code_hash: null },
  })
  await endEnvelope(
    ctx,
    { contract, envelope },
    { how: 'declined', name: signer.name, reason, from, except: (one) => one.id === signer.id },
  )
  recordChange(ctx, { kind: 'contract', id: contract.id, after: { declinedBy: signer.name, reason } })
}

/** Updates the emailed one-time code of a signer. */
export async function updateSigner(
  ctx: HousingContext,
  signerId: string,
  columns: Partial<Pick<SignerRow, 'code_hash' | 'code_tries'>> & { code_expires_at?: unknown },
): Promise<void> {
  await eventDb(ctx)
    .updateTable('envelope_signers')
    .set(columns as never)
    .where('id', '=', signerId)
    .execute()
}
