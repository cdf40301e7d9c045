import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { defineJob, type JobRunContext, RetryJobLaterError } from '../../kernel/jobs.ts'
import { chooseTranslator } from '../../kernel/language/translator.ts'
import { eventDb, tenantDb } from '../../kernel/scoped-db.ts'
import { createFile, openFile } from '../files/files.ts'
import { type StoredUpload, storeUpload } from '../files/upload.ts'
import { getContract, lockSupplierContract } from '../supplier-contracts/contracts.ts'
import { setSignedContractFile } from '../supplier-contracts/ready.ts'
import { renderCertificate, renderSignedContract, type SignaturePagesData } from './documents.ts'
import { sendSignedCopy } from './emails.ts'
import { getEnvelope, listSigners } from './envelopes.ts'
import { getSealKey, type SealKey } from './seal/keys.ts'
import { sealDocument } from './seal/seal.ts'
import { listSigningSteps } from './steps.ts'

/** The maximum size of attachments, because mail servers reject larger ones. The email always contains the link. */
const MAX_ATTACHED_BYTES = 4 * 1024 * 1024
const RETRY_SECONDS = 60

interface SealedFiles {
  signed: Buffer
  certificate: Buffer
}

/** Renders, seals, stores and emails the documents of a completed envelope. */
export const sealSignedFilesJob = defineJob({
  name: 'seal-signed-files',
  scope: 'event',
  input: z.object({ envelopeId: z.string() }),
  async run(job, { envelopeId }) {
    const read = await job.step((ctx) => readCompleted(ctx, envelopeId, job))
    if (!read) return { envelopeId }
    const files = read.signed.envelope.provider === 'docusign' ? await downloadFiles(job, read) : await sealFiles(job, read)
    const uploads = [
      await store(job, read, `${read.signed.number}-signed.pdf`, files.signed),
      await store(job, read, `${read.signed.number}-certificate.pdf`, files.certificate),
    ] as const
    await job.step((ctx) => saveFiles(ctx, envelopeId, uploads, files))
    return { envelopeId }
  },
})

interface CompletedEnvelope {
  signed: SignaturePagesData
  key: SealKey | null
  tenantId: number
  eventId: string
}

/** Reads a completed envelope; null if its sealed files already exist. */
async function readCompleted(ctx: EventContext, envelopeId: string, job: JobRunContext<'event'>): Promise<CompletedEnvelope | null> {
  const envelope = await getEnvelope(ctx, envelopeId)
  if (envelope.status !== 'completed' || envelope.signed_file_id !== null) return null
  const contract = await getContract(ctx, envelope.contract_id)
  const supplier = await tenantDb(ctx)
    .selectFrom('suppliers')
    .select('name')
    .where('client_id', '=', contract.client_id)
    .where('id', '=', contract.supplier_id)
    .executeTakeFirstOrThrow()
  return {
    signed: {
      envelope,
      signers: await listSigners(ctx, envelopeId),
      steps: await listSigningSteps(ctx, envelopeId),
      number: contract.number,
      client: ctx.client.name,
      supplier: supplier.name,
      event: ctx.event.name,
      timezone: ctx.event.timezone,
      baseUrl: ctx.baseUrl,
      words: chooseTranslator(envelope.locale),
    },
    key: envelope.provider === 'embedded' ? await getSealKey(ctx, job.esign.sealFile) : null,
    tenantId: ctx.tenantId,
    eventId: ctx.event.id,
  }
}

async function sealFiles(job: JobRunContext<'event'>, { signed, key, tenantId, eventId }: CompletedEnvelope): Promise<SealedFiles> {
  const { envelope } = signed
  const document = await buffer(await openFile(job.files, { tenantId, id: envelope.document_file_id }))
  if (createHash('sha256').update(document).digest('hex') !== envelope.version_sha256)
    throw new Error(`the document of envelope ${envelope.id} is not the one that was hashed`)
  const of = { tenantId, eventId, envelopeId: envelope.id, at: envelope.completed_at! }
  const contract = await renderSignedContract(document, signed)
  const file = await sealDocument(contract.document, key!, { ...of, reason: `Contract ${signed.number} signed by all` })
  const sha256 = createHash('sha256').update(file).digest('hex')
  const certificate = await sealDocument(await renderCertificate(signed, sha256, key!), key!, {
    ...of,
    reason: `Certificate of contract ${signed.number}`,
  })
  return { signed: file, certificate }
}

async function downloadFiles(job: JobRunContext<'event'>, { signed }: CompletedEnvelope): Promise<SealedFiles> {
  if (!job.esign.docusign) throw new RetryJobLaterError(RETRY_SECONDS)
  return job.esign.docusign.download(signed.envelope.provider_ref!)
}

const store = (job: JobRunContext<'event'>, { tenantId }: CompletedEnvelope, name: string, content: Buffer): Promise<StoredUpload> =>
  storeUpload({ db: job.db, files: job.files, log: job.log }, { tenantId, purpose: 'contract', name, content: Readable.from([content]) })

async function saveFiles(ctx: EventContext, envelopeId: string, uploads: readonly [StoredUpload, StoredUpload], files: SealedFiles) {
  const { contract_id } = await getEnvelope(ctx, envelopeId)
  const contract = await lockSupplierContract(ctx, contract_id)
  const envelope = await getEnvelope(ctx, envelopeId)
  if (envelope.signed_file_id !== null) return
  const place = { clientId: ctx.client.id, eventId: ctx.event.id, owner: { kind: 'contract', id: contract_id } }
  const [signed, certificate] = [await createFile(ctx, uploads[0], place), await createFile(ctx, uploads[1], place)]
  await eventDb(ctx)
    .updateTable('signature_envelopes')
    .set({
      signed_file_id: signed.id,
      signed_sha256: signed.sha256,
      certificate_file_id: certificate.id,
      certificate_sha256: certificate.sha256,
    })
    .where('id', '=', envelopeId)
    .execute()
  await setSignedContractFile(ctx, contract_id, signed.id)
  recordChange(ctx, { kind: 'contract', id: contract_id, after: { signedFileId: signed.id, certificateFileId: certificate.id } })
  const attachments = [
    { name: signed.name, mime: 'application/pdf', content: files.signed },
    { name: certificate.name, mime: 'application/pdf', content: files.certificate },
  ].filter(({ content }) => content.length <= MAX_ATTACHED_BYTES)
  for (const signer of await listSigners(ctx, envelopeId))
    await sendSignedCopy(ctx, { envelope, signer, number: contract.number }, attachments)
}
