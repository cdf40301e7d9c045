import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Context, EventContext } from '../../kernel/context.ts'
import type { ESignProvider, ProviderEnvelope } from '../../kernel/esign.ts'
import {
  defineExternalCall,
  ExternalCallRejectedError,
  type ExternalCallContext,
  scheduleExternalCall,
} from '../../kernel/external-calls.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { JobQueue } from '../../kernel/ports.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { daysBetween, toDayInZone } from '../../kernel/time.ts'
import { openFile } from '../files/files.ts'
import { type HousingContext, readTodayAtEvent } from '../housing/context.ts'
import { getContract, lockSupplierContract } from '../supplier-contracts/contracts.ts'
import type { ContractRow } from '../supplier-contracts/tables.ts'
import { completeEnvelope } from './complete.ts'
import { endEnvelope } from './end.ts'
import { getEnvelope, isLiveEnvelope, listSigners, lockEnvelope } from './envelopes.ts'
import { ENVELOPE_STATES, SIGNER_STATES } from './states.ts'
import { addSigningStep } from './steps.ts'
import type { EnvelopeRow, SignerRow } from './tables.ts'

/** How long a request is retried with the same idempotency key, which DocuSign remembers for seven days. */
const KEY_LIFETIME_SECONDS = 6 * 86_400

const ACTOR = 'DocuSign'

const requireDocuSign = ({ esign }: Pick<ExternalCallContext, 'esign'>): ESignProvider => {
  if (!esign.docusign) throw new ExternalCallRejectedError(`DocuSign is not configured: ${esign.missingSettings.join(', ')} is missing`)
  return esign.docusign
}

const EnvelopeInput = z.object({ envelopeId: z.string() })
const ProviderState = z.object({
  ref: z.string(),
  status: z.enum(['created', 'sent', 'delivered', 'completed', 'declined', 'voided', 'expired']),
  signers: z.array(
    z.object({
      id: z.string(),
      status: z.enum(['waiting', 'sent', 'viewed', 'signed', 'declined']),
      signedAt: z.string().nullable(),
      declinedReason: z.string().nullable(),
    }),
  ),
})

/** Creates the envelope at DocuSign, which then emails the signers. */
export const createEnvelopeAtDocuSign = defineExternalCall({
  kind: 'docusign-create',
  scope: 'event',
  input: EnvelopeInput,
  answer: z.object({ ref: z.string() }),
  timeoutSeconds: 30,
  keyLifetimeSeconds: KEY_LIFETIME_SECONDS,
  async call(outside, { envelopeId }) {
    const provider = requireDocuSign(outside)
    const { envelope, signers, number, event, today, tenantId, zone } = await outside.inTransaction(async (ctx) => {
      const row = await getEnvelope(ctx, envelopeId)
      const contract = await getContract(ctx, row.contract_id)
      return {
        envelope: row,
        signers: await listSigners(ctx, envelopeId),
        number: contract.number,
        event: ctx.event.name,
        zone: ctx.event.timezone,
        today: await readTodayAtEvent(ctx),
        tenantId: ctx.tenantId,
      }
    })
    const content = await buffer(await openFile(outside.files, { tenantId, id: envelope.document_file_id }))
    return provider.create({
      key: outside.key,
      subject: `Contract ${number}, ${event}`.slice(0, 100),
      message: envelope.message,
      document: { name: `${number}.pdf`, content },
      signers: signers.map((one) => ({ id: one.id, name: one.name, email: one.email, order: one.signing_order })),
      expiresInDays: Math.max(1, daysBetween(today, toDayInZone(zone, envelope.expires_at))),
    })
  },
  async settle(ctx, { envelopeId }, { ref }) {
    const { contract, envelope } = await lockBoth(ctx, envelopeId)
    await eventDb(ctx).updateTable('signature_envelopes').set({ provider_ref: ref }).where('id', '=', envelope.id).execute()
    if (isLiveEnvelope(envelope)) await applyProviderState(ctx, { contract, envelope }, { ref, status: 'sent', signers: [] })
    else await scheduleDocuSignVoid(ctx, envelope, { reason: envelope.void_reason ?? 'Voided', notify: true, by: ACTOR })
    return { ref }
  },
  async giveUp(ctx, { envelopeId }, { reason }) {
    const { contract, envelope } = await lockBoth(ctx, envelopeId)
    if (isLiveEnvelope(envelope)) await endEnvelope(ctx, { contract, envelope }, { how: 'voided', name: ACTOR, reason })
    return { reason }
  },
})

