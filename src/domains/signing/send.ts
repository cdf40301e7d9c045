import { sql } from 'kysely'
import { z } from 'zod'
import { toOneLine, count, email, list, name, object, oneOf, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { AppError, conflict, preconditionFailed } from '../../kernel/errors.ts'
import { EMBEDDED_SIGNING_PROVIDER, type ESignServices } from '../../kernel/esign.ts'
import { newId } from '../../kernel/ids.ts'
import { formatDay } from '../../kernel/language/format.ts'
import { hashToken } from '../../kernel/secrets.ts'
import { changeRecordState } from '../../kernel/states.ts'
import { toDayInZone } from '../../kernel/time.ts'
import type { AfterCommitContext, PrefetchContext } from '../../kernel/tool.ts'
import type { HousingContext } from '../housing/context.ts'
import { getContract, lockSupplierContract } from '../supplier-contracts/contracts.ts'
import { changeContractStatus, toContractSummary } from '../supplier-contracts/ready.ts'
import { CONTRACT_STATES } from '../supplier-contracts/states.ts'
import type { ContractRow } from '../supplier-contracts/tables.ts'
import { scheduleDocuSignSending } from './docusign.ts'
import { sendSigningLink } from './emails.ts'
import {
  type EnvelopeResult,
  findLatestEnvelope,
  getEnvelope,
  isLiveEnvelope,
  listNextSigners,
  listSigners,
  buildEnvelopeResult,
} from './envelopes.ts'
import { deriveSigningLinkToken } from './links.ts'
import { ENVELOPE_STATES, SIGNER_STATES } from './states.ts'
import { addSigningStep } from './steps.ts'
import type { EnvelopeRow, SignerRow } from './tables.ts'

const SignerArgument = object({
  name: name(120),
  email: email(),
  side: oneOf(['client', 'supplier']),
  order: count(1, 10),
})
export const createSignersArgument = () => list(toOneLine(SignerArgument, 'name, email, side client|supplier, order'), 10)

export const sendForSignatureArguments = {
  signers: createSignersArgument(),
  expiresInDays: count(1, 90).default(14),
  message: text(1000).optional(),
  provider: oneOf(['embedded', 'docusign']).optional(),
}

type Signer = z.output<typeof SignerArgument>
export type SendForSignatureInput = { contractId: string } & z.output<z.ZodObject<typeof sendForSignatureArguments>>
type Provider = EnvelopeRow['provider']

/** Chooses the provider that collects the signatures. Throws if DocuSign is requested but not configured. */
export const chooseSigningProvider = (
  ctx: PrefetchContext<EventContext>,
  { provider }: Pick<SendForSignatureInput, 'provider'>,
): Promise<Provider> => Promise.resolve(requireConfiguredProvider(ctx.esign ?? EMBEDDED_SIGNING_PROVIDER, provider))

export function requireConfiguredProvider(esign: ESignServices, wanted?: Provider): Provider {
  const provider = wanted ?? esign.defaultProvider
  if (provider === 'docusign' && !esign.docusign)
    throw new AppError('unavailable', `DocuSign is not configured. The operator must set ${esign.missingSettings.join(', ')}`)
  return provider
}

/** Sends the final document of a contract to its signers, in their signing order. */
export async function sendForSignature(ctx: EventContext, input: SendForSignatureInput, provider: Provider) {
  refuseSigners(input.signers)
  const contract = await lockSupplierContract(ctx, input.contractId)
  const latest = await findLatestEnvelope(ctx, contract.id)
  if (latest && isLiveEnvelope(latest))
    throw conflict(
      `Contract ${contract.number} is out for signature until ${latest.expires_at.toISOString()}. Use void_contract_envelope first`,
    )
  CONTRACT_STATES.move(contract.status, 'outForSignature')
  const envelope = await createEnvelope(ctx, contract, input, provider)
  const out = await changeContractStatus(ctx, contract, 'outForSignature')
  if (provider === 'docusign') await scheduleDocuSignSending(ctx, envelope)
  else await emailNextSigners(ctx, envelope, contract)
  return { envelope: await buildEnvelopeResult(ctx, await getEnvelope(ctx, envelope.id)), contract: toContractSummary(out) }
}

/** Waits for DocuSign to respond, and returns the current envelope and contract. */
export async function waitForDocuSignResponse<Result extends { envelope: EnvelopeResult; contract: object }>(
  ctx: AfterCommitContext<EventContext>,
  result: Result,
) {
  const { call_id, provider, contract_id } = await getEnvelope(ctx, result.envelope.id)
  if (provider === 'embedded' || call_id === null) return result
  await ctx.settle([call_id])
  return {
    ...result,
    envelope: await buildEnvelopeResult(ctx, await getEnvelope(ctx, result.envelope.id)),
    contract: toContractSummary(await getContract(ctx, contract_id)),
  }
}

function refuseSigners(signers: readonly Signer[]): void {
  const sides = new Set(signers.map(({ side }) => side))
  if (signers.length < 2 || sides.size < 2)
    throw preconditionFailed('A contract needs at least one signer of each side: client and supplier')
  for (const [address, same] of Map.groupBy(signers, (one) => foldEmailCase(one.email)))
    if (same.length > 1)
      throw preconditionFailed(
        new Set(same.map(({ side }) => side)).size > 1
          ? `${address} is on both sides. Each side signs for itself`
          : `${address} is named twice. Each person signs once`,
      )
}

async function createEnvelope(
  ctx: HousingContext,
  contract: ContractRow,
  input: SendForSignatureInput,
  provider: Provider,
): Promise<EnvelopeRow> {
  const at = { tenant_id: ctx.tenantId, event_id: ctx.event.id }
  const { locale } = await readLocale(ctx)
  const envelope = await ctx.db
    .insertInto('signature_envelopes')
    .values({
      ...at,
      id: newId(),
      contract_id: contract.id,
      version_sha256: contract.final_sha256!,
      document_file_id: contract.final_file_id!,
      provider,
      message: input.message ?? null,
      expires_at: sql<Date>`lanyard_now() + make_interval(days => ${input.expiresInDays})`,
      created_by: ctx.actor.id,
      locale,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await ctx.db
    .insertInto('envelope_signers')
    .values(
      input.signers.map((one) => ({
        ...at,
        id: newId(),
        envelope_id: envelope.id,
        name: one.name,
        email: one.email,
        side: one.side,
        signing_order: one.order,
      })),
    )
    .execute()
  await addSigningStep(ctx, envelope.id, { step: 'created', actor: ctx.actor.name })
  return envelope
}

async function readLocale(ctx: HousingContext): Promise<{ locale: string }> {
  return ctx.db
    .selectFrom('events')
    .select('locale')
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', '=', ctx.event.id)
    .executeTakeFirstOrThrow()
}

export const formatEnvelopeExpiryDay = (ctx: HousingContext, { expires_at, locale }: EnvelopeRow): string =>
  formatDay(locale, toDayInZone(ctx.event.timezone, expires_at))

/** Emails the links to the signers who are next in the signing order. */
export async function emailNextSigners(ctx: HousingContext, envelope: EnvelopeRow, { number }: Pick<ContractRow, 'number'>): Promise<void> {
  for (const signer of listNextSigners(await listSigners(ctx, envelope.id))) {
    if (signer.status !== 'waiting') continue
    const token = deriveSigningLinkToken(ctx.keys, { tenantId: ctx.tenantId, signerId: signer.id })
    await changeRecordState<SignerRow['status'], SignerRow>(ctx, SIGNER_STATES, signer, 'sent', {
      columns: { token_hash: hashToken(token) },
    })
    await sendSigningLink(ctx, { envelope, signer, number }, { day: formatEnvelopeExpiryDay(ctx, envelope) })
    await addSigningStep(ctx, envelope.id, { step: 'sent', actor: signer.email })
  }
  const current = await getEnvelope(ctx, envelope.id)
  if (current.status === 'created') await changeRecordState<EnvelopeRow['status'], EnvelopeRow>(ctx, ENVELOPE_STATES, current, 'sent')
}
