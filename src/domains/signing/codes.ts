import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { equalInConstantTime, hashToken, type DerivedKeys, Secret } from '../../kernel/secrets.ts'
import type { HousingContext } from '../housing/context.ts'
import { sendSigningCode } from './emails.ts'
import type { SignerFoundByLink } from './links.ts'
import { lockSigningRecords, recordDocumentOpened, updateSigner } from './sign.ts'
import { addSigningStep, type SignerDevice } from './steps.ts'

export const SIGNER_CODE_MINUTES = 15
export const MAX_CODE_ATTEMPTS = 3
const MAX_CODES_PER_HOUR = 5

const hashCode = (keys: DerivedKeys, signerId: string, code: string): Buffer => hashToken(keys.sign('signing code', `${signerId} ${code}`))

/** Emails a new one-time code to the signer. Returns false if the hourly limit for this signer is reached. */
export async function issueSignerCode(ctx: HousingContext, link: SignerFoundByLink, from: SignerDevice): Promise<boolean> {
  const { contract, envelope, signer } = await lockSigningRecords(ctx, link)
  const recent = await eventDb(ctx)
    .selectFrom('signature_steps')
    .select('n')
    .where('envelope_id', '=', envelope.id)
    .where('actor', '=', signer.email)
    .where('step', '=', 'codeSent')
    .where('at', '>', sql<Date>`lanyard_now() - interval '1 hour'`)
    .execute()
  if (recent.length >= MAX_CODES_PER_HOUR) return false
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  await updateSigner(ctx, signer.id, {
    code_hash: hashCode(ctx.keys, signer.id, code),
    code_expires_at: sql`lanyard_now() + make_interval(mins => ${SIGNER_CODE_MINUTES})`,
    code_tries: 0,
  })
  await addSigningStep(ctx, envelope.id, { step: 'codeSent', actor: signer.email, from })
  const id = String((await getDatabaseTime(ctx)).getTime())
  await sendSigningCode(ctx, { envelope, signer, number: contract.number }, { code: new Secret(code), id: `${id}-${recent.length}` })
  return true
}

export type SignerCodeVerification = { kind: 'right' } | { kind: 'wrong'; left: number } | { kind: 'none' }

/** Verifies the emailed code. A correct code opens the document; after three wrong codes a new code is required. */
export async function verifySignerCode(
  ctx: HousingContext,
  link: SignerFoundByLink,
  code: string,
  from: SignerDevice,
): Promise<SignerCodeVerification> {
  const locked = await lockSigningRecords(ctx, link)
  const { signer, envelope } = locked
  const isExpired = signer.code_expires_at === null || signer.code_expires_at <= (await getDatabaseTime(ctx))
  if (signer.code_hash === null || isExpired || signer.code_tries >= MAX_CODE_ATTEMPTS) return { kind: 'none' }
  if (!equalInConstantTime(signer.code_hash, hashCode(ctx.keys, signer.id, code))) {
    const tries = signer.code_tries + 1
    await updateSigner(ctx, signer.id, { code_tries: tries, ...(tries >= MAX_CODE_ATTEMPTS ? { code_hash: null } : {}) })
    await addSigningStep(ctx, envelope.id, { step: 'codeWrong', actor: signer.email, from })
    return { kind: 'wrong', left: MAX_CODE_ATTEMPTS - tries }
  }
  await updateSigner(ctx, signer.id, { code_hash: null })
  await addSigningStep(ctx, envelope.id, { step: 'codeVerified', actor: signer.email, from })
  await recordDocumentOpened(ctx, locked, from)
  return { kind: 'right' }
}