/** Voids an envelope at DocuSign. The state at DocuSign decides: an envelope that was completed there before is completed here too. */
export const voidEnvelopeAtDocuSign = defineExternalCall({
  kind: 'docusign-void',
  scope: 'event',
  input: EnvelopeInput.extend({ reason: z.string(), notify: z.boolean(), by: z.string() }),
  answer: ProviderState,
  keyLifetimeSeconds: KEY_LIFETIME_SECONDS,
  async call(outside, { envelopeId, reason }) {
    const provider = requireDocuSign(outside)
    const { provider_ref: ref } = await outside.inTransaction((ctx) => getEnvelope(ctx, envelopeId))
    return { ...(await provider.void(ref!, reason)) } as z.output<typeof ProviderState>
  },
  async settle(ctx, { envelopeId, reason, by, notify }, state) {
    const locked = await lockBoth(ctx, envelopeId)
    await applyProviderState(ctx, locked, state, { reason, by, notify })
    return { status: state.status }
  },
  giveUp: (_ctx, _input, { reason }) => Promise.resolve({ reason, alert: `An envelope could not be voided at DocuSign: ${reason}` }),
})

/**
 * Reads the state of an envelope after a notification. The notification itself is not trusted, so order and repetition of notifications do
 * not matter.
 */
export const readEnvelopeFromDocuSign = defineExternalCall({
  kind: 'docusign-read',
  scope: 'event',
  input: EnvelopeInput,
  answer: ProviderState,
  async call(outside, { envelopeId }) {
    const provider = requireDocuSign(outside)
    const { provider_ref: ref } = await outside.inTransaction((ctx) => getEnvelope(ctx, envelopeId))
    return { ...(await provider.get(ref!)) } as z.output<typeof ProviderState>
  },
  async settle(ctx, { envelopeId }, state) {
    await applyProviderState(ctx, await lockBoth(ctx, envelopeId), state)
    return { status: state.status }
  },
  giveUp: (_ctx, _input, { reason }) => Promise.resolve({ reason }),
})

async function lockBoth(ctx: EventContext, envelopeId: string) {
  const { contract_id } = await getEnvelope(ctx, envelopeId)
  const contract = await lockSupplierContract(ctx, contract_id)
  return { contract, envelope: await lockEnvelope(ctx, envelopeId) }
}

type SchedulingContext = Pick<Context, 'tenantId' | 'actor' | 'db' | 'queue'> & { event: { id: string } }

async function schedule(ctx: SchedulingContext, envelopeId: string, start: () => Promise<{ callId: string }>): Promise<void> {
  const { callId } = await start()
  await eventDb(ctx).updateTable('signature_envelopes').set({ call_id: callId }).where('id', '=', envelopeId).execute()
}

/** Schedules sending the envelope to DocuSign after the commit. */
export async function scheduleDocuSignSending(ctx: HousingContext, envelope: EnvelopeRow): Promise<void> {
  for (const { email, id } of await listSigners(ctx, envelope.id)) ctx.effects.add('recipients', id, { email })
  const at = { eventId: ctx.event.id }
  await schedule(ctx, envelope.id, () =>
    scheduleExternalCall(ctx, createEnvelopeAtDocuSign, { envelopeId: envelope.id }, at, { here: true }),
  )
}

