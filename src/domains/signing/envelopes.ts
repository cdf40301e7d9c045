import { z } from 'zod'
import { toOneLine, count, instant, list, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { notFound } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { HousingQueryContext, HousingContext } from '../housing/context.ts'
import { ENVELOPE_STATES, SIGNER_STATES } from './states.ts'
import type { EnvelopeRow, SignerRow } from './tables.ts'

export const LIVE_ENVELOPE_STATES = ['created', 'sent', 'delivered'] as const

export const isLiveEnvelope = ({ status }: Pick<EnvelopeRow, 'status'>): boolean =>
  (LIVE_ENVELOPE_STATES as readonly string[]).includes(status)

const envelopes = (ctx: HousingQueryContext) => eventDb(ctx).selectFrom('signature_envelopes').selectAll()

export async function getEnvelope(ctx: HousingQueryContext, envelopeId: string): Promise<EnvelopeRow> {
  const row = await envelopes(ctx).where('id', '=', envelopeId).executeTakeFirst()
  if (!row) throw notFound(`No envelope ${envelopeId} at this event`)
  return row
}

/** Locks an envelope (one round of collecting signatures for a contract). The caller has locked the contract before. */
export async function lockEnvelope(ctx: HousingQueryContext, envelopeId: string): Promise<EnvelopeRow> {
  const row = await envelopes(ctx).where('id', '=', envelopeId).forUpdate().executeTakeFirst()
  if (!row) throw notFound(`No envelope ${envelopeId} at this event`)
  return row
}

/** Finds the envelope that is out for signature, otherwise the latest envelope of the contract; null if none was ever sent. */
export async function findLatestEnvelope(ctx: HousingQueryContext, contractId: string): Promise<EnvelopeRow | null> {
  const rows = await envelopes(ctx).where('contract_id', '=', contractId).orderBy('id', 'desc').limit(1).execute()
  return rows[0] ?? null
}

export const listSigners = (ctx: HousingQueryContext, envelopeId: string): Promise<SignerRow[]> =>
  eventDb(ctx)
    .selectFrom('envelope_signers')
    .selectAll()
    .where('envelope_id', '=', envelopeId)
    .orderBy('signing_order')
    .orderBy('id')
    .execute()

/** Lists the signers with the lowest signing position that have not finished. Signers with the same position sign in any sequence. */
export function listNextSigners(signers: readonly SignerRow[]): SignerRow[] {
  const open = signers.filter(({ status }) => status !== 'signed' && status !== 'declined')
  const order = Math.min(...open.map((one) => one.signing_order))
  return open.filter((one) => one.signing_order === order)
}

const SignerShape = object({
  name: untrustedText(),
  email: text(),
  side: oneOf(['client', 'supplier']),
  order: count(),
  status: oneOf(SIGNER_STATES.all),
  signedAt: instant().nullable(),
  declinedReason: untrustedText().nullable(),
})

const EnvelopeFields = object({
  id: text(),
  contractId: text(),
  provider: oneOf(['embedded', 'docusign']),
  providerRef: text().nullable(),
  status: oneOf(ENVELOPE_STATES.all),
  versionSha256: text(),
  signers: list(SignerShape, 10),
  expiresAt: instant(),
  voidReason: untrustedText().nullable(),
  signedFileId: text().nullable(),
  certificateFileId: text().nullable(),
  revision: count(),
})

export const EnvelopeShape = toOneLine(
  EnvelopeFields,
  'id, contractId, provider, status, versionSha256, signers[] { name, status }, expiresAt',
)
export type EnvelopeResult = z.output<typeof EnvelopeFields>

export async function buildEnvelopeResult(ctx: HousingContext, row: EnvelopeRow): Promise<EnvelopeResult> {
  const signers = await listSigners(ctx, row.id)
  return {
    id: row.id,
    contractId: row.contract_id,
    provider: row.provider,
    providerRef: row.provider_ref,
    status: row.status,
    versionSha256: row.version_sha256,
    signers: signers.map((one) => ({
      name: one.name,
      email: one.email,
      side: one.side,
      order: one.signing_order,
      status: one.status,
      signedAt: one.signed_at?.toISOString() ?? null,
      declinedReason: one.declined_reason,
    })),
    expiresAt: row.expires_at.toISOString(),
    voidReason: row.void_reason,
    signedFileId: row.signed_file_id,
    certificateFileId: row.certificate_file_id,
    revision: row.revision,
  }
}
