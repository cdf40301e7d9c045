import { sql } from 'kysely'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { HousingQueryContext } from '../housing/context.ts'
import type { SigningStepRow } from './tables.ts'

/** The IP address and browser of the person who took a signing step. Both are null for steps that the server takes. */
export interface SignerDevice {
  ip: string | null
  userAgent: string | null
}

export const UNKNOWN_SIGNER_DEVICE: SignerDevice = { ip: null, userAgent: null }

/** The steps of the signing process, as listed in the certificate. */
export const SIGNING_STEPS = [
  'created',
  'sent',
  'codeSent',
  'codeWrong',
  'codeVerified',
  'documentOpened',
  'documentDownloaded',
  'consented',
  'signed',
  'declined',
  'reminded',
  'voided',
  'expired',
  'completed',
] as const
export type SigningStep = (typeof SIGNING_STEPS)[number]

const MAX_USER_AGENT = 300

/** Appends a step to the hash chain of an envelope. The caller has locked the contract of the envelope. */
export async function addSigningStep(
  ctx: HousingQueryContext,
  envelopeId: string,
  { step, actor, from = UNKNOWN_SIGNER_DEVICE }: { step: SigningStep; actor: string; from?: SignerDevice },
): Promise<void> {
  await sql`select signature_step_add(${ctx.tenantId}, ${ctx.event.id}, ${envelopeId}, ${actor}, ${from.ip},
    ${from.userAgent?.slice(0, MAX_USER_AGENT) ?? null}, ${step})`.execute(ctx.db)
}

export const listSigningSteps = (ctx: HousingQueryContext, envelopeId: string): Promise<SigningStepRow[]> =>
  eventDb(ctx).selectFrom('signature_steps').selectAll().where('envelope_id', '=', envelopeId).orderBy('n').execute()