export const scheduleDocuSignVoid = (
  ctx: SchedulingContext,
  envelope: EnvelopeRow,
  why: { reason: string; notify: boolean; by: string },
): Promise<void> =>
  schedule(ctx, envelope.id, () =>
    scheduleExternalCall(ctx, voidEnvelopeAtDocuSign, { envelopeId: envelope.id, ...why }, { eventId: ctx.event.id }, { here: true }),
  )

export const scheduleDocuSignStatusRead = (ctx: SchedulingContext, envelopeId: string): Promise<{ callId: string }> =>
  scheduleExternalCall(ctx, readEnvelopeFromDocuSign, { envelopeId }, { eventId: ctx.event.id })

/** Finds the envelope of a DocuSign notification and reads its state. Returns false if the envelope is unknown. */
export async function handleDocuSignNotification(
  { db, queue }: Pick<Context, 'db'> & { queue: JobQueue },
  { ref }: { ref: string },
): Promise<boolean> {
  const { rows } = await sql<{ tenantId: number; eventId: string; envelopeId: string }>`
    select tenant_id as "tenantId", event_id as "eventId", id as "envelopeId" from signature_envelopes
    where provider = 'docusign' and provider_ref = ${ref}`.execute(db)
  const found = rows[0]
  if (!found) return false
  const actor = { kind: 'job' as const, id: 'docusign', name: ACTOR, app: { id: null, name: 'webhook' } }
  await scheduleDocuSignStatusRead({ tenantId: found.tenantId, actor, db, queue, event: { id: found.eventId } }, found.envelopeId)
  return true
}

interface Locked {
  contract: ContractRow
  envelope: EnvelopeRow
}

/** Updates signers and envelope to their state at DocuSign. Ended envelopes never change, and no signer returns to an earlier state. */
async function applyProviderState(
  ctx: HousingContext,
  { contract, envelope }: Locked,
  state: ProviderEnvelope,
  voided: { reason: string; by: string; notify: boolean } = { reason: '', by: ACTOR, notify: true },
): Promise<void> {
  if (!isLiveEnvelope(envelope)) return
  for (const signer of await listSigners(ctx, envelope.id)) {
    const reported = state.signers.find(({ id }) => id === signer.id)
    const to = state.status === 'completed' ? 'signed' : reported?.status
    if (to && SIGNER_STATES.can(signer.status, to)) await applySigner(ctx, envelope, signer, to, reported)
  }
  const current = await getEnvelope(ctx, envelope.id)
  if (state.status === 'completed') return void (await completeEnvelope(ctx, { contract, envelope: current }))
  if (state.status === 'declined' || state.status === 'voided' || state.status === 'expired') {
    const decliner = (await listSigners(ctx, envelope.id)).find(({ status }) => status === 'declined')
    const reason = state.status === 'declined' ? (decliner?.declined_reason ?? '') : voided.reason
    const ending = {
      how: state.status,
      name: decliner?.name ?? voided.by,
      reason,
      except: () => state.status === 'voided' && !voided.notify,
    }
    return void (await endEnvelope(ctx, { contract, envelope: current }, ending))
  }
  if (ENVELOPE_STATES.can(current.status, state.status))
    await changeRecordState<EnvelopeRow['status'], EnvelopeRow>(ctx, ENVELOPE_STATES, current, state.status)
}

async function applySigner(
  ctx: HousingContext,
  envelope: EnvelopeRow,
  signer: SignerRow,
  to: SignerRow['status'],
  reported: ProviderEnvelope['signers'][number] | undefined,
): Promise<void> {
  const columns =
    to === 'signed'
      ? { signed_at: reported?.signedAt ? new Date(reported.signedAt) : sql`lanyard_now()` }
      : to === 'declined'
        ? { declined_reason: reported?.declinedReason ?? '' }
        : {}
  await changeRecordState<SignerRow['status'], SignerRow>(ctx, SIGNER_STATES, signer, to, { columns })
  const step = ({ sent: 'sent', viewed: 'documentOpened', signed: 'signed' } as const)[to as 'sent']
  if (step) await addSigningStep(ctx, envelope.id, { step, actor: signer.email })
}
