import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { verifySeal, readSealedEnvelopeIds } from './seal/seal.ts'
import { computeCertificateFingerprint } from './seal/keys.ts'

/** The contract envelope that the verified file belongs to, or claims to belong to. */
interface KnownEnvelope {
  tenantId: number
  eventId: string
  envelopeId: string
  provider: 'embedded' | 'docusign'
  number: string
  client: string
  supplier: string
  timezone: string
  signedSha256: string | null
  certificateSha256: string | null
  steps: number
  signers: { name: string; signedAt: string }[]
}

export type FileVerification =
  | { kind: 'unknown'; sha256: string }
  | {
      kind: 'valid' | 'changed'
      sha256: string
      isUnchanged: boolean
      /** Whether the seal is intact; null for files that another provider sealed. */
      isSealIntact: boolean | null
      isSelfSigned: boolean
      isChainComplete: boolean
      envelope: KnownEnvelope
    }

/** Verifies whether a file is a document that was signed with this installation, and whether it is unchanged in every byte. */
export async function verifyFile(db: Db, file: Buffer): Promise<FileVerification> {
  const sha256 = createHash('sha256').update(file).digest('hex')
  const mark = readSealedEnvelopeIds(file)
  const envelope = (await findByHash(db, sha256)) ?? (mark && (await findByMark(db, mark)))
  if (!envelope) return { kind: 'unknown', sha256 }
  const isUnchanged = sha256 === envelope.signedSha256 || sha256 === envelope.certificateSha256
  const seal = await checkOwnSeal(db, file)
  const isSealIntact = envelope.provider === 'embedded' ? seal !== null : null
  const isChainComplete = await hasCompleteChain(db, envelope)
  return {
    kind: isUnchanged && isSealIntact !== false && isChainComplete ? 'valid' : 'changed',
    sha256,
    isUnchanged,
    isSealIntact,
    isSelfSigned: seal?.isOwn ?? false,
    isChainComplete,
    envelope,
  }
}

/** Checks that the seal is intact and was made with a certificate of this installation. */
async function checkOwnSeal(db: Db, file: Buffer): Promise<{ isOwn: boolean } | null> {
  const certificate = verifySeal(file)
  if (!certificate) return null
  const row = await db
    .selectFrom('seal_certificates')
    .select('is_own')
    .where('fingerprint', '=', computeCertificateFingerprint(certificate))
    .executeTakeFirst()
  return row ? { isOwn: row.is_own } : null
}

async function hasCompleteChain(db: Db, { tenantId, eventId, envelopeId }: KnownEnvelope): Promise<boolean> {
  const { rows } = await sql`
    select 1 from signature_chain_breaks(${tenantId}, ${eventId}) b where b.envelope_id = ${envelopeId} limit 1`.execute(db)
  return rows.length === 0
}

const selectKnown = (where: ReturnType<typeof sql>) => sql<KnownEnvelope>`
  select v.tenant_id as "tenantId", v.event_id as "eventId", v.id as "envelopeId", v.provider, c.number, k.name as client, s.name as supplier,
    e.timezone, v.signed_sha256 as "signedSha256", v.certificate_sha256 as "certificateSha256", v.steps,
    (select coalesce(json_agg(json_build_object('name', g.name, 'signedAt', g.signed_at) order by g.signed_at), '[]') from envelope_signers g
      where g.tenant_id = v.tenant_id and g.event_id = v.event_id and g.envelope_id = v.id) as signers
  from signature_envelopes v
  join supplier_contracts c on c.tenant_id = v.tenant_id and c.event_id = v.event_id and c.id = v.contract_id
  join events e on e.tenant_id = v.tenant_id and e.id = v.event_id
  join clients k on k.tenant_id = e.tenant_id and k.id = e.client_id
  join suppliers s on s.tenant_id = c.tenant_id and s.client_id = c.client_id and s.id = c.supplier_id
  where v.status = 'completed' and ${where}`

async function findByHash(db: Db, sha256: string): Promise<KnownEnvelope | null> {
  const { rows } = await selectKnown(sql`(v.signed_sha256 = ${sha256} or v.certificate_sha256 = ${sha256})`).execute(db)
  return rows[0] ?? null
}

async function findByMark(db: Db, mark: { tenantId: number; eventId: string; envelopeId: string }): Promise<KnownEnvelope | null> {
  const { rows } = await selectKnown(
    sql`v.tenant_id = ${mark.tenantId} and v.event_id = ${mark.eventId} and v.id = ${mark.envelopeId}`,
  ).execute(db)
  return rows[0] ?? null
}
